/**
 * A style of MapLibre from elsewhere, which the operator chose, made fit to lie beneath the page's own layers: its
 * labels are drawn from the page's fonts, so that no server of fonts is needed, and its addresses are whole.
 */
import { glyphsURL } from "./glyphs.js";

/** The time after which that server counts as frozen. No map waits so long: see `ground.js`. */
const answerLimitMs = 60_000;

/**
 * Loads a style.
 * @param {string} address absolute
 * @returns {Promise<object | undefined>} undefined where that server does not answer, or with something else
 */
export async function loadForeignStyle(address) {
    try {
        const response = await fetch(address, { credentials: "omit", signal: AbortSignal.timeout?.(answerLimitMs) });
        return response.ok ? adoptStyle(await response.json(), address) : undefined;
    } catch {
        return undefined;
    }
}

/** The style as the page uses it; undefined for what is none. Pure. @param {string} address where the style lies */
export function adoptStyle(style, address) {
    if (style?.version !== 8 || !Array.isArray(style.layers) || typeof style.sources !== "object") { return undefined; }
    const sources = Object.fromEntries(Object.entries(style.sources).map(([name, source]) => [name, {
        ...source,
        ...(typeof source.url === "string" ? { url: whole(source.url, address) } : {}),
        ...(Array.isArray(source.tiles) ? { tiles: source.tiles.map((tile) => whole(tile, address)) } : {}),
        ...(typeof source.data === "string" ? { data: whole(source.data, address) } : {}),
    }]));
    const { sprite } = style;
    return {
        version: 8, glyphs: glyphsURL, sources,
        ...(typeof sprite === "string" ? { sprite: whole(sprite, address) } : {}),
        layers: style.layers.map(withOwnFont),
    };
}

/** A layer whose labels are of the page's font: bold where the style's is. */
function withOwnFont(layer) {
    if (layer.type !== "symbol" || !layer.layout?.["text-field"]) { return layer; }
    const isBold = /bold|black|heavy/i.test(JSON.stringify(layer.layout["text-font"] ?? ""));
    return { ...layer, layout: { ...layer.layout, "text-font": [isBold ? "bold" : "regular"] } };
}

/** An address below the style's; braces stay as they are, which `URL` would escape. */
function whole(text, address) {
    return new URL(text, address).href.replaceAll("%7B", "{").replaceAll("%7D", "}");
}
