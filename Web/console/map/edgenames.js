/** The names of the lines of longitude and latitude, shown along the edges of a map. */
import { degreesName, graticule, graticuleFeatures } from "./graticule.js";

export class EdgeNames {
    #map;
    #edges = document.createElement("div");

    /** @param {object} map MapLibre's map @param {HTMLElement} container the map's element */
    constructor(map, container) {
        this.#map = map;
        this.#edges.className = "graticule-names";
        this.#edges.setAttribute("aria-hidden", "true");
        container.append(this.#edges);
        map.on("move", () => this.draw());
        map.on("moveend", () => this.draw());
    }

    /** The lines of longitude and latitude that cross the view, as features. */
    lines() { return graticuleFeatures(this.#view()); }

    /** Places the names for the lines in the present view. */
    draw() {
        const { meridians, parallels, step } = graticule(this.#view());
        const centre = this.#map.getCenter();
        const names = [
            ...meridians.map((longitude) => {
                const { x } = this.#map.project([longitude, centre.lat]);
                return edgeName(degreesName(longitude, step, false), "left", x);
            }),
            ...parallels.map((latitude) => {
                const { y } = this.#map.project([centre.lng, latitude]);
                return edgeName(degreesName(latitude, step, true), "top", y);
            }),
        ];
        this.#edges.replaceChildren(...names);
    }

    #view() {
        const box = this.#map.getBounds();
        return {
            west: box.getWest(), south: box.getSouth(), east: box.getEast(), north: box.getNorth(),
            width: this.#map.getContainer().clientWidth,
        };
    }
}

function edgeName(text, side, offset) {
    const name = document.createElement("span");
    name.textContent = text;
    name.className = side === "left" ? "meridian" : "parallel";
    name.style[side] = `${Math.round(offset)}px`;
    return name;
}
