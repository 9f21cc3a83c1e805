/** Tables as spreadsheets save and read them. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { parseTable, tableText } from "../../Web/console/shared/csv.js";

test("a table is read with commas and semicolons, quotes, marks and every line end", () => {
    assert.deepEqual(parseTable("\uFEFFname,team\r\n\"a \"\"b\"\"\",\"x,\ny\"\rc,d\n\n,\n"),
        [["name", "team"], ["a \"b\"", "x,\ny"], ["c", "d"]]);
    assert.deepEqual(parseTable("name;team\neva;\"a;b\""), [["name", "team"], ["eva", "a;b"]]);
    assert.deepEqual(parseTable("name\n\"never closed\nx"), [["name"], ["never closed\nx"]]);
});

test("a table that is written is read again, and no cell of it is a formula", () => {
    const text = tableText([["name", "note"], ["eva", "a \"b\", c"], ["=cmd|x", "+1"]]);
    assert.deepEqual(parseTable(text), [["name", "note"], ["eva", "a \"b\", c"], ["'=cmd|x", "'+1"]]);
});

test("a table can be opened by a spreadsheet, which runs nothing that is in it", () => {
    const text = tableText([["who", "what"], ["=HYPERLINK(\"x\")", "a, b"], ["+1", "line\nline"], [undefined, "\tx"]]);
    assert.equal(text, "\uFEFFwho,what\r\n\"'=HYPERLINK(\"\"x\"\")\",\"a, b\"\r\n'+1,\"line\nline\"\r\n,'\tx\r\n");
});
