/** Reads lists of the API, which come in pages. */

/** The largest number of pages read, unless the caller gives another. */
const usualPages = 20;
const pageItems = 1000;

/**
 * The path of one page of a list.
 * @param {string} path the path of the list, with its query
 * @param {{limit?: number, cursor?: string}} page `cursor`: where the page begins; by default at the list's beginning
 */
export function pagePath(path, { limit, cursor }) {
    const parts = [limit && `limit=${limit}`, cursor && `cursor=${encodeURIComponent(cursor)}`].filter(Boolean);
    return parts.length === 0 ? path : `${path}${path.includes("?") ? "&" : "?"}${parts.join("&")}`;
}

/**
 * The pages of a list, one after the other.
 * @param {(path: string) => Promise<object>} get
 * @param {string} path below `/api/v1/`, with its query, without `limit` and `cursor`
 * @param {{member?: string, cursor?: string}} [options] `member`: the member of the answer that holds the items
 * @returns {AsyncGenerator<{items: object[], cursor?: string}>} `cursor`: where the next page begins
 */
export async function* pagesOf(get, path, { member = "items", cursor } = {}) {
    do {
        const found = await get(pagePath(path, { limit: pageItems, cursor }));
        cursor = found.nextCursor;
        yield { items: found[member], cursor };
    } while (cursor);
}

/**
 * Reads every item of a list, up to a number of pages.
 * @param {(path: string) => Promise<object>} get
 * @param {string} path as in `pagesOf`
 * @param {{member?: string, mostPages?: number, report?: (count: number) => void}} [options] `report` is called with
 *     the number of items read so far
 * @returns {Promise<{items: object[], isPartial: boolean}>}
 */
export async function allPages(get, path, { member, mostPages = usualPages, report } = {}) {
    const items = [];
    let pages = 0;
    for await (const page of pagesOf(get, path, { member })) {
        items.push(...page.items);
        report?.(items.length);
        pages += 1;
        if (page.cursor && pages === mostPages) { return { items, isPartial: true }; }
    }
    return { items, isPartial: false };
}
