/** Plays a replay: its time, its speed, and what is to be shown of each moment. */
import { emptyState } from "../shared/state.js";
import { happenedUpTo, Moment, openAt } from "./moment.js";

/**
 * So long at least between two looks at a moment, and so many times what the slowest frame since the last one took: a
 * machine that draws the map slowly shows fewer moments, and the clock and the slider stay smooth.
 */
const momentEveryMs = 100;
const frameShare = 4;
const longestEveryMs = 1000;
/** A frame that took longer than this was none: the page was hidden, and nothing is to be passed over. */
const longestFrameMs = 1000;
/** The most events beside the map. */
const eventLimit = 50;

/**
 * @typedef {object} Shown
 * @property {import("../shared/state.js").State} live the moment, as the console's map takes a state
 * @property {import("./columns.js").Standing[]} happened the latest first
 * @property {boolean} isCut whether there is more of the same time than `happened` has
 * @property {number} [happenedFromMs] from when on `happened` is known here
 * @property {string[]} gaps what the server does not have of it
 * @property {boolean} isPlaying
 * @property {boolean} isWaiting whether this moment is on its way
 * @property {Error} [fault]
 * @property {number} ms
 */

export class Replayer {
    #range;
    #data;
    #surroundings;
    #report;
    #tell;
    #now;
    #frame;
    #moment;
    #keeps = () => true;
    #ms;
    #speed = 10;
    #isPlaying = false;
    #isEnded = false;
    #isDue = false;
    #lastMs;
    #shownMs = -Infinity;
    #slowestMs = 0;
    #shown;
    #live = emptyState;

    /**
     * @param {object} options
     * @param {{fromMs: number, toMs: number}} options.range
     * @param {number} options.ms where it begins
     * @param {string} options.team
     * @param {import("./replaydata.js").ReplayData} options.data
     * @param {() => {incidents: object[], alwaysShown: Set<string>, regions: Map<string, object>}} options.surroundings
     *     all incidents of the team, and what the replay takes from now: the regions
     * @param {(shown: Shown) => void} options.report takes a moment
     * @param {(ms: number) => void} options.tell takes the time, once a frame
     * @param {() => number} [options.now] this and the following are replaced in tests
     * @param {(act: () => void) => void} [options.frame]
     */
    constructor({ range, ms, team, data, surroundings, report, tell, now, frame }) {
        this.#range = range;
        this.#ms = this.#within(ms);
        this.#data = data;
        this.#surroundings = surroundings;
        this.#report = report;
        this.#tell = tell;
        this.#now = now ?? (() => performance.now());
        this.#frame = frame ?? ((act) => requestAnimationFrame(act));
        this.#moment = new Moment(team);
    }

    get ms() { return this.#ms; }

    /** Shows the moment anew: something else is known. */
    refresh() {
        this.#shownMs = -Infinity;
        this.#schedule();
    }

    play() {
        if (this.#ms >= this.#range.toMs) { this.#ms = this.#range.fromMs; }
        this.#isPlaying = true;
        this.#lastMs = undefined;
        this.refresh();
    }

    pause() {
        this.#isPlaying = false;
        this.refresh();
    }

    toggle() { if (this.#isPlaying) { this.pause(); } else { this.play(); } }

    /** Goes to a time, at once. */
    seek(ms) {
        this.#ms = this.#within(ms);
        this.#lastMs = undefined;
        this.refresh();
    }

    step(byMs) { this.seek(this.#ms + byMs); }

    set speed(speed) { this.#speed = speed; }

    /** Shows a group of the team alone. */
    choose(team, keeps) {
        this.#keeps = keeps;
        this.#moment = new Moment(team, keeps);
        this.refresh();
    }

    retry() {
        this.#data.retry();
        this.refresh();
    }

    end() {
        this.#isEnded = true;
        this.#data.end();
    }

    #within(ms) {
        return Math.min(this.#range.toMs, Math.max(this.#range.fromMs, ms));
    }

    #schedule() {
        if (this.#isDue || this.#isEnded) { return; }
        this.#isDue = true;
        this.#frame(() => {
            this.#isDue = false;
            if (!this.#isEnded) { this.#turn(); }
        });
    }

    #turn() {
        const now = this.#now();
        const chunk = this.#data.at(this.#ms);
        // Without its chunk the time stands still: nothing is passed over.
        if (this.#isPlaying && chunk && this.#lastMs !== undefined) {
            const next = this.#ms + Math.min(longestFrameMs, now - this.#lastMs) * this.#speed;
            this.#ms = Math.min(this.#within(next), Math.max(this.#ms, chunk.toMs));
            if (this.#ms >= this.#range.toMs) { this.#isPlaying = false; this.#shownMs = -Infinity; }
        }
        if (this.#lastMs !== undefined) { this.#slowestMs = Math.max(this.#slowestMs, now - this.#lastMs); }
        this.#lastMs = now;
        this.#tell(this.#ms);
        const everyMs = Math.min(longestEveryMs, Math.max(momentEveryMs, frameShare * this.#slowestMs));
        if (now - this.#shownMs >= everyMs) {
            this.#shownMs = now;
            this.#slowestMs = 0;
            this.#show();
        }
        if (this.#isPlaying) { this.#schedule(); }
    }

    #show() {
        const ms = this.#ms;
        const chunk = this.#data.at(ms);
        if (chunk) { this.#live = this.#stateAt(chunk, ms); }
        const chunks = this.#data.upTo(ms);
        // One more than is shown tells that there are more.
        const happened = happenedUpTo(chunks, ms, eventLimit + 1, this.#keeps);
        this.#shown = {
            ms, live: this.#live, isPlaying: this.#isPlaying, isWaiting: !chunk && !this.#data.fault,
            fault: chunk ? undefined : this.#data.fault, gaps: chunk?.gaps ?? [],
            happened: happened.slice(0, eventLimit), isCut: happened.length > eventLimit,
            happenedFromMs: chunks[0]?.fromMs,
        };
        this.#report(this.#shown);
    }

    /** The same value where nothing changed, so that the map has nothing to do. */
    #stateAt(chunk, ms) {
        const { incidents, alwaysShown, regions } = this.#surroundings();
        const members = this.#moment.at(chunk, ms);
        const open = openAt(incidents, ms);
        const old = this.#live;
        const isSame = old.members === members && old.incidents === open && old.alwaysShown === alwaysShown
            && old.regions === regions;
        return isSame ? old : { ...emptyState, members, incidents: open, alwaysShown, regions };
    }
}
