/** Lists of the API, read page by page. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { allPages, pagePath } from "../../Web/console/shared/pages.js";

/** A server with a list of pages; it answers what was asked, too. */
function listOf(pages, member = "items") {
    const asked = [];
    const get = async (path) => {
        asked.push(path);
        const number = Number(/cursor=(\d+)/.exec(path)?.[1] ?? 0);
        return { [member]: pages[number], nextCursor: number + 1 < pages.length ? String(number + 1) : undefined };
    };
    return { get, asked };
}

test("a list is read to its end, and each page is asked for once", async () => {
    const { get, asked } = listOf([[1, 2], [3]]);
    const told = [];
    assert.deepEqual(await allPages(get, "users", { report: (count) => told.push(count) }),
        { items: [1, 2, 3], isPartial: false });
    assert.deepEqual(asked, ["users?limit=1000", "users?limit=1000&cursor=1"]);
    assert.deepEqual(told, [2, 3]);
    assert.deepEqual((await allPages(listOf([["a"]], "features").get, "regions", { member: "features" })).items, ["a"]);
});

test("a list that is longer than the bound says so, and one that is as long does not", async () => {
    const read = (pages) => allPages(listOf(pages).get, "x", { mostPages: 2 });
    assert.deepEqual(await read([[1], [2], [3]]), { items: [1, 2], isPartial: true });
    assert.equal((await read([[1], [2]])).isPartial, false);
});

test("a cursor is a part of the query, whatever is in it", () => {
    assert.equal(pagePath("keys?user=a", { cursor: "b&c" }), "keys?user=a&cursor=b%26c");
    assert.equal(pagePath("keys", {}), "keys");
});
