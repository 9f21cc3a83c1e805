/** The bar over the map that tells the selected device's track in words, and chooses its device and span. */
import { loadTrack } from "./trackhistory.js";
import { emptyTrack, spans, trackWords, withChanges, withHistory } from "./track.js";

export class TrackView {
    /** The track that is selected; undefined when none is. */
    track;
    #elements;
    #get;
    #changed;
    #user;
    #devices = [];
    #newestMs = () => Date.now();
    /** Counts what was asked for, so that an answer that comes too late is dropped. */
    #asked = 0;

    /**
     * @param {{bar: HTMLElement, title: HTMLElement, words: HTMLElement, device: HTMLSelectElement,
     *   span: HTMLSelectElement, close: HTMLElement, said: HTMLElement}} elements
     * @param {(path: string) => Promise<object>} get answers the JSON of an API path
     * @param {(event: "selected" | "read" | "readAgain" | "closed", user: string) => void} changed called when
     *   something else is to be shown
     */
    constructor(elements, get, changed) {
        this.#elements = elements;
        this.#get = get;
        this.#changed = changed;
        const { device, span, close } = elements;
        span.append(...Object.entries(spans).map(([name, { words }]) => new Option(words, name)));
        span.value = "day";
        span.addEventListener("change", () => this.#choose(this.track.device));
        device.addEventListener("change", () => this.#choose(device.value));
        close.addEventListener("click", () => this.close());
    }

    /** Whose track it is; undefined when none is selected. */
    get user() { return this.#user; }

    /**
     * Selects a person's device.
     * @param {string} user
     * @param {string} device `ann/phone`
     * @param {string[]} devices all of theirs to choose from
     * @param {(device: string) => number} newestMs when the latest position of one of them was sampled
     */
    select(user, device, devices, newestMs) {
        this.#user = user;
        this.#devices = devices;
        this.#newestMs = newestMs;
        this.#elements.device.replaceChildren(...devices.map((name) => new Option(name)));
        this.#elements.device.hidden = devices.length < 2;
        this.#choose(device);
    }

    /** Shows no track any more. */
    close() {
        if (!this.track) { return; }
        this.#asked += 1;
        const user = this.#user;
        this.track = undefined;
        this.#user = undefined;
        this.#changed("closed", user);
    }

    /** Takes what the live feed tells. */
    take(changes) {
        if (this.track) { this.track = withChanges(this.track, changes); }
    }

    /** Reads the history once more, since the live feed may have missed something; what is there stays meanwhile. */
    async refresh() {
        if (!this.track) { return; }
        this.#asked += 1;
        const mine = this.#asked;
        const { device } = this.track;
        try {
            const history = await loadTrack(this.#get, this.track, this.#newestMs(device));
            if (mine !== this.#asked) { return; }
            const event = this.track.isLoaded ? "readAgain" : "read";
            this.track = withHistory(this.track, history);
            this.#changed(event, this.#user);
            // Once, and not with every point that follows: a screen reader reads it.
            this.#elements.said.textContent = trackWords(this.track);
        } catch {
            if (mine !== this.#asked) { return; }
            this.track = { ...this.track, hasFailed: true };
            this.show();
        }
    }

    /** Reads what could not be read. */
    retry() {
        if (this.track?.hasFailed) { this.refresh(); }
    }

    /** Brings the words up to date. */
    show() {
        const { bar, title, words, device } = this.#elements;
        bar.hidden = !this.track;
        if (!this.track) { return; }
        title.textContent = this.#devices.length > 1 ? "Track of" : `Track of ${this.track.device}`;
        device.value = this.track.device;
        words.textContent = trackWords(this.track);
    }

    #choose(device) {
        this.track = emptyTrack(device, this.#elements.span.value);
        this.#changed("selected", this.#user);
        this.refresh();
    }
}
