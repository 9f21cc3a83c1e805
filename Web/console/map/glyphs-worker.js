/** Draws ranges of glyphs for `glyphs.js`, beside the page's own thread. */
import { border, encodeGlyphs, fontSize, signedDistances } from "./glyphs-field.js";

/** How many pixels a letter may reach beyond its line on each side: marks above capitals, long tails. */
const reach = 2 * fontSize;

/**
 * Where MapLibre has the top of a line of text above its base line: its own letters, which fonts of a server brought,
 * have an ascender of about this height.
 */
const ascender = 26;

/** What has no picture of its own: controls, surrogates, private and unassigned characters. */
const unprintable = /[\p{C}\p{Z}]/u;

let canvas;

addEventListener("message", ({ data: { request, isBold, first, last, fontFamily } }) => {
    try {
        const glyphs = drawRange(first, last, `${isBold ? "bold " : ""}${fontSize}px ${fontFamily}`);
        const bytes = encodeGlyphs(isBold ? "bold" : "regular", `${first}-${last}`, glyphs);
        postMessage({ request, glyphs: bytes.buffer }, [bytes.buffer]);
    } catch (error) {
        postMessage({ request, failure: `The map’s letters cannot be drawn here: ${error.message}.` });
    }
});

function drawRange(first, last, font) {
    canvas ??= new OffscreenCanvas(2 * reach, 2 * reach).getContext("2d", { willReadFrequently: true });
    canvas.font = font;
    canvas.textBaseline = "alphabetic";
    const glyphs = [];
    for (let id = first; id <= last; id++) {
        const letter = String.fromCodePoint(id);
        if (letter === " " || letter === "\u00a0") {
            glyphs.push(space(id, canvas.measureText(letter).width));
        } else if (!unprintable.test(letter)) {
            glyphs.push(draw(id, letter));
        }
    }
    return glyphs;
}

function space(id, advance) {
    return { id, width: 0, height: 0, left: 0, top: 0, advance: Math.round(advance) };
}

function draw(id, letter) {
    const size = canvas.measureText(letter);
    const left = Math.max(-reach / 2, Math.floor(-size.actualBoundingBoxLeft));
    const right = Math.min(reach, Math.ceil(size.actualBoundingBoxRight));
    const above = Math.min(reach, Math.ceil(size.actualBoundingBoxAscent));
    const below = Math.min(reach, Math.ceil(size.actualBoundingBoxDescent));
    const [width, height] = [right - left, above + below];
    if (width <= 0 || height <= 0) { return space(id, size.width); }
    canvas.clearRect(0, 0, canvas.canvas.width, canvas.canvas.height);
    canvas.fillText(letter, border - left, border + above);
    const whole = [width + 2 * border, height + 2 * border];
    const { data } = canvas.getImageData(0, 0, ...whole);
    const coverage = Float64Array.from({ length: whole[0] * whole[1] }, (_, pixel) => data[pixel * 4 + 3] / 255);
    return {
        id, width, height, left, top: above - ascender, advance: Math.round(size.width),
        bitmap: signedDistances(coverage, ...whole),
    };
}
