/**
 * "Where are you now?": a leader's question to the person who looks at the page, and the answer by the position of the
 * device that shows the page.
 */
import { lengthWords } from "../shared/length.js";
import { Problem } from "../shared/http.js";
import { called } from "../shared/names.js";
import { latestPosition } from "../shared/state.js";
import { clockTime, minuteTime } from "../shared/time.js";
import { t } from "../shared/words.js";

/** A question is open for so long, as the server says it. */
const openMs = 10 * 60_000;
/** So long the device may take to find where it is. */
const locateMs = 30_000;
/** Without an answer of the server for so long, the position counts as not sent. */
const answerLimitMs = 10_000;
/** The device in whose name this page reports; made when its user first answers. */
const deviceName = "browser";

/**
 * @typedef {object} Question
 * @property {string} by the name of the person who asks
 * @property {string} at when they asked, RFC 3339
 */

/**
 * The question to a person that waits for an answer; undefined where none does, or a device of theirs has told where it
 * was since. Phones tell whole seconds, so a position of the same second is an answer. Pure.
 * @returns {Question | undefined}
 */
export function openQuestion(state, user, nowMs) {
    const question = state.questions.get(user);
    const askedMs = Date.parse(question?.at);
    if (!(nowMs < askedMs + openMs)) { return undefined; }
    const member = state.members.get(user);
    const located = member && latestPosition(member)?.sampleTime;
    return Date.parse(located) >= Math.floor(askedMs / 1000) * 1000 ? undefined : question;
}

/** A question in words. Pure. @param {boolean} canLocate whether this page can tell where its device is */
export function questionWords({ by, at }, canLocate, nowMs) {
    const words = { name: called(by), time: minuteTime(at, nowMs) };
    return t(canLocate ? "question.asked" : "question.cannotLocate", words);
}

/** Tells the server where the device is that shows this page. */
export class Whereabouts {
    #request;
    #user;
    #now;
    #tell;
    #notice;
    #geolocation;
    #isBusy = false;

    /**
     * @param {object} options
     * @param {(path: string, options: object) => Promise<Response>} options.request sends a request as the user
     * @param {() => string | undefined} options.user the name of the person who looks
     * @param {() => number} options.now the server's time in milliseconds
     * @param {(words: string) => void} options.tell shows how far the answer has come
     * @param {(words: string) => void} options.notice shows what went wrong
     * @param {Geolocation} [options.geolocation] replaced in tests
     */
    constructor({ request, user, now, tell, notice, geolocation = usableGeolocation() }) {
        this.#request = request;
        this.#user = user;
        this.#now = now;
        this.#tell = tell;
        this.#notice = notice;
        this.#geolocation = geolocation;
    }

    /** Whether this page can tell where its device is: browsers let pages of https and of this machine ask. */
    get canLocate() { return this.#geolocation !== undefined; }

    /** Asks the device where it is, and sends that. It says what came of it, and never rejects. */
    async answer() {
        if (this.#isBusy) { return; }
        this.#isBusy = true;
        this.#tell(t("question.locating"));
        try {
            const fix = await this.#locate();
            this.#tell(t("question.sending"));
            const sampleTime = this.#sampleTime(fix);
            await this.#send(fix, sampleTime);
            this.#notice("");
            const length = lengthWords(fix.coords.accuracy);
            this.#tell(t("question.sent", { time: clockTime(sampleTime), length }));
        } catch (error) {
            this.#tell("");
            this.#notice(t("question.notSent", { reason: reason(error) }));
        } finally {
            this.#isBusy = false;
        }
    }

    #locate() {
        return new Promise((resolve, reject) => {
            this.#geolocation.getCurrentPosition(resolve, reject, {
                enableHighAccuracy: true, maximumAge: 0, timeout: locateMs,
            });
        });
    }

    /** When a fix was made, by the server's clock, from which this device's may differ. */
    #sampleTime({ timestamp }) {
        // Some browsers date a fix wrongly. None is older than the device may take to find it.
        const ageMs = Math.min(Math.max(0, Date.now() - timestamp), locateMs);
        return new Date(this.#now() - ageMs).toISOString();
    }

    async #send({ coords: { latitude, longitude, accuracy } }, sampleTime) {
        await this.#makeDevice();
        await this.#post("positions", { device: deviceName, latitude, longitude, accuracy, sampleTime });
    }

    async #makeDevice() {
        try {
            await this.#post(`users/${encodeURIComponent(this.#user())}/devices`, { name: deviceName });
        } catch (error) {
            // It was made at an earlier answer.
            if (!(error instanceof Problem && error.status === 409)) { throw error; }
        }
    }

    #post(path, body) {
        return this.#request(path, { method: "POST", body, signal: AbortSignal.timeout?.(answerLimitMs) });
    }
}

function usableGeolocation() {
    return globalThis.isSecureContext ? globalThis.navigator?.geolocation : undefined;
}

/** Why a position was not sent. */
function reason(error) {
    if (error instanceof Problem) { return error.message; }
    // `GeolocationPositionError`: 1 is that the person or the browser forbids it.
    if (error?.code === 1) { return t("question.forbidden"); }
    if (error?.code === 2 || error?.code === 3) { return t("question.notFound"); }
    return t("problem.noAnswer");
}
