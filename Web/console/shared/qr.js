/**
 * QR codes that hold bytes, of the smallest size in which they fit. Pure.
 *
 * Source: ISO/IEC 18004:2015; byte mode, versions 1 to 40, the levels L and M. The same rules as the program's own
 * (`Sources/MusterTerminal/QRCode`), and held against the same golden codes.
 */

/** @typedef {"L"|"M"} Level how much of a code may be unreadable: about 7 % at L, 15 % at M */
/** @typedef {{size: number, modules: Uint8Array}} Code modules row by row, 1 is dark; without the quiet zone */

/** The light modules that a camera needs around a code. */
export const quietZone = 4;

const formatBits = { L: 0b01, M: 0b00 };
const blockCorrection = {
    L: [7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28,
        28, 28, 30, 30, 26, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30],
    M: [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26,
        26, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28],
};
const blockCount = {
    L: [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8,
        8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19, 19, 20, 21, 22, 24, 25],
    M: [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16,
        17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31, 33, 35, 37, 38, 40, 43, 45, 47, 49],
};

/**
 * Encodes bytes in the smallest version in which level L holds them; at level M where that version holds them too.
 * @param {Uint8Array|string} content a text is encoded in UTF-8
 * @returns {Code|undefined} undefined for more than 2,953 bytes, which no code holds
 */
export function qrCode(content) {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    for (let version = 1; version <= 40; version += 1) {
        if (holds(bytes.length, version, "L")) {
            return drawn(bytes, version, holds(bytes.length, version, "M") ? "M" : "L");
        }
    }
    return undefined;
}

/**
 * Encodes bytes in a version that holds them at the level.
 * @param {number} [mask] of eight; without one, the mask that best avoids what misleads a camera
 * @returns {Code}
 */
export function drawn(bytes, version, level, mask) {
    const canvas = emptyCanvas(version);
    drawCodewords(canvas, codewords(bytes, version, level));
    const masks = mask === undefined ? [0, 1, 2, 3, 4, 5, 6, 7] : [mask];
    const choices = masks.map((each) => finished(canvas, level, each));
    const penalties = choices.length > 1 ? choices.map(penalty) : [0];
    return choices[penalties.indexOf(Math.min(...penalties))];
}

/** The dark modules of a code as the path of an SVG whose unit is a module, with the quiet zone. @param {Code} code */
export function qrPath({ size, modules }) {
    const parts = [];
    for (let row = 0; row < size; row += 1) {
        for (let column = 0; column < size; column += 1) {
            let length = 0;
            while (column + length < size && modules[row * size + column + length]) { length += 1; }
            if (length > 0) { parts.push(`M${column + quietZone} ${row + quietZone}h${length}v1h-${length}z`); }
            column += length;
        }
    }
    return parts.join("");
}

// The codewords

function layout(version, level) {
    const blocks = blockCount[level][version - 1];
    const correction = blockCorrection[level][version - 1];
    return { blocks, correction, data: Math.floor(dataModules(version) / 8) - blocks * correction };
}

/** The modules that are left for codewords beside the patterns. */
function dataModules(version) {
    const size = 17 + 4 * version;
    // Three finder patterns with separators and the format information, the timing patterns, the dark module.
    let taken = 3 * 64 + 31 + 2 * (size - 16);
    if (version > 1) {
        const positions = Math.floor(version / 7) + 2;
        // All crossings but three; those on a timing pattern share five modules with it.
        taken += (positions * positions - 3) * 25 - 2 * (positions - 2) * 5;
    }
    if (version >= 7) { taken += 36; }
    return size * size - taken;
}

const countBits = (version) => (version < 10 ? 8 : 16);

function holds(count, version, level) {
    return 4 + countBits(version) + 8 * count <= 8 * layout(version, level).data;
}

/** All codewords in the order in which they are drawn (7.6): the data in blocks, each with its error correction. */
function codewords(bytes, version, level) {
    const { blocks, correction, data } = layout(version, level);
    const words = dataWords(bytes, countBits(version), data);
    const generator = generatorOf(correction);
    const parts = [];
    for (let block = 0, start = 0; block < blocks; block += 1) {
        // The last blocks may have one more than the first.
        const length = Math.floor(data / blocks) + (block < blocks - data % blocks ? 0 : 1);
        parts.push(words.slice(start, start + length));
        start += length;
    }
    return [...interleaved(parts), ...interleaved(parts.map((part) => remainder(part, generator)))];
}

