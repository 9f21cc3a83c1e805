/**
 * Makes the tabs of a browser one tracker. The tab that holds the lock records and sends; the other tabs show what that
 * tab reports. A browser gives a hidden tab no position, so a visible tab takes the lock from a hidden one.
 */

/** The time after which a tab that holds the lock and does not answer counts as asleep, and loses the lock. */
const answerMs = 3000;
/** The time after which a visible tab asks again for the lock of another tab that tracks, in milliseconds. */
const askAgainMs = 30_000;

export class OneTab {
    #options;
    #name;
    #isHolding = false;
    #isEnded = true;
    #release = () => {};
    #giveUp = new AbortController();
    #cancelTimer = () => {};

    /**
     * @param {object} options
     * @param {string} options.name the name of the lock
     * @param {LockManager|undefined} options.locks without locks, each tab is a tracker of its own
     * @param {{post: (message: object) => void}} options.channel the channel to the other tabs
     * @param {() => boolean} options.isHidden whether this tab is out of sight
     * @param {(act: () => void, ms: number) => () => void} options.schedule
     * @param {() => void} options.won called when this tab becomes the tracker
     * @param {() => void} options.lost called when another tab is the tracker, or will be
     */
    constructor(options) {
        this.#options = options;
        this.#name = options.name;
    }

    get isHolding() { return this.#isHolding; }

    begin() {
        this.#isEnded = false;
        const { locks, won } = this.#options;
        if (!locks) {
            this.#isHolding = true;
            won();
            return;
        }
        this.#take({ ifAvailable: true });
    }

    end() {
        this.#isEnded = true;
        this.#cancelTimer();
        this.#giveUp.abort();
        this.#isHolding = false;
        this.#release();
    }

    /** Called when this tab came into sight, or went out of sight. */
    look() {
        if (this.#isEnded || !this.#options.locks) { return; }
        if (this.#isHolding && this.#options.isHidden()) { this.#options.channel.post({ type: "hidden" }); }
        if (!this.#isHolding && !this.#options.isHidden()) { this.#want(); }
    }

    /** Handles a message of another tab. */
    hear({ type }) {
        if (this.#isEnded || !this.#options.locks) { return; }
        if (type === "hidden") { this.look(); }
        if (type === "mine" && !this.#isHolding) {
            // The other tab may fall asleep later without a message.
            this.#cancelTimer();
            this.#cancelTimer = this.#options.schedule(() => this.look(), askAgainMs);
        }
        if (type === "wanted" && this.#isHolding) {
            if (this.#options.isHidden()) { this.#yield(); } else { this.#options.channel.post({ type: "mine" }); }
        }
    }

    #want() {
        this.#cancelTimer();
        this.#options.channel.post({ type: "wanted" });
        this.#cancelTimer = this.#options.schedule(() => {
            if (this.#isEnded || this.#isHolding || this.#options.isHidden()) { return; }
            this.#giveUp.abort();
            this.#take({ steal: true });
        }, answerMs);
    }

    #yield() {
        this.#isHolding = false;
        this.#options.lost();
        this.#release();
        this.#wait();
    }

    #wait() {
        this.#giveUp = new AbortController();
        this.#take({ signal: this.#giveUp.signal });
    }

    #take(how) {
        let isGranted = false;
        let release;
        const held = new Promise((resolve) => { release = resolve; });
        this.#options.locks.request(this.#name, how, (lock) => {
            if (this.#isEnded) { return undefined; }
            if (lock === null) {
                this.#options.lost();
                this.#wait();
                if (!this.#options.isHidden()) { this.#want(); }
                return undefined;
            }
            isGranted = true;
            this.#cancelTimer();
            this.#release = release;
            this.#isHolding = true;
            this.#options.won();
            return held;
        }).catch(() => {
            // A visible tab has taken the lock. If this tab gave the lock up itself, that has been handled.
            if (!isGranted || !this.#isHolding || this.#isEnded) { return; }
            this.#isHolding = false;
            this.#options.lost();
            this.#wait();
        });
    }
}
