/**
 * One source of the map whose features come and go by the hundred: it is given the differences alone, the next ones
 * once the map has taken those before. MapLibre drops a difference that overtakes another.
 */

/** A difference that the map has not taken after this long, because its worker failed, holds up the next no longer. */
const takenLimitMs = 2000;

export class MapSource {
    #map;
    #name;
    #key;
    #schedule;
    #add = new Map();
    #remove = new Set();
    #isBusy = false;

    /**
     * @param {object} map MapLibre's
     * @param {string} name of a GeoJSON source
     * @param {object} [options]
     * @param {string} [options.key] the property that names a feature, the source's `promoteId`
     * @param {(act: () => void, ms: number) => void} [options.schedule] replaced in tests
     */
    constructor(map, name, { key = "device", schedule = (act, ms) => { setTimeout(act, ms); } } = {}) {
        this.#map = map;
        this.#name = name;
        this.#key = key;
        this.#schedule = schedule;
        map.on("data", ({ sourceId, sourceDataType }) => {
            if (sourceId === name && sourceDataType === "content") { this.#taken(); }
        });
    }

    /** @param {{add: object[], remove: string[]}} difference */
    apply({ add, remove }) {
        for (const id of remove) { this.#add.delete(id); this.#remove.add(id); }
        for (const feature of add) { this.#add.set(feature.properties[this.#key], feature); }
        this.#send();
    }

    #send() {
        if (this.#isBusy || (this.#add.size === 0 && this.#remove.size === 0)) { return; }
        const source = this.#map.getSource(this.#name);
        if (!source) { return; }
        this.#isBusy = true;
        const difference = { remove: [...this.#remove], add: [...this.#add.values()] };
        this.#add = new Map();
        this.#remove = new Set();
        source.updateData(difference);
        const sent = {};
        this.#sent = sent;
        this.#schedule(() => { if (this.#sent === sent) { this.#taken(); } }, takenLimitMs);
    }

    #sent;

    #taken() {
        if (!this.#isBusy) { return; }
        this.#isBusy = false;
        this.#sent = undefined;
        this.#send();
    }
}
