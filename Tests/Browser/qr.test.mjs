/** QR codes against those of another encoder (Tests/Oracles/qr_codes.py), and against the standard's capacities. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { drawn, qrCode, qrPath, quietZone } from "../../Web/console/shared/qr.js";

const golden = readFileSync(new URL("../MusterTerminalTests/Golden/qr-codes.txt", import.meta.url), "utf8")
    .trim().split("\n").map((line) => line.split(" "));

test("a code has the modules that another encoder draws, in all versions and both levels", () => {
    assert.equal(golden.length, 80);
    assert.equal(new Set(golden.map(([version]) => version)).size, 40);
    for (const [version, level, mask, count, digest] of golden) {
        const bytes = Uint8Array.from({ length: Number(count) }, (_, index) => (7 * index + Number(version)) % 256);
        const { modules } = drawn(bytes, Number(version), level, Number(mask));
        const found = createHash("sha256").update(Array.from(modules).join("")).digest("hex");
        assert.equal(found.slice(0, 32), digest, `version ${version}, ${level}, mask ${mask}`);
    }
});

/** ISO/IEC 18004, table 7: the bytes that versions hold. */
test("bytes take the smallest version, and level M where it costs no size", () => {
    for (const [count, version, level] of [
        [0, 1, "M"], [14, 1, "M"], [15, 1, "L"], [17, 1, "L"], [18, 2, "M"], [230, 9, "L"], [231, 10, "L"],
        [272, 11, "L"], [2331, 36, "L"], [2953, 40, "L"],
    ]) {
        const bytes = new Uint8Array(count).fill(65);
        assert.deepEqual(qrCode(bytes), drawn(bytes, version, level), `${count} bytes`);
    }
    assert.equal(qrCode(new Uint8Array(2954)), undefined);
});

test("the path covers each dark module once, inside the quiet zone", () => {
    const code = qrCode("https://muster.example.org/console/invite/#ü");
    const covered = new Set();
    for (const [, column, row, length] of qrPath(code).matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
        for (let step = 0; step < Number(length); step += 1) {
            covered.add((Number(row) - quietZone) * code.size + Number(column) - quietZone + step);
        }
    }
    const dark = [...code.modules.keys()].filter((place) => code.modules[place]);
    assert.deepEqual([...covered].sort((left, right) => left - right), dark);
});
