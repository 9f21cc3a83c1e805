/** Addresses of regions: in the API, and on this screen. Pure. */

/** The path of a collection's regions, or of one of them, below `/api/v1/`. */
export function regionsPath(collection, id) {
    const path = `collections/${encodeURIComponent(collection)}/regions`;
    return id === undefined ? path : `${path}/${encodeURIComponent(id)}`;
}

/** The parts of the address at which a region is edited: one that is called "new" needs a word more. */
export function editParts(collection, id) {
    return id === "new" ? [collection, id, "edit"] : [collection, id];
}

/**
 * What an address asks for.
 * @param {string[]} rest what follows the screen's name
 * @returns {{collection?: string, id?: string, isNew?: boolean}}
 */
export function partsOf([collection, id, more]) {
    if (collection === undefined || id === undefined) { return { collection }; }
    return id === "new" && more !== "edit" ? { collection, isNew: true } : { collection, id };
}

/** Where what is typed of a region is kept. */
export function draftName(collection, id) {
    return id === undefined ? `region ${collection}/new` : `region ${collection}//${id}`;
}
