/** The lead of an incident changed: who leads now is told, and who led until then, until each says that they know. */
import { browserStorage } from "../shared/browserstorage.js";
import { called } from "../shared/names.js";
import { clockTime } from "../shared/time.js";
import { t } from "../shared/words.js";
import { whatWords } from "./alarmwords.js";

const storagePrefix = "muster.handovers-seen.";
/** As many handovers are remembered as seen. */
const seenLimit = 50;

/**
 * What a user must know of who leads the open incidents. Pure.
 * @param {import("../shared/state.js").State} live
 * @param {string} [name] the user who looks
 * @param {string[]} seen the keys of what they said that they know
 * @returns {{key: string, incident: object, isMine: boolean, words: string}[]}
 */
export function handoverNews(live, name, seen) {
    const news = [...live.incidents.values()].map((incident) => newsOf(incident, name)).filter(Boolean);
    return news.filter(({ key }) => !seen.includes(key));
}

function newsOf(incident, name) {
    const { number, leader, handover } = incident;
    // Without a handover, who leads is who started it.
    if (name === undefined || !leader || handover?.to !== leader) { return undefined; }
    const { at, by, from } = handover;
    const key = `${number} ${at}`;
    const said = { name: called(by), time: clockTime(at), what: whatWords(incident) };
    if (leader === name) {
        const words = t(by && by !== name ? "lead.given" : "lead.taken", said);
        return { key, incident, isMine: true, words };
    }
    const words = t("lead.theirs", { ...said, name: called(leader) });
    return from === name ? { key, incident, isMine: false, words } : undefined;
}

/** The handovers that each user of this browser said they know of: several leaders may share it. */
export class SeenHandovers {
    #storage;
    #report;
    #user;

    /**
     * @param {{report: (keys: string[]) => void, storage?: Storage}} options `report` takes the keys of the user who
     *     is signed in, at the sign-in and after each that is added
     */
    constructor({ report, storage = browserStorage() }) {
        this.#storage = storage;
        this.#report = report;
    }

    /** @param {string} user who signed in */
    begin(user) {
        this.#user = user;
        this.#report(this.#keys());
    }

    add(key) {
        const keys = [...this.#keys().filter((each) => each !== key), key].slice(-seenLimit);
        // A browser that is full, or stores nothing, tells it again after a reload.
        try { this.#storage.setItem(storagePrefix + this.#user, JSON.stringify(keys)); } catch { /* told again */ }
        this.#report(keys);
    }

    #keys() {
        try {
            const found = JSON.parse(this.#storage.getItem(storagePrefix + this.#user) ?? "[]");
            return Array.isArray(found) ? found : [];
        } catch { return []; }
    }
}