/** Mode, length, bytes, an end, and padding up to the number of codewords. */
function dataWords(bytes, lengthBits, count) {
    const bits = [];
    const append = (value, length) => {
        for (let bit = length - 1; bit >= 0; bit -= 1) { bits.push(value >> bit & 1); }
    };
    append(0b0100, 4);
    append(bytes.length, lengthBits);
    for (const byte of bytes) { append(byte, 8); }
    append(0, Math.min(4, 8 * count - bits.length));
    append(0, (8 - bits.length % 8) % 8);
    for (let pad = 0xEC; bits.length < 8 * count; pad ^= 0xEC ^ 0x11) { append(pad, 8); }
    const words = [];
    for (let start = 0; start < bits.length; start += 8) {
        words.push(bits.slice(start, start + 8).reduce((word, bit) => word << 1 | bit, 0));
    }
    return words;
}

/** The first of each block, then the second of each, and so on; longer blocks end the list. */
function interleaved(blocks) {
    const longest = Math.max(...blocks.map(({ length }) => length));
    const words = [];
    for (let place = 0; place < longest; place += 1) {
        for (const block of blocks) { if (place < block.length) { words.push(block[place]); } }
    }
    return words;
}

// Reed-Solomon, over the field of 256 elements with x⁸ + x⁴ + x³ + x² + 1

function product(left, right) {
    let [factor, rest, result] = [left, right, 0];
    while (rest !== 0) {
        if (rest & 1) { result ^= factor; }
        factor = factor << 1 ^ (factor & 0x80 ? 0x11D : 0);
        rest >>= 1;
    }
    return result;
}

/** The polynomial with the roots 2⁰, 2¹, … 2ⁿ⁻¹, from the highest power, without the leading 1. */
function generatorOf(degree) {
    let coefficients = [1];
    for (let power = 0, root = 1; power < degree; power += 1, root = product(root, 2)) {
        const next = [...coefficients, 0];
        coefficients.forEach((coefficient, index) => { next[index + 1] ^= product(coefficient, root); });
        coefficients = next;
    }
    return coefficients.slice(1);
}

/** The codewords for error correction: the remainder of the data, times xⁿ, divided by the generator. */
function remainder(data, generator) {
    const rest = new Array(generator.length).fill(0);
    for (const word of data) {
        const factor = word ^ rest.shift();
        rest.push(0);
        generator.forEach((coefficient, index) => { rest[index] ^= product(coefficient, factor); });
    }
    return rest;
}

// The modules

/** The patterns of a version. The format information is left light until `finished`. */
function emptyCanvas(version) {
    const size = 17 + 4 * version;
    const canvas = { version, size, modules: new Uint8Array(size * size), isPattern: new Uint8Array(size * size) };
    for (let place = 0; place < size; place += 1) {
        drawPattern(canvas, 6, place, place % 2 === 0);
        drawPattern(canvas, place, 6, place % 2 === 0);
    }
    for (const [row, column] of [[3, 3], [3, size - 4], [size - 4, 3]]) {
        drawSquares(canvas, row, column, 4, (distance) => distance !== 2 && distance !== 4);
    }
    const positions = alignmentPositions(version);
    const corners = new Set([`6 6`, `6 ${size - 7}`, `${size - 7} 6`]);
    for (const row of positions) {
        for (const column of positions) {
            if (!corners.has(`${row} ${column}`)) {
                drawSquares(canvas, row, column, 2, (distance) => distance !== 1);
            }
        }
    }
    drawFormat(canvas, 0);
    drawVersion(canvas);
    return canvas;
}

/** Rows and columns of the alignment patterns: the first at 6, the others evenly from the end (annex E). */
function alignmentPositions(version) {
    if (version === 1) { return []; }
    const [gaps, distance] = [Math.floor(version / 7) + 1, 4 * version + 4];
    // Evenly means the next even number; version 32 is the exception that the standard's table makes.
    const step = version === 32 ? 26 : Math.floor((distance + 2 * gaps - 1) / (2 * gaps)) * 2;
    return [6, ...Array.from({ length: gaps }, (_, index) => 6 + distance - (gaps - 1 - index) * step)];
}

function drawPattern(canvas, row, column, isDark) {
    const { size, modules, isPattern } = canvas;
    if (row < 0 || row >= size || column < 0 || column >= size) { return; }
    modules[row * size + column] = isDark ? 1 : 0;
    isPattern[row * size + column] = 1;
}

/** Squares around a centre; `isDark` tells by the distance from it. */
function drawSquares(canvas, row, column, radius, isDark) {
    for (let down = -radius; down <= radius; down += 1) {
        for (let right = -radius; right <= radius; right += 1) {
            drawPattern(canvas, row + down, column + right, isDark(Math.max(Math.abs(down), Math.abs(right))));
        }
    }
}

