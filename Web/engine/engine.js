/**
 * The engine: the server's own code as a WebAssembly module (docs/engine.md). It knows one phone and its regions. It
 * loads nothing until it is asked to, and needs the CSP's `'wasm-unsafe-eval'`.
 *
 *     const engine = await Engine.load();
 *     const collection = engine.putCollection();
 *     engine.put(1, { geometry, collection, isMuster: true });
 *     engine.review(now);
 *     engine.feed({ latitude, longitude, accuracy, sampleTime }, now);
 *     engine.presences();
 */

const moduleURL = new URL("./engine.wasm", import.meta.url);
const filters = ["none", "timeBased", "distanceBased", "accuracyBased"];
const modes = ["standard", "insideIsSafe", "insideIsDanger"];
const verdicts = ["accepted", "late", "filtered", "repeated"];
const kinds = ["enter", "exit", "dwell", "passed"];
const standings = ["unknown", "inside", "outside"];
const doubts = ["checking", "poorAccuracy", "stale"];
const states = ["unknown", "safe", "unsafe", "needsHelp", "sos", "offSite"];
const sources = ["silence", "region", "position", "ownDeclaration", "marked", "unlocated", "seemsToHaveLeft",
    "underReview", "checkInTimer"];

/** The compiled module, shared by all engines of the page; undefined before the first load, and after a failed one. */
let compiled;

/** @returns {Promise<WebAssembly.Module>} */
function compile(source) {
    if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) { return WebAssembly.compile(source); }
    compiled ??= compileFrom(source ?? fetch(moduleURL)).catch((error) => { compiled = undefined; throw error; });
    return compiled;
}

