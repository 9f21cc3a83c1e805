/** Keeps the screen lit while the person asks for it: a page gets no position while the screen is dark. */

export class WakeLock {
    #wakeLock;
    #report;
    #held;
    #isWanted = false;
    #isAsking = false;

    /**
     * @param {object} options
     * @param {WakeLock|undefined} options.wakeLock the browser's `navigator.wakeLock`
     * @param {(state: "off"|"on"|"refused"|"unsupported") => void} options.report
     */
    constructor({ wakeLock, report }) {
        this.#wakeLock = wakeLock;
        this.#report = report;
    }

    /** @param {boolean} isWanted whether the person asks for a lit screen now */
    want(isWanted) {
        this.#isWanted = isWanted;
        if (isWanted) { this.look(); return; }
        this.#held?.release().catch(() => {});
        this.#held = undefined;
        this.#report("off");
    }

    /** Called when the page is in sight again: the browser releases the lock of a hidden page. */
    async look() {
        if (!this.#isWanted || this.#isAsking || (this.#held && !this.#held.released)) { return; }
        if (!this.#wakeLock) { this.#report("unsupported"); return; }
        this.#isAsking = true;
        try {
            const held = await this.#wakeLock.request("screen");
            if (!this.#isWanted) { held.release().catch(() => {}); return; }
            this.#held = held;
            this.#report("on");
            held.addEventListener?.("release", () => { if (this.#isWanted) { this.#report("refused"); } });
        } catch {
            // The page is hidden, or the battery is nearly empty.
            this.#report("refused");
        } finally {
            this.#isAsking = false;
        }
    }
}
