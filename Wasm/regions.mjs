/** The region index as a WebAssembly module: the server's own code, for a browser or Node. `make wasm` builds it. */

/** The IEEE remainder: x − n·y, n the integer nearest to x/y, and the even one of two. Exact. */
function remainder(x, y) {
    const divisor = Math.abs(y);
    let rest = Math.abs(x) % (2 * divisor);
    if (2 * rest > divisor) {
        rest -= divisor;
        if (2 * rest >= divisor) { rest -= divisor; }
    }
    return x < 0 ? -rest : rest;
}

/** Regions, and which of them hold a place. A region is GeoJSON's Polygon or MultiPolygon, or a geodesic circle. */
export class Regions {
    #exports;

    /** From the bytes of the module. */
    static async load(bytes) {
        const { sin, cos, atan2, cbrt } = Math;
        const { instance } = await WebAssembly.instantiate(bytes, { env: { sin, cos, atan2, cbrt, remainder } });
        return new Regions(instance.exports);
    }

    constructor(exports) { this.#exports = exports; }

    /** Puts a Polygon or MultiPolygon under a number; false when it is not valid. */
    put(id, geometry) {
        const polygons = geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates;
        const rings = polygons.flat();
        const positions = Float64Array.from(rings.flat().flatMap(([longitude, latitude]) => [longitude, latitude]));
        const blocks = [
            positions, Int32Array.from(rings, (ring) => ring.length),
            Int32Array.from(polygons, (polygon) => polygon.length),
        ].map((values) => this.#copy(values));
        try {
            return this.#exports.putPolygons(id, ...blocks, polygons.length) === 0;
        } finally {
            for (const block of blocks) { this.#exports.free(block); }
        }
    }

    /** Puts a circle under a number; false when it is not valid. */
    putCircle(id, longitude, latitude, radiusMetres) {
        return this.#exports.putCircle(id, longitude, latitude, radiusMetres) === 0;
    }

    /** Removes the region with a number. */
    remove(id) { this.#exports.remove(id); }

    /** Makes questions quick again after many changes; the answers stay the same. */
    rebuild() { this.#exports.rebuild(); }

    /** The numbers of the regions that hold a place, ascending; a place on a boundary is inside. */
    containing(longitude, latitude) {
        const count = this.#exports.find(longitude, latitude);
        if (count < 0) { throw new RangeError("not on the globe"); }
        return count ? [...new Int32Array(this.#exports.memory.buffer, this.#exports.foundRegions(), count)] : [];
    }

    /** Metres on the WGS-84 ellipsoid. */
    distance(longitude, latitude, otherLongitude, otherLatitude) {
        return this.#exports.distance(longitude, latitude, otherLongitude, otherLatitude);
    }

    /** A block of the module's memory with these numbers. */
    #copy(values) {
        const block = this.#exports.malloc(Math.max(1, values.byteLength));
        if (!block) { throw new RangeError("out of memory"); }
        new values.constructor(this.#exports.memory.buffer, block, values.length).set(values);
        return block;
    }
}
