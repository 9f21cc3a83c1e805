/** Which track is selected, and how it grows: read from the history, and followed by the feed. */
import { emptyTrack, withChanges, withHistory } from "./track.js";
import { loadTrack } from "./trackhistory.js";

/**
 * @typedef {object} SelectedTrack
 * @property {string} user whose it is
 * @property {string[]} devices all of theirs to choose from
 * @property {import("./track.js").Track} track
 * @property {number} choice another number for each that somebody chose: the map shows the whole of each once
 */

export class TrackFollower {
    #get;
    #newestMs;
    #report;
    /** @type {SelectedTrack | undefined} */
    #selected;
    /** Counts what was asked for, so that an answer that comes too late is dropped. */
    #asked = 0;
    #choice = 0;

    /**
     * @param {object} options
     * @param {(path: string) => Promise<object>} options.get answers the JSON of an API path
     * @param {(user: string, device: string) => number} options.newestMs when the latest position of a device was
     *     sampled
     * @param {(selected: SelectedTrack | undefined) => void} options.report called when something else is to be shown
     */
    constructor({ get, newestMs, report }) {
        this.#get = get;
        this.#newestMs = newestMs;
        this.#report = report;
    }

    /** Selects a person's device. @param {string} device `ann/phone` @param {string[]} devices all of theirs */
    select(user, device, devices) {
        const span = this.#selected?.user === user ? this.#selected.track.span : undefined;
        this.#show({ user, devices, track: emptyTrack(device, span), choice: ++this.#choice });
        this.refresh();
    }

    /** Chooses another device or span of the same person. */
    choose({ device = this.#selected?.track.device, span = this.#selected?.track.span }) {
        if (!this.#selected) { return; }
        this.#show({ ...this.#selected, track: emptyTrack(device, span), choice: ++this.#choice });
        this.refresh();
    }

    /** Shows no track any more. */
    close() {
        this.#asked += 1;
        if (this.#selected) { this.#show(undefined); }
    }

    /** Takes what the live feed tells. */
    take(changes) {
        if (!this.#selected) { return; }
        const track = withChanges(this.#selected.track, changes);
        if (track !== this.#selected.track) { this.#show({ ...this.#selected, track }); }
    }

    /** Reads the history once more, since the live feed may have missed something; what is there stays meanwhile. */
    async refresh() {
        if (!this.#selected) { return; }
        this.#asked += 1;
        const mine = this.#asked;
        const { user, track: { device } } = this.#selected;
        try {
            const history = await loadTrack(this.#get, this.#selected.track, this.#newestMs(user, device));
            if (mine !== this.#asked) { return; }
            this.#show({ ...this.#selected, track: withHistory(this.#selected.track, history) });
        } catch {
            if (mine !== this.#asked) { return; }
            this.#show({ ...this.#selected, track: { ...this.#selected.track, hasFailed: true } });
        }
    }

    /** Reads what could not be read. */
    retry() {
        if (this.#selected?.track.hasFailed) { this.refresh(); }
    }

    #show(selected) {
        this.#selected = selected;
        this.#report(selected);
    }
}
