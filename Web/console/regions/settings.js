/** What is set of a region besides its shape: as a form has it, and as the server has it. Pure. */
import { geometryOf, shapeOf } from "./shape.js";

/** The longest dwell and exit delay that the server takes: 30 days. */
export const longestSeconds = 2_592_000;
export const modes = ["standard", "insideIsSafe", "insideIsDanger"];
export const proximities = ["immediate", "near", "far"];
/** The properties that fields of the form stand for; others stay as they are. */
const known = ["name", "muster", "crossingMode", "dwell", "exitDelay", "radius", "beacon"];

/**
 * @typedef {object} Settings the texts of a form
 * @property {string} name
 * @property {boolean} muster
 * @property {string} mode empty for what the server takes by itself
 * @property {string} dwell seconds
 * @property {string} exitDelay seconds
 * @property {"none"|"beacon"|"scanner"} evidence what decides who is inside: positions, a beacon, a scanner
 * @property {string} uuid
 * @property {string} major
 * @property {string} minor
 * @property {string} scanner user/device
 * @property {string} proximity
 * @property {boolean|undefined} room undefined for what the server takes by itself
 * @property {object} others properties that no field stands for
 */

/** @returns {Settings} of a Feature's properties */
export function settingsOf(properties = {}) {
    const text = (value) => (value === undefined || value === null ? "" : String(value));
    const beacon = properties.beacon ?? {};
    return {
        name: text(properties.name), muster: properties.muster === true, mode: text(properties.crossingMode),
        dwell: text(properties.dwell), exitDelay: text(properties.exitDelay),
        evidence: beacon.scanner !== undefined ? "scanner" : beacon.uuid !== undefined ? "beacon" : "none",
        uuid: text(beacon.uuid), major: text(beacon.major), minor: text(beacon.minor), scanner: text(beacon.scanner),
        proximity: text(beacon.proximity) || "far", room: beacon.room,
        others: Object.fromEntries(Object.entries(properties).filter(([key]) => !known.includes(key))),
    };
}

/**
 * The settings of a Feature as the server has it. A region that a rule alone makes an assembly point is none by its own
 * setting: saved as one, it would stay one without the rule.
 */
export function settingsOfFeature({ properties, musterByRule }) {
    const settings = settingsOf(properties ?? {});
    return musterByRule === true ? { ...settings, muster: false } : settings;
}

/** A number that somebody typed; undefined for an empty text, and the text itself where it is no number. */
function typedNumber(text) {
    const plain = text.trim();
    if (plain === "") { return undefined; }
    const number = Number(plain.replace(",", "."));
    return Number.isNaN(number) ? plain : number;
}

/**
 * The GeoJSON Feature of an edit.
 * @param {string|undefined} id
 * @param {import("./shape.js").Shape} shape
 * @param {Settings} settings
 */
export function featureOf(id, shape, settings) {
    const { name, muster, mode, others } = settings;
    const beacon = beaconOf(settings);
    const given = {
        name: name.trim() || undefined, muster, crossingMode: mode || undefined,
        dwell: typedNumber(settings.dwell), exitDelay: typedNumber(settings.exitDelay),
        radius: shape.kind === "circle" ? shape.radius : undefined, beacon,
    };
    const properties = { ...others };
    for (const [key, value] of Object.entries(given)) { if (value !== undefined) { properties[key] = value; } }
    return { type: "Feature", ...(id ? { id } : {}), geometry: geometryOf(shape), properties };
}

function beaconOf({ evidence, uuid, major, minor, scanner, proximity, room }) {
    if (evidence === "none") { return undefined; }
    const source = evidence === "scanner" ? { scanner: scanner.trim() }
        : { uuid: uuid.trim(), major: typedNumber(major), minor: typedNumber(minor) };
    return { ...source, ...(proximity === "far" ? {} : { proximity }), ...(room === undefined ? {} : { room }) };
}

/** The shape of a Feature. */
export function shapeOfFeature({ geometry, properties }) {
    return shapeOf(geometry, properties?.radius);
}

/** An id for a new region: of its name, where that has letters or digits that an address shows as they are. */
export function idFor(name, isTaken) {
    const plain = name.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase()
        .replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60);
    const start = plain || "region";
    for (let number = plain ? 1 : 2; ; number += 1) {
        const id = number === 1 ? start : `${start}-${number}`;
        if (!isTaken(id)) { return id; }
    }
}

/** Whether two Features mean the same region. Rings may begin elsewhere and run the other way round. */
export function isSameRegion(left, right) {
    return JSON.stringify(canonical(left)) === JSON.stringify(canonical(right));
}

function canonical({ geometry, properties, musterByRule }) {
    const settings = settingsOfFeature({ properties, musterByRule });
    return [
        geometry?.type === "Point" ? [geometry.coordinates.slice(0, 2), Number(properties?.radius)]
            : geometry ? { type: geometry.type, coordinates: polygonsOf(geometry).map((rings) => rings.map(turned)) }
                : null,
        sorted({ ...settings, uuid: settings.uuid.toLowerCase(), exitDelay: Number(settings.exitDelay) || 0 }),
    ];
}

function polygonsOf({ type, coordinates }) {
    return type === "Polygon" ? [coordinates] : coordinates;
}

/** A ring from its smallest vertex on, towards the smaller neighbour. */
function turned(ring) {
    const open = ring.slice(0, -1).map(([longitude, latitude]) => [longitude, latitude]);
    const isLess = (left, right) => left[0] < right[0] || (left[0] === right[0] && left[1] < right[1]);
    let start = 0;
    for (let index = 1; index < open.length; index += 1) { if (isLess(open[index], open[start])) { start = index; } }
    const forwards = [...open.slice(start), ...open.slice(0, start)];
    const backwards = [forwards[0], ...forwards.slice(1).reverse()];
    return forwards.length > 1 && isLess(backwards[1], forwards[1]) ? backwards : forwards;
}

function sorted(value) {
    if (Array.isArray(value) || typeof value !== "object" || value === null) { return value; }
    return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
}
