/** Listens to the phone's compass while the way is shown, and reports whether the browser allows it. */
import { compassHeading, leastTurnDegrees, smoothed, turn } from "./heading.js";

/** The time after which a silent compass counts as absent, in milliseconds. */
const freshMs = 3000;

/**
 * @typedef {"asks"|"waiting"|"on"|"denied"} CompassState
 * `asks`: the browser wants a press first (Safari on an iPhone); `waiting`: no turn was heard, or none lately
 */
export class Compass {
    #window;
    #report;
    #timer;
    #drawn;
    #smooth;
    #listen = (event) => this.#hear(event);

    /**
     * @param {(compass: {state: CompassState, degrees?: number, accuracyDegrees?: number}) => void} report called at
     *     each turn that is large enough to be drawn
     * @param {Window} [window] replaced in tests
     */
    constructor(report, window = globalThis) {
        this.#report = report;
        this.#window = window;
    }

    /** Starts to listen. Some browsers have a request for permission, but let a page listen without it. */
    begin() {
        const canAsk = typeof this.#window.DeviceOrientationEvent?.requestPermission === "function";
        this.#say(canAsk ? "asks" : "waiting");
        // In browsers with an absolute orientation, the other event knows no north, and is ignored.
        this.#window.addEventListener("deviceorientationabsolute", this.#listen);
        this.#window.addEventListener("deviceorientation", this.#listen);
    }

    /** Asks for permission to use the compass; must be called while a press is handled. */
    async ask() {
        try {
            const answer = await this.#window.DeviceOrientationEvent.requestPermission();
            this.#say(answer === "granted" ? "waiting" : "denied");
        } catch {
            this.#say("denied");
        }
    }

    end() {
        clearTimeout(this.#timer);
        this.#window.removeEventListener("deviceorientationabsolute", this.#listen);
        this.#window.removeEventListener("deviceorientation", this.#listen);
    }

    #hear(event) {
        const heading = compassHeading(event, this.#window.screen?.orientation?.angle ?? 0);
        if (!heading) { return; }
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#lose(), freshMs);
        this.#smooth = smoothed(this.#smooth, heading.degrees);
        if (this.#drawn !== undefined && Math.abs(turn(this.#drawn, this.#smooth)) < leastTurnDegrees) { return; }
        this.#drawn = this.#smooth;
        this.#report({ state: "on", degrees: this.#smooth, accuracyDegrees: heading.accuracyDegrees });
    }

    #lose() {
        this.#drawn = undefined;
        this.#smooth = undefined;
        this.#say("waiting");
    }

    #say(state) {
        this.#report({ state });
    }
}
