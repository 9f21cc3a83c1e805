/**
 * What calls a leader to the page while an SOS was heard by nobody: a sound, and a notification where the page is in
 * the background. The page's title says it, too.
 */
import { nameOf } from "../shared/roll.js";
import { legible } from "../shared/text.js";
import { t } from "../shared/words.js";
import { lastSeenWords } from "./alarmwords.js";
import { callKey, unheardCalls } from "./distress.js";

const soundEveryMs = 2000;
/** The largest number of notifications shown for one change; of further calls the page shows the number. */
const notifiedLimit = 5;

export class Siren {
    #report;
    #play;
    #notify;
    #isHidden;
    #schedule;
    #end;
    #known = new Set();

    /**
     * @param {object} options
     * @param {(isSilent: boolean) => void} options.report takes whether nothing sounds, though somebody calls
     * @param {() => void} [options.play] plays the sound once; this and the following are replaced in tests
     * @param {(title: string, options: object) => void} [options.notify]
     * @param {() => boolean} [options.isHidden] whether the page is in the background
     * @param {(act: () => void, everyMs: number) => () => void} [options.schedule] answers what ends it
     */
    constructor({
        report, play = soundOf(), notify = showNotification, isHidden = () => document.hidden, schedule = repeatedly,
    }) {
        this.#report = report;
        this.#play = play;
        this.#notify = notify;
        this.#isHidden = isHidden;
        this.#schedule = schedule;
    }

    /** Looks at what the page knows now. */
    look({ live, user, isNotified, now }) {
        const calls = unheardCalls(live, user);
        const fresh = calls.filter((call) => !this.#known.has(callKey(call)));
        this.#known = new Set(calls.map(callKey));
        if (calls.length === 0) { this.#stop(); this.#report(true); return; }
        if (fresh.length === 0) { return; }
        // A device that has push notifications gets this notification by push.
        if (this.#isHidden() && !isNotified) {
            for (const call of fresh.slice(0, notifiedLimit)) { this.#show(call, live.regions, now); }
        }
        this.#start();
    }

    /** Ends the sound, until the next call. */
    silence() {
        this.#stop();
        this.#report(true);
    }

    #start() {
        if (this.#end) { return; }
        this.#play();
        this.#end = this.#schedule(this.#play, soundEveryMs);
        this.#report(false);
    }

    #stop() {
        this.#end?.();
        this.#end = undefined;
    }

    #show(call, regions, now) {
        this.#notify(t("sos.from", { name: legible(nameOf(call)) }), {
            body: lastSeenWords(call, regions, now), tag: `sos ${call.user}`, requireInteraction: true, renotify: true,
            icon: "muster.svg",
        });
    }
}

function repeatedly(act, everyMs) {
    const timer = setInterval(act, everyMs);
    return () => clearInterval(timer);
}

/** Two tones, as of a siren. A browser plays nothing on a page on which nobody has pressed anything yet. */
function soundOf() {
    let audio;
    const wake = () => {
        if (!globalThis.AudioContext) { return; }
        audio ??= new AudioContext();
        audio.resume().catch(() => {});
    };
    for (const gesture of ["pointerdown", "keydown"]) { globalThis.addEventListener?.(gesture, wake); }
    return () => {
        if (audio?.state !== "running") { return; }
        const begin = audio.currentTime;
        const oscillator = new OscillatorNode(audio, { type: "square", frequency: 880 });
        oscillator.frequency.setValueAtTime(660, begin + 0.35);
        const gain = new GainNode(audio, { gain: 0.15 });
        gain.gain.setValueAtTime(0, begin + 0.7);
        oscillator.connect(gain).connect(audio.destination);
        oscillator.start(begin);
        oscillator.stop(begin + 0.75);
    };
}

/** By the page itself, or by its worker where the browser wants that. */
function showNotification(title, options) {
    if (globalThis.Notification?.permission !== "granted") { return; }
    try {
        const shown = new Notification(title, options);
        shown.onclick = () => { globalThis.focus(); shown.close(); };
    } catch {
        navigator.serviceWorker?.getRegistration()
            .then((registration) => registration?.showNotification(title, options)).catch(() => {});
    }
}
