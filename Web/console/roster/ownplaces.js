/** The server's own places, as documents of `lt_places`: read once, and after a failure not again at each search. */
import { Problem } from "../shared/http.js";

/** As many places are read: the database may have millions. */
const limit = 2000;
/** So long after a failure they are asked for again; twice as long after each further one, up to the longest. */
const firstDelayMs = 30_000;
const longestDelayMs = 900_000;

/** @typedef {{places: import("./placesearch.js").Place[], isCut: boolean}} Found `isCut`: the server has more */

/**
 * The documents of an answer as places; those without a name or a point are left out. Pure.
 * @param {{rows?: object[], total_rows?: number}} answer
 * @returns {Found}
 */
export function placesOfDocuments({ rows = [], total_rows: total = 0 }) {
    const places = rows.flatMap(({ id, doc }) => {
        const { name, geometry, properties } = doc ?? {};
        const called = [name, properties?.name].find((each) => typeof each === "string" && each.trim() !== "");
        const [longitude, latitude] = geometry?.type === "Point" ? geometry.coordinates : [];
        const isPlace = called !== undefined && Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90;
        return isPlace ? [{ kind: "own", id, name: called, place: [longitude, latitude] }] : [];
    });
    return { places, isCut: total > rows.length };
}

export class OwnPlaces {
    #request;
    #now;
    #reading;
    #isRead = false;
    #delayMs = firstDelayMs;
    #nextMs = -Infinity;

    /** What is known; no places before they were read, and where the server has none. @type {Found} */
    found = Object.freeze({ places: [], isCut: false });

    /**
     * @param {{request: (path: string) => Promise<Response>, now?: () => number}} options `now` is replaced in tests
     */
    constructor({ request, now = () => performance.now() }) {
        this.#request = request;
        this.#now = now;
    }

    /** Reads them where that is due. @returns {Promise<Found>} what is known then */
    async read() {
        if (!this.#isRead && this.#now() >= this.#nextMs) {
            this.#reading ??= this.#readNow().finally(() => { this.#reading = undefined; });
        }
        await this.#reading;
        return this.found;
    }

    async #readNow() {
        try {
            const response = await this.#request(
                `../../couchdb/lt_places/_all_docs?include_docs=true&limit=${limit}`);
            this.found = placesOfDocuments(await response.json());
            this.#isRead = true;
        } catch (error) {
            // A server without that database, or one that does not show it to this user, has none.
            this.#isRead = error instanceof Problem && [403, 404].includes(error.status);
            this.#nextMs = this.#now() + this.#delayMs;
            this.#delayMs = Math.min(longestDelayMs, this.#delayMs * 2);
        }
    }
}
