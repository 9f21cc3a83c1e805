/** What a module of the pages imports is there: a browser says so only when somebody first goes where it is used. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const web = new URL("../../Web/", import.meta.url);
const files = ["console", "me"].flatMap((page) => readdirSync(new URL(`${page}/`, web), { recursive: true })
    .map((name) => `${page}/${name}`)).filter((name) => name.endsWith(".js")).sort();
const read = (address) => readFileSync(address, "utf8");

/** The names that a module exports. */
function exported(text) {
    const declared = [...text.matchAll(/^export (?:async )?(?:function\*?|class|const|let) (\w+)/gm)];
    const listed = [...text.matchAll(/^export (?:const )?\{([^}]*)\}/gm)].flatMap(([, names]) => parts(names));
    return new Set([
        ...declared.map(([, name]) => name), ...listed.map(([, name]) => name),
        ...(/^export default /m.test(text) ? ["default"] : []),
    ]);
}

/** Each name of a list as it is there and as it is called here. */
function parts(names) {
    return names.split(",").map((part) => part.trim()).filter(Boolean)
        .map((part) => part.split(/\s+as\s+/)).map(([there, here = there]) => [there, here]);
}

/** What cannot be imported in a module. */
function missing(name) {
    const address = new URL(name, web);
    const text = read(address);
    const imports = [...text.matchAll(/^import\s+(?:(\w+)\s*(?:,\s*)?)?(?:\{([^}]*)\}\s*)?(?:from\s+)?"([^"]+)";/gm)];
    const dynamic = [...text.matchAll(/import\("([^"]+)"\)/g)].map(([, from]) => [, undefined, undefined, from]);
    return [...imports, ...dynamic].flatMap(([, whole, names, from]) => {
        const target = new URL(from, address);
        // Scripts/web-vendor fetches the libraries; they are checked by their sums.
        if (target.pathname.includes("/vendor/")) { return []; }
        if (!existsSync(target)) { return [`${name}: ${from} is not there`]; }
        const there = exported(read(target));
        return [...(whole ? ["default"] : []), ...parts(names ?? "").map(([wanted]) => wanted)]
            .filter((wanted) => !there.has(wanted)).map((wanted) => `${name}: ${from} exports no ${wanted}`);
    });
}

test("every module that the pages import is there, and exports what is imported of it", () => {
    assert.ok(files.length > 60, "the modules are found");
    assert.deepEqual(files.flatMap(missing), []);
});

test("what a module exports is known, also under another name", () => {
    assert.deepEqual(exported("export const a = 1;\nexport { b, c as d };\nexport default 3;"),
        new Set(["a", "b", "d", "default"]));
});
