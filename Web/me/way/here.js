/**
 * Reads where the phone is for the way alone, if tracking does not. The place is neither stored nor sent. It is the
 * store's part `here`, a fix in the same form as the tracker's.
 */
import { radius95 } from "../tracking/filter.js";

export class Here {
    #store;
    #now;
    #geolocation;
    #watch;

    /**
     * @param {import("../../console/shared/store.js").Store} store
     * @param {() => number} now returns the server's time
     * @param {Geolocation} [geolocation] replaced in tests
     */
    constructor(store, now, geolocation = globalThis.navigator?.geolocation) {
        this.#store = store;
        this.#now = now;
        this.#geolocation = geolocation;
    }

    /** Starts to read the place; the browser may ask the person for permission. */
    begin() {
        if (this.#watch !== undefined) { return; }
        if (!this.#geolocation) { this.#store.set({ here: { isDenied: true } }); return; }
        this.#store.set({ here: { isAsked: true } });
        this.#watch = this.#geolocation.watchPosition(
            ({ coords }) => this.#store.set({ here: fixOf(coords, this.#now()) }),
            ({ code, PERMISSION_DENIED }) => {
                if (code !== PERMISSION_DENIED) { return; }
                this.end();
                this.#store.set({ here: { isDenied: true } });
            }, { enableHighAccuracy: true, maximumAge: 5000 });
    }

    end() {
        if (this.#watch !== undefined) { this.#geolocation.clearWatch(this.#watch); }
        this.#watch = undefined;
        this.#store.set({ here: undefined });
    }
}

/** Turns a browser's position, whose accuracy is the 95 % radius, into a fix that was sampled now. Pure. */
export function fixOf({ latitude, longitude, accuracy, speed, heading }, sampleTime) {
    return {
        latitude, longitude, accuracy: accuracy / radius95, sampleTime, isStale: false,
        ...(Number.isFinite(speed) ? { speed } : {}), ...(Number.isFinite(heading) ? { heading } : {}),
    };
}
