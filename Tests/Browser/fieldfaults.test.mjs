/** What the server finds wrong with a form, at its fields and in the language of the page. */
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

import "../../Web/console/frame/texts.js";
import { detailWords, fieldFaults } from "../../Web/console/shared/fieldfaults.js";
import { Problem } from "../../Web/console/shared/http.js";
import { setLanguage } from "../../Web/console/shared/words.js";

afterEach(() => setLanguage("en"));

test("a refusal is told at the field, with the place within it, and what has no field beside the form", async () => {
    const problem = new Problem(422, { title: "Wrong.", errors: [
        { pointer: "/name", detail: "is required" }, { pointer: "/pattern/source/0", detail: "has no operator" },
        { pointer: "/pattern", detail: "is too long" }, { pointer: "/patternOf", detail: "means nothing here" },
    ] });
    assert.deepEqual(fieldFaults(problem, ["name", "pattern"]), {
        fields: { name: "This is needed.", pattern: "/source/0: has no operator is too long" },
        rest: "/patternOf: means nothing here",
    });
    await setLanguage("es");
    assert.equal(fieldFaults(problem, ["name"]).fields.name, "Este dato es necesario.");
});

test("a refusal that names no member has no fault of a field", () => {
    const conflict = new Problem(409, { detail: "There is one already." });
    for (const error of [undefined, new TypeError("no answer"), conflict]) {
        assert.deepEqual(fieldFaults(error, ["name"]), { fields: {}, rest: "" });
    }
    // CouchDB's paths answer faults in this form.
    assert.equal(new Problem(409, { error: "conflict", reason: "Document update conflict." }).message,
        "Document update conflict.");
});

test("the server's sentences are said in the language of the page, and others as they are", async () => {
    await setLanguage("ja");
    assert.equal(detailWords("repeats the name of line 2"), "2行目の名前と重複しています。");
    assert.equal(detailWords("must be 1 to 100 characters on one line, at least one of them visible"),
        "1～100文字を1行で入力してください。見えない文字は使えません。");
    assert.equal(detailWords("is odd"), "is odd");
});
