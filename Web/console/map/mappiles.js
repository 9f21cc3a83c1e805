/** The numbers beside people who are drawn on each other: worked out anew whenever the map or somebody moved. */
import { collected } from "./mapdata.js";
import { clusterZoom, shelteredZoom } from "./mapstyle.js";
import { pileFeatures, pilesOf } from "./piles.js";

/** With more people than this in sight the numbers would be no help, and take long. */
const mostInSight = 3000;

export class MapPiles {
    #map;
    #features;
    #report;
    #piles = [];
    #key = "";

    /**
     * @param {object} map MapLibre's
     * @param {(kind: "people"|"sheltered") => Iterable<object>} features the points that are drawn
     * @param {(piles: import("./piles.js").Pile[]) => void} report takes the piles in sight, where they are others
     */
    constructor(map, features, report) {
        this.#map = map;
        this.#features = features;
        this.#report = report;
        map.on("moveend", () => this.refresh());
    }

    /** The pile of a number on the map; undefined where it is none any more: the map may draw an older number. */
    named(key) { return this.#piles.find((pile) => pile.key === key); }

    /** The pile in which a person lies; undefined for a person who is drawn alone. */
    of(user) { return this.#piles.find(({ people }) => people.some((one) => one.user === user)); }

    refresh() {
        const source = this.#map.getSource("piles");
        if (!source) { return; }
        const inSight = this.#inSight();
        const piles = inSight.length > mostInSight ? [] : pilesOf(inSight, (place) => this.#map.project(place));
        const key = piles.map((pile) => `${pile.key} ${pile.place}`).join("\n\n");
        if (key === this.#key) { return; }
        const names = (each) => each.map((pile) => pile.key).join("\n\n");
        const isOther = names(piles) !== names(this.#piles);
        this.#key = key;
        this.#piles = piles;
        source.setData(collected(pileFeatures(piles)));
        if (isOther) { this.#report(piles); }
    }

    /** Who is drawn one by one in sight. Below these zooms a number stands for many anyway. */
    #inSight() {
        const zoom = this.#map.getZoom();
        if (zoom < clusterZoom + 1) { return []; }
        const bounds = this.#map.getBounds();
        const kinds = zoom < shelteredZoom ? ["people"] : ["people", "sheltered"];
        return kinds.flatMap((kind) => [...this.#features(kind)])
            .filter(({ geometry }) => bounds.contains(geometry.coordinates));
    }
}
