/** The audit log as a table: all of it that a filter leaves, read page by page. */
import { tableText } from "../shared/csv.js";
import { pagesOf } from "../shared/pages.js";
import { entryText, filtered, firstMs } from "./auditwords.js";

const head = ["time", "sequence", "author", "device", "by", "type", "words"];
/** The most entries of one table: a spreadsheet opens no more rows, and the browser holds the table in memory. */
const rowLimit = 1_000_000;

/**
 * Reads the log, the newest entry first, and makes a table of what the filter leaves: times as the server has them, so
 * that they can be sorted and compared. It stops where the log ends, at the filter's first day, and at the limit.
 * @param {object} options
 * @param {(path: string) => Promise<object>} options.get
 * @param {import("./auditwords.js").AuditFilter} options.filter
 * @param {(progress: {read: number, found: number}) => void} options.report
 * @param {number} [options.limit] replaced in tests
 * @returns {Promise<{table: Blob, found: number, isCut: boolean}>} `isCut`: there were more than the limit
 * @throws {Problem} when the server refuses @throws {TypeError} when it does not answer
 */
export async function auditTable({ get, filter, report, limit = rowLimit }) {
    const parts = [tableText([head])];
    const sinceMs = firstMs(filter);
    let read = 0;
    let found = 0;
    for await (const { items, cursor } of pagesOf(get, "audit")) {
        const matching = filtered(items, filter);
        const wanted = matching.slice(0, limit - found);
        // Only the first part begins with the mark by which a spreadsheet recognizes UTF-8.
        parts.push(tableText(wanted.map(rowOf)).replace(/^\uFEFF/, ""));
        read += items.length;
        found += wanted.length;
        report({ read, found });
        if (matching.length > wanted.length) { return { table: tableOf(parts), found, isCut: true }; }
        const isPast = items.length > 0 && Date.parse(items.at(-1).change.at) < sinceMs;
        if (isPast) { break; }
        if (found === limit) { return { table: tableOf(parts), found, isCut: Boolean(cursor) }; }
    }
    return { table: tableOf(parts), found, isCut: false };
}

function tableOf(parts) {
    return new Blob(parts, { type: "text/csv;charset=utf-8" });
}

function rowOf({ author, device, by, change, details }) {
    return [change.at, change.sequence, author, device, by, change.type, entryText({ change, details })];
}
