/** The audit log as a table. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { auditTable } from "../../Web/console/audit/save.js";
import { addWords } from "../../Web/console/shared/words.js";

await addWords("audit");

const noFilter = { who: "", what: "", group: "", from: "", to: "" };
const day = (number) => `2026-11-${String(number).padStart(2, "0")}T12:00:00.000Z`;
const entry = (number, author) => ({ author, change: { type: "directory", kind: "team", name: `team ${number}`,
    at: day(number), sequence: number } });
/** A server with a log of 28 days, the newest first, seven to a page. */
function server() {
    const asked = [];
    const all = Array.from({ length: 28 }, (_, index) => entry(28 - index, index % 2 ? "lea" : "ben"));
    const get = async (path) => {
        asked.push(path);
        const from = Number(/cursor=(\d+)/.exec(path)?.[1] ?? 0);
        return { items: all.slice(from, from + 7), nextCursor: from + 7 < all.length ? String(from + 7) : undefined };
    };
    return { get, asked };
}
const rowsOf = async ({ table }) => (await table.text()).trim().split("\r\n");

test("the table has the whole log, and not only the first page", async () => {
    const { get } = server();
    const seen = [];
    const made = await auditTable({ get, filter: noFilter, report: (progress) => seen.push(progress) });
    const rows = await rowsOf(made);
    assert.equal(rows.length, 29);
    assert.match(rows[0], /time,sequence,author/);
    assert.equal(rows.filter((row) => row.includes("\uFEFF")).length, rows[0].startsWith("\uFEFF") ? 1 : 0);
    assert.deepEqual([made.found, made.isCut], [28, false]);
    assert.deepEqual(seen.map(({ read }) => read), [7, 14, 21, 28]);
});

test("the filter bounds the table, and what is older than its first day is not read", async () => {
    const { get, asked } = server();
    const made = await auditTable({ get, filter: { ...noFilter, who: "lea", from: "2026-11-20" }, report() {} });
    const rows = (await rowsOf(made)).slice(1);
    assert.ok(rows.every((row) => row.includes(",lea,")));
    assert.equal(rows.length, made.found);
    assert.equal(asked.length, 2);
});

test("a log that is longer than a table may be is cut, and says so", async () => {
    const { get } = server();
    const made = await auditTable({ get, filter: noFilter, report() {}, limit: 10 });
    assert.deepEqual([(await rowsOf(made)).length, made.found, made.isCut], [11, 10, true]);
});

test("a table that is cut within the last page says so, too", async () => {
    const { get } = server();
    const made = await auditTable({ get, filter: noFilter, report() {}, limit: 25 });
    assert.deepEqual([made.found, made.isCut], [25, true]);
    // The filter's first day lies on the page within which it is cut.
    const past = await auditTable({ get, filter: { ...noFilter, from: "2026-11-20" }, report() {}, limit: 3 });
    assert.deepEqual([past.found, past.isCut], [3, true]);
    const whole = await auditTable({ get, filter: noFilter, report() {}, limit: 28 });
    assert.deepEqual([whole.found, whole.isCut], [28, false]);
});