/** The fifteen bits of the format information in both places, and the dark module. */
function drawFormat(canvas, bits) {
    const { size } = canvas;
    for (let bit = 0; bit < 15; bit += 1) {
        const isDark = (bits >> bit & 1) === 1;
        // Around the first finder pattern, past the timing patterns.
        if (bit < 8) {
            drawPattern(canvas, bit < 6 ? bit : bit + 1, 8, isDark);
            drawPattern(canvas, 8, size - 1 - bit, isDark);
        } else {
            drawPattern(canvas, 8, bit === 8 ? 7 : 14 - bit, isDark);
            drawPattern(canvas, size - 15 + bit, 8, isDark);
        }
    }
    drawPattern(canvas, size - 8, 8, true);
}

/** The eighteen bits of the version in both places; versions below 7 have none. */
function drawVersion(canvas) {
    if (canvas.version < 7) { return; }
    const bits = coded(canvas.version, 0x1F25, 12);
    for (let bit = 0; bit < 18; bit += 1) {
        const [near, far] = [Math.floor(bit / 3), canvas.size - 11 + bit % 3];
        drawPattern(canvas, near, far, (bits >> bit & 1) === 1);
        drawPattern(canvas, far, near, (bits >> bit & 1) === 1);
    }
}

/** A number followed by the remainder of its shifted value divided by a polynomial (a BCH code). */
function coded(value, polynomial, checkBits) {
    const degree = 31 - Math.clz32(polynomial);
    let rest = value << checkBits;
    while (rest >> degree !== 0) { rest ^= polynomial << (31 - Math.clz32(rest) - degree); }
    return value << checkBits | rest;
}

/** Codewords in pairs of columns, from the right, upwards and downwards in turn; what is left over stays light. */
function drawCodewords({ size, modules, isPattern }, words) {
    let bit = 0;
    let goesUp = true;
    for (let pair = size - 1; pair > 0; pair -= 2) {
        // The column of the timing pattern belongs to no pair.
        const right = pair > 6 ? pair : pair - 1;
        for (let step = 0; step < size; step += 1) {
            const row = goesUp ? size - 1 - step : step;
            for (const place of [row * size + right, row * size + right - 1]) {
                if (isPattern[place] || bit >= 8 * words.length) { continue; }
                modules[place] = words[bit >> 3] >> (7 - bit % 8) & 1;
                bit += 1;
            }
        }
        goesUp = !goesUp;
    }
}

/** The code under a mask, with the format information that names it. */
function finished(canvas, level, mask) {
    const { size, isPattern } = canvas;
    const masked = { ...canvas, modules: canvas.modules.slice() };
    for (let row = 0; row < size; row += 1) {
        for (let column = 0; column < size; column += 1) {
            const place = row * size + column;
            if (!isPattern[place] && inverts[mask](row, column)) { masked.modules[place] ^= 1; }
        }
    }
    drawFormat({ ...masked, isPattern: isPattern.slice() },
        coded(formatBits[level] << 3 | mask, 0x537, 10) ^ 0x5412);
    return { size, modules: masked.modules };
}

/** Whether a mask inverts a module (table 10). */
const inverts = [
    (row, column) => (row + column) % 2 === 0,
    (row) => row % 2 === 0,
    (_, column) => column % 3 === 0,
    (row, column) => (row + column) % 3 === 0,
    (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
    (row, column) => row * column % 2 + row * column % 3 === 0,
    (row, column) => (row * column % 2 + row * column % 3) % 2 === 0,
    (row, column) => ((row + column) % 2 + row * column % 3) % 2 === 0,
];

/** How easily a camera misreads the code (7.8.3): runs, blocks, what resembles a finder pattern, too much of one. */
function penalty({ size, modules }) {
    let sum = 0;
    for (let line = 0; line < size; line += 1) {
        sum += linePenalty(modules, size, line * size, 1) + linePenalty(modules, size, line, size);
    }
    for (let row = 0; row < size - 1; row += 1) {
        for (let place = row * size; place < row * size + size - 1; place += 1) {
            const colour = modules[place];
            if (modules[place + 1] === colour && modules[place + size] === colour
                && modules[place + size + 1] === colour) { sum += 3; }
        }
    }
    const dark = modules.reduce((count, each) => count + each, 0);
    return sum + Math.floor(Math.abs(20 * dark - 10 * modules.length) / modules.length) * 10;
}

/** A finder pattern with the light margin after it, and before it, as bits of eleven modules. */
const finders = [0b10111010000, 0b00001011101];

function linePenalty(modules, size, start, step) {
    let [sum, run, window] = [0, 0, 0];
    for (let index = 0; index < size; index += 1) {
        const isDark = modules[start + index * step];
        run = index > 0 && modules[start + (index - 1) * step] === isDark ? run + 1 : 1;
        if (run === 5) { sum += 3; } else if (run > 5) { sum += 1; }
        window = (window << 1 | isDark) & 0x7FF;
        if (index >= 10 && finders.includes(window)) { sum += 40; }
    }
    return sum;
}
