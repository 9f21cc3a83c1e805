/** What a person should know about the fixes: that they are coarse, or that they jump. Pure, apart from its memory. */
import { chordMetres } from "./distance.js";

/** The 68 % radius beyond which the server decides nothing by a fix (docs/safety.md). */
export const coarseMetres = 200;
/** The number of consecutive coarse fixes after which the page says so: a receiver's first fixes are often coarse. */
const coarseInRow = 3;
/** The highest speed of anybody on the ground, in metres a second. */
const fastest = 70;
/** The number of newest steps between fixes that are examined, and the number of jumps among them to report. */
const waysSeen = 6;
const jumpsTold = 2;

export class Judgement {
    #last;
    #coarse = 0;
    #ways = [];

    /** Examines the next fix. @param {import("./filter.js").Fix & {accuracy95?: number, monotonicMs: number}} fix */
    take(fix) {
        this.#coarse = fix.accuracy > coarseMetres ? this.#coarse + 1 : 0;
        if (this.#last) { this.#ways = [...this.#ways, isJump(this.#last, fix)].slice(-waysSeen); }
        this.#last = fix;
    }

    get isCoarse() { return this.#coarse >= coarseInRow; }

    get isJumping() { return this.#ways.filter(Boolean).length >= jumpsTold; }
}

/** Whether no movement on the ground explains two fixes, even if each is as far off as its accuracy allows. */
function isJump(before, after) {
    const seconds = Math.max(1, (after.monotonicMs - before.monotonicMs) / 1000);
    const beyond = chordMetres(before, after) - (before.accuracy95 ?? 100) - (after.accuracy95 ?? 100);
    return beyond / seconds > fastest;
}
