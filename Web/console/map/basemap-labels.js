/** How the map beneath the marks writes names. */

/**
 * The name of a feature in a language, or else the one it goes by.
 * @param {string} language as BCP 47 has it: "es", "zh-Hans-CN"
 * @returns {Array} an expression of MapLibre
 */
export function nameIn(language) {
    const [base] = language.split("-");
    const keys = [`name:${language}`, `name:${base}`];
    if (base === "zh") { keys.push(isTraditional(language) ? "name:zh-Hant" : "name:zh-Hans"); }
    // A name that the reader's script does not write is of less use than its Latin form.
    if (!["ja", "zh", "ko"].includes(base)) { keys.push("name:latin", "name:en"); }
    return ["coalesce", ...[...new Set([...keys, "name"])].map((key) => ["get", key])];
}

function isTraditional(language) {
    return /-(Hant|TW|HK|MO)\b/.test(language);
}

/**
 * A layer of labels.
 * @param {string} id
 * @param {{source: string, "source-layer": string}} from
 * @param {object} options
 * @param {Array} options.text an expression for the label's text
 * @param {string | Array} options.colour
 * @param {object} options.colours of the map
 * @param {number | Array} options.size in pixels
 * @param {"regular" | "bold"} [options.font] of the page's own fonts
 * @param {Array} [options.filter]
 * @param {Array} [options.order] what is labelled first has the lowest
 * @param {"point" | "line"} [options.placement]
 * @param {[number, number]} [options.offset] from the point, to the right and down, in heights of the text
 * @param {number} [options.minzoom]
 * @param {number} [options.maxzoom]
 */
export function label(
    id, from,
    { text, colour, colours, size, font = "regular", filter, order, placement = "point", offset, minzoom, maxzoom },
) {
    return {
        id, type: "symbol", ...from,
        ...(filter ? { filter } : {}),
        ...(minzoom === undefined ? {} : { minzoom }),
        ...(maxzoom === undefined ? {} : { maxzoom }),
        layout: {
            "text-field": text,
            "text-font": [font],
            "text-size": size,
            "text-max-width": 8,
            "text-padding": placement === "line" ? 8 : 4,
            "symbol-placement": placement,
            ...(offset ? { "text-offset": offset } : {}),
            ...(order ? { "symbol-sort-key": order } : {}),
        },
        paint: { "text-color": colour, "text-halo-color": colours.halo, "text-halo-width": 1.2 },
    };
}
