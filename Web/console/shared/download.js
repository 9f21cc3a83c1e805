/** Offers files of the page for download. */

/** The time for which a file is kept after it was offered, in milliseconds: a browser may read it later. */
const keptMs = 60_000;

/**
 * Offers a file for download.
 * @param {Blob|string} content
 * @param {string} name
 * @param {string} [type] the media type of a text
 */
export function offerFile(content, name, type = "application/octet-stream") {
    const blob = content instanceof Blob ? content : new Blob([content], { type });
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), keptMs);
}

/** Offers a table for download, for a spreadsheet to open. @param {string} table as `tableText` makes it */
export function offerTable(table, name) {
    offerFile(table, name, "text/csv;charset=utf-8");
}
