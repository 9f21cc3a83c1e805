/**
 * Signed-distance fields of letters, and the bytes in which MapLibre reads them.
 *
 * The distances are exact, by the two passes of P. Felzenszwalb and D. Huttenlocher, "Distance Transforms of Sampled
 * Functions", Theory of Computing 8 (2012), pages 415–428. How much of a pixel a letter covers says where within the
 * pixel its outline runs: an idea of V. Agafonkin's TinySDF.
 */

/** The height of the letters that MapLibre scales to each size, in pixels. */
export const fontSize = 24;

/** How many pixels a field reaches beyond its letter on each side, as MapLibre has it. */
export const border = 3;

/** The distance in pixels over which a field goes from 0 to 255, and the part of it that lies inside the letter. */
const radius = 8;
const inside = 0.25;

/** Stands for an infinite squared distance; finite, so that the difference of two is a number. */
const far = 1e20;

/**
 * The distance of each pixel to the outline: 191 on it, more inside and less outside.
 * @param {ArrayLike<number>} coverage how much of each pixel the letter covers, from 0 to 1, row by row
 * @param {number} width
 * @param {number} height
 * @returns {Uint8Array} of `width * height` distances
 */
export function signedDistances(coverage, width, height) {
    const outer = new Float64Array(width * height);
    const inner = new Float64Array(width * height);
    for (let pixel = 0; pixel < outer.length; pixel++) {
        const covered = coverage[pixel];
        // A pixel that is covered in part lies at the outline: half covered, the outline runs through its middle.
        const distance = 0.5 - covered;
        outer[pixel] = covered >= 1 ? 0 : covered <= 0 ? far : Math.max(0, distance) ** 2;
        inner[pixel] = covered >= 1 ? far : covered <= 0 ? 0 : Math.max(0, -distance) ** 2;
    }
    transform(outer, width, height);
    transform(inner, width, height);
    return Uint8Array.from(outer, (squared, pixel) => {
        const distance = Math.sqrt(squared) - Math.sqrt(inner[pixel]);
        return Math.max(0, Math.min(255, Math.round(255 - 255 * (distance / radius + inside))));
    });
}

/** Replaces each value by the least of (squared distance to another pixel + that pixel's value). */
function transform(grid, width, height) {
    const longest = Math.max(width, height);
    const line = {
        values: new Float64Array(longest), parabolas: new Int32Array(longest), starts: new Float64Array(longest + 1),
    };
    for (let x = 0; x < width; x++) { transformLine(grid, x, width, height, line); }
    for (let y = 0; y < height; y++) { transformLine(grid, y * width, 1, width, line); }
}

/** The same for one line: the lower envelope of the parabolas that stand on its values. */
function transformLine(grid, offset, stride, length, { values, parabolas, starts }) {
    for (let place = 0; place < length; place++) { values[place] = grid[offset + place * stride]; }
    let last = 0;
    parabolas[0] = 0;
    starts[0] = -Infinity;
    starts[1] = Infinity;
    for (let place = 1; place < length; place++) {
        let start = crossing(values, parabolas[last], place);
        while (start <= starts[last]) {
            last -= 1;
            start = crossing(values, parabolas[last], place);
        }
        last += 1;
        parabolas[last] = place;
        starts[last] = start;
        starts[last + 1] = Infinity;
    }
    for (let place = 0, lowest = 0; place < length; place++) {
        while (starts[lowest + 1] < place) { lowest += 1; }
        const foot = parabolas[lowest];
        grid[offset + place * stride] = values[foot] + (place - foot) ** 2;
    }
}

/** Where the parabola at `second` begins to lie below the one at `first`. */
function crossing(values, first, second) {
    return (values[second] + second * second - values[first] - first * first) / (2 * (second - first));
}

/**
 * The protocol buffer `glyphs` that MapLibre reads: one stack with one range.
 * https://github.com/mapbox/node-fontnik/blob/master/proto/glyphs.proto
 * @param {string} stack
 * @param {string} range
 * @param {{id: number, width: number, height: number, left: number, top: number, advance: number,
 *     bitmap?: Uint8Array}[]} glyphs widths and heights without the border, bitmaps with it
 * @returns {Uint8Array}
 */
export function encodeGlyphs(stack, range, glyphs) {
    const text = new TextEncoder();
    const parts = [field(1, text.encode(stack)), field(2, text.encode(range)),
        ...glyphs.map((glyph) => field(3, encodeGlyph(glyph)))];
    return joined([field(1, joined(parts))]);
}

function encodeGlyph({ id, width, height, left, top, advance, bitmap }) {
    const parts = [number(1, id)];
    if (bitmap) { parts.push(field(2, bitmap)); }
    parts.push(number(3, width), number(4, height), number(5, zigzag(left)), number(6, zigzag(top)),
        number(7, advance));
    return joined(parts);
}

function zigzag(value) {
    return value < 0 ? -2 * value - 1 : 2 * value;
}

function number(tag, value) {
    return Uint8Array.from([tag << 3, ...varint(value)]);
}

function field(tag, bytes) {
    return joined([Uint8Array.from([(tag << 3) | 2, ...varint(bytes.length)]), bytes]);
}

function varint(value) {
    const bytes = [];
    for (; value > 0x7f; value = Math.floor(value / 128)) { bytes.push((value & 0x7f) | 0x80); }
    return [...bytes, value];
}

function joined(parts) {
    const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
    let offset = 0;
    for (const part of parts) {
        whole.set(part, offset);
        offset += part.length;
    }
    return whole;
}
