/** The towns whose names the map's ground has, in the tiles that are here. */

/** The layers of a ground that have towns, in the schemas that the page draws. */
const townLayers = ["places", "place"];
/** What is no town: it has no one place. */
const wideKinds = new Set(["country", "state", "continent", "region", "province"]);

/** @param {object} map MapLibre's @returns {import("../roster/placesearch.js").Place[]} */
export function townsOf(map) {
    const vector = Object.entries(map.getStyle()?.sources ?? {}).filter(([, { type }]) => type === "vector");
    return vector.flatMap(([source]) => townLayers.flatMap((sourceLayer) => (
        map.querySourceFeatures(source, { sourceLayer }).map(townOf).filter(Boolean))));
}

/** A feature of a ground as a place; undefined for what is no town, or has no name. Pure. */
export function townOf({ geometry, properties }) {
    const { name, kind, class: sort, ...others } = properties;
    if (geometry.type !== "Point" || !name || wideKinds.has(kind ?? sort)) { return undefined; }
    const names = Object.entries(others).filter(([key, value]) => /^name[:_]/.test(key) && typeof value === "string");
    return { kind: "town", name, names: names.map(([, value]) => value), place: geometry.coordinates };
}