async function compileFrom(source) {
    const response = await source;
    if (!response.ok) { throw new Error(`engine.wasm: ${response.status}`); }
    // If a cache or a server does not name the media type, the module is compiled from its bytes.
    const isTyped = response.headers.get("content-type")?.startsWith("application/wasm");
    return isTyped ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/**
 * @typedef {object} RegionFeature a region as `GET /regions` returns it
 * @property {string} [id]
 * @property {object} geometry GeoJSON's Polygon, MultiPolygon, or a Point with `properties.radius`
 * @property {object} properties `collection`, `policy` ("confident" unless it says "raw"), `muster`, `mode`, `dwell`,
 *   `exitDelay`, `name`
 *
 * @typedef {object} Fix
 * @property {number} latitude
 * @property {number} longitude
 * @property {number} [accuracy] metres, the radius of 68 %
 * @property {number} [speed] metres a second, as the receiver measured it
 * @property {number} sampleTime milliseconds since 1970
 *
 * @typedef {object} Crossing
 * @property {"enter"|"exit"|"dwell"|"passed"} kind
 * @property {number} region the region's number
 * @property {number} time milliseconds since 1970; for a delayed exit, the time of the first fix outside
 * @property {number} [insidePercent] absent under the raw policy
 *
 * @typedef {object} Presence
 * @property {number} region the region's number
 * @property {"inside"|"outside"|"unknown"} standing
 * @property {boolean} isInside
 * @property {number} [probability] 0 to 1; absent under the raw policy, and while the engine checks fixes
 * @property {number} [insidePercent] the probability in per cent, rounded as the server does
 * @property {"checking"|"poorAccuracy"|"stale"} [doubt]
 * @property {number} since milliseconds since 1970
 */

/** One phone, its regions, and what the server would decide about it. */
export class Engine {
    #exports;
    #lastCollection = 0;

    /**
     * Makes an engine with memory of its own. The module is compiled once for the page.
     * @param {BufferSource | Response | Promise<Response>} [source] the module's bytes, or the response that has them;
     *     by default the file engine.wasm beside this one
     * @throws when the module cannot be fetched or compiled; the next call tries again
     */
    static async load(source) {
        const { exports } = await WebAssembly.instantiate(await compile(source), {});
        return new Engine(exports);
    }

    constructor(exports) { this.#exports = exports; }

    // Regions

    /** Sets the tracker's position filter, and the silence after which a person's safety counts as unknown. */
    setTeam({ filter = "none", silenceSeconds = 1200, worksAtZero = false } = {}) {
        this.#exports.setTeam(Math.max(0, filters.indexOf(filter)), silenceSeconds, worksAtZero ? 1 : 0);
    }

    /** Adds a collection of regions that the phone's tracker is linked to. @returns {number} the collection's number */
    putCollection({ number = this.#lastCollection + 1, isRaw = false } = {}) {
        this.#lastCollection = Math.max(this.#lastCollection, number);
        this.#exports.putCollection(number, isRaw ? 1 : 0);
        return number;
    }

    /**
     * Adds a region, or replaces the one with this number. Call `review` after the last change.
     * @param {number} id the region's number, 1 or more
     * @param {object} region
     * @param {object} region.geometry GeoJSON's Polygon or MultiPolygon, or a Point with a radius
     * @param {number} [region.radius] metres
     * @param {number} region.collection the number that `putCollection` returned
     * @param {boolean} [region.isMuster]
     * @param {string} [region.mode]
     * @param {number} [region.dwell] seconds
     * @param {number} [region.exitDelay] seconds
     * @returns {boolean} false if the server would refuse the shape; the region is then not put
     */
    put(id, { geometry, radius, collection, isMuster = false, mode, dwell, exitDelay = 0 }) {
        const kind = 2 * (modes.indexOf(mode) + 1) + (isMuster ? 1 : 0);
        const rule = [id, collection, kind, dwell ?? NaN, exitDelay];
        if (geometry?.type === "Point") {
            const [longitude, latitude] = geometry.coordinates;
            return this.#exports.putCircle(...rule, longitude, latitude, radius ?? NaN) === 0;
        }
        const polygons = geometry?.type === "Polygon" ? [geometry.coordinates]
            : geometry?.type === "MultiPolygon" ? geometry.coordinates : [];
        const rings = polygons.flat();
        const positions = new Float64Array(2 * rings.reduce((sum, ring) => sum + ring.length, 0));
        let at = 0;
        for (const ring of rings) {
            for (const position of ring) { positions[at++] = position[0]; positions[at++] = position[1]; }
        }
        const blocks = [
            positions, Int32Array.from(rings, (ring) => ring.length),
            Int32Array.from(polygons, (polygon) => polygon.length),
        ].map((values) => this.#copy(values));
        try {
            return this.#exports.putPolygons(...rule, ...blocks, polygons.length) === 0;
        } finally {
            for (const block of blocks) { this.#exports.free(block); }
        }
    }

    /** Removes the region with this number. Call `review` after the last change. */
    remove(id) { this.#exports.removeRegion(id); }

    /** Decides again everything that changes of regions may have affected. */
    review(now) { this.#exports.review(now); }

    /** Makes queries fast after many changes, at about a microsecond per vertex. The results stay the same. */
    rebuild() { this.#exports.rebuild(); }

    /** The numbers of the regions that contain a place, ascending; a place on a boundary is inside. */
    containing({ latitude, longitude }) {
        const count = this.#exports.find(longitude, latitude);
        if (count < 0) { throw new RangeError("not on the globe"); }
        return count > 0 ? [...new Int32Array(this.#exports.memory.buffer, this.#exports.foundRegions(), count)] : [];
    }

    /** Metres from a place to a region's boundary, positive inside; NaN for a region that the engine does not have. */
    boundaryDistance(id, { latitude, longitude }) { return this.#exports.boundaryDistance(id, longitude, latitude); }

    // Fixes

    /**
     * Decides a fix as the server does when it receives the fix.
     * @param {Fix} fix
     * @param {number} now the server's time, milliseconds since 1970
     * @returns {{verdict: "accepted"|"late"|"filtered"|"repeated", crossings: Crossing[]}}
     * @throws {RangeError} if the place is not on the globe, or a time is not valid
     */
    feed({ latitude, longitude, accuracy, speed, sampleTime }, now = sampleTime) {
        const verdict = this.#exports.feed(longitude, latitude, accuracy ?? NaN, speed ?? NaN, sampleTime, now);
        if (verdict < 0) { throw new RangeError("not on the globe, or no time"); }
        return { verdict: verdicts[verdict], crossings: this.#crossings() };
    }

    /** Decides what follows from the passing of time alone. @returns {Crossing[]} the exits whose delay has ended */
    sweep(now) {
        this.#exports.sweep(now);
        return this.#crossings();
    }

    /** @returns {Presence[]} the regions near the phone, in order; the phone is certainly outside all others */
    presences() {
        this.#exports.presences();
        return records(this.answer(), 7).map(([region, standing, probability, percent, doubt, since]) => ({
            region, standing: standings[standing], isInside: standings[standing] === "inside",
            probability: known(probability), insidePercent: known(percent), doubt: doubts[doubt], since,
        }));
    }

    /** The person's safety, judged by this phone alone. */
    safety() {
        this.#exports.safety();
        const [state, source, region, doubt, since] = this.answer();
        return {
            state: states[state], source: sources[source], region: known(region), doubt: doubts[doubt], since,
        };
    }

    /** The estimated place of the phone; undefined before the first fix. */
    estimate() {
        this.#exports.estimate();
        const [longitude, latitude, deviationMetres, isSettled, isChecking] = this.answer();
        if (longitude === undefined) { return undefined; }
        return {
            latitude, longitude, deviationMetres, isSettled: isSettled === 1, isChecking: isChecking === 1,
        };
    }

    /** The numbers that the module returned for the last call. @returns {Float64Array} a copy */
    answer() {
        const count = this.#exports.answerCount();
        return count === 0 ? new Float64Array()
            : new Float64Array(this.#exports.memory.buffer, this.#exports.answer(), count).slice();
    }

    // Geodesics on WGS-84, exact to nanometres; [longitude, latitude] as in GeoJSON

    /** The length in metres and the bearings of the shortest line; bearings clockwise from north, 0 to below 360. */
    way([longitude, latitude], [otherLongitude, otherLatitude]) {
        const metres = this.#exports.inverse(longitude, latitude, otherLongitude, otherLatitude);
        if (Number.isNaN(metres)) { throw new RangeError("not on the globe"); }
        const [initial, final] = this.answer();
        return { distanceMetres: metres, bearingDegrees: turned(initial), finalBearingDegrees: turned(final) };
    }

    /**
     * The point at a distance and bearing from another.
     * @returns {number[]} [longitude, latitude], longitude −180 to 180
     */
    destination([longitude, latitude], bearingDegrees, distanceMetres) {
        if (this.#exports.direct(longitude, latitude, bearingDegrees, distanceMetres) !== 0) {
            throw new RangeError("not on the globe");
        }
        return [...this.answer().subarray(0, 2)];
    }

    /** The module's exports, for tests. */
    get exports() { return this.#exports; }

    #crossings() {
        return records(this.answer(), 6).filter(([kind]) => kind < kinds.length).map(([kind, region, time, percent]) =>
            ({ kind: kinds[kind], region, time, insidePercent: known(percent) }));
    }

    /** Copies numbers into a new block of the module's memory; returns the block's address. */
    #copy(values) {
        const block = this.#exports.malloc(Math.max(1, values.byteLength));
        if (!block) { throw new RangeError("out of memory"); }
        new values.constructor(this.#exports.memory.buffer, block, values.length).set(values);
        return block;
    }
}

function known(number) {
    return number < 0 ? undefined : number;
}

function turned(bearing) {
    const degrees = bearing < 0 ? bearing + 360 : bearing;
    return degrees < 360 ? degrees : 0;
}

function records(numbers, length) {
    const found = [];
    for (let at = 0; at + length <= numbers.length; at += length) {
        found.push([...numbers.subarray(at, at + length)]);
    }
    return found;
}
