/** Files of regions: what they are, and what the server found in them. Pure. */

/** The largest files that the server takes, in bytes. */
export const limits = Object.freeze({ geoJSON: 10_000_000, kml: 30_000_000 });
/** Programs give KML this type; GeoJSON has its own (RFC 7946). */
export const types = Object.freeze({ geoJSON: "application/geo+json", kml: "application/vnd.google-earth.kml+xml" });

/**
 * What a file is, and whether it can be sent.
 * @param {{name: string, size: number}} file
 * @param {string} head its first characters
 * @returns {{form: "geoJSON"|"kml"} | {fault: "empty"|"packed"|"unknown"|"tooLarge", limit?: number}}
 */
export function formOf({ name, size }, head) {
    if (size === 0) { return { fault: "empty" }; }
    if (/\.kmz$/i.test(name) || head.startsWith("PK")) { return { fault: "packed" }; }
    const text = head.replace(/^\uFEFF/, "").trimStart();
    // What it begins with says more than its name; a sequence of GeoJSON texts begins with a record separator.
    const form = text.startsWith("<") ? "kml" : /^[\u001e{[]/.test(text) ? "geoJSON"
        : /\.kml$/i.test(name) ? "kml" : /\.(geo)?json$/i.test(name) ? "geoJSON" : undefined;
    if (!form) { return { fault: "unknown" }; }
    return size > limits[form] ? { fault: "tooLarge", limit: limits[form] } : { form };
}

/**
 * @typedef {object} FileReport
 * @property {number} regions how many were read
 * @property {{where: string, line?: number, region?: string, detail: string, at?: number[]}[]} faults
 * @property {number} moreFaults how many are not listed
 * @property {object[]} features of what was read; may be fewer than `regions`
 * @property {number} replaced how many regions of these ids there are already
 * @property {string[]} replacedNames of those, as far as they are known
 * @property {object|undefined} skipped what has no area: {points, lines, links, others}
 */

/**
 * What the server said of a file.
 * @param {object} answer to a dry run, or the problem that it ended in, with `errors`
 * @param {Map<string, object>} regions those there are, by `collection/id`
 * @param {string} collection where they would go
 * @param {object[]} [own] the features of the file where the page could read it and the answer has none
 * @returns {FileReport}
 */
export function reportOf(answer, regions, collection, own = []) {
    const listed = answer.errors ?? answer.faults ?? [];
    const features = answer.features?.features ?? own;
    const there = features.map(({ id }) => regions.get(`${collection}/${id}`)).filter(Boolean);
    return {
        regions: answer.regions ?? answer.stored ?? 0,
        faults: listed.map(({ pointer, line, region, feature, detail, coordinate, coordinates }) => ({
            where: pointer ?? "", line, detail, at: coordinate ?? coordinates,
            region: region ?? nameIn(own[feature]),
        })),
        moreFaults: answer.moreFaults ?? 0,
        features,
        replaced: answer.replaced ?? there.length,
        replacedNames: there.map(({ name }) => name),
        skipped: answer.skipped,
    };
}

function nameIn(feature) {
    const name = feature?.properties?.name ?? feature?.id;
    return name === undefined ? undefined : String(name);
}
