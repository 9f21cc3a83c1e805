/** Loading an area, and noticing that the server has another version of it. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { ArchiveReader, ArchiveWriter } from "../../Web/me/area/archive.js";
import { downloadArea, FileGone, Unanswered } from "../../Web/me/area/download.js";
import { offerTiles, parseTileURL } from "../../Web/me/area/protocol.js";
import { AreaShelf } from "../../Web/me/area/shelf.js";
import { tileLoader, unpacked } from "../../Web/me/area/tileloading.js";
import { tileAt, tilesOf } from "../../Web/me/area/tiles.js";
import { versionOf } from "../../Web/me/area/version.js";
import { box, files, photograph, root, streets, tileServer } from "./me_tiles.mjs";

const all = [...tilesOf({ box, files, topZoom: 12 })];
const plan = { box, files, topZoom: 12, tiles: all.length };
const nameOf = (tile) => Object.values(tile).join("/");
const never = new AbortController().signal;

/** An archive in memory, whose disk has room for so many bytes. */
function disk({ room = Infinity } = {}) {
    const file = { bytes: new Uint8Array() };
    return {
        file, room,
        append(bytes, offset) {
            if (offset + bytes.length > this.room) { throw new DOMException("no room", "QuotaExceededError"); }
            file.bytes = Uint8Array.from([...file.bytes.subarray(0, offset), ...bytes]);
        },
        writer(reader) {
            const append = (...written) => this.append(...written);
            return reader ? ArchiveWriter.resume(append, reader) : ArchiveWriter.begin(append, plan);
        },
        reader: () => ArchiveReader.open({
            size: () => file.bytes.length, read: (offset, length) => file.bytes.slice(offset, offset + length),
        }),
    };
}

const content = (tile) => ({ data: new TextEncoder().encode(nameOf(tile)), tag: `"${nameOf(tile)}"` });

function run(options) {
    return downloadArea({ plan, signal: never, mostBytes: 1e9, report: () => {}, wait: async () => {},
        load: async (tile) => content(tile), ...options });
}

test("every tile is loaded once, the coarse ones first, and the progress is told", async () => {
    const there = disk();
    const asked = [];
    const told = [];
    const answer = await run({ writer: there.writer(), report: (progress) => told.push(progress),
        load: async (tile) => { asked.push(tile); return content(tile); } });
    assert.deepEqual(answer, { outcome: "complete", missing: 0 });
    assert.deepEqual(asked.map(nameOf), all.map(nameOf));
    assert.deepEqual([told[0].done, told.at(-1).done, told.at(-1).total], [0, all.length, all.length]);
    const reader = await there.reader();
    assert.ok(reader.isComplete);
    for (const tile of all) { assert.deepEqual((await reader.read(tile)).data, content(tile).data); }
});

test("stopped anywhere and gone on with, an area has every tile once", async () => {
    for (let stopAfter = 0; stopAfter < all.length; stopAfter += 3) {
        const there = disk();
        const pausing = new AbortController();
        let loaded = 0;
        const load = async (tile) => {
            loaded += 1;
            if (loaded > stopAfter) { pausing.abort(); }
            return content(tile);
        };
        assert.equal((await run({ writer: there.writer(), signal: pausing.signal, load })).outcome, "paused");
        // The machine lost its power in the middle of a tile.
        there.file.bytes = there.file.bytes.slice(0, there.file.bytes.length - (stopAfter % 2));
        const begun = await there.reader().catch(() => undefined);
        if (!begun) { continue; }
        there.file.bytes = there.file.bytes.slice(0, begun.end);
        const asked = [];
        const answer = await run({ writer: there.writer(begun), has: (tile) => begun.has(tile),
            load: async (tile) => { asked.push(nameOf(tile)); return content(tile); } });
        assert.equal(answer.outcome, "complete");
        assert.equal(asked.length, all.length - begun.count);
        assert.equal((await there.reader()).count, all.length);
    }
});

test("a disk that is full, a limit and a file that is gone end it, each with its own word", async () => {
    const small = disk({ room: 700 });
    assert.equal((await run({ writer: small.writer() })).outcome, "full");
    const kept = await small.reader();
    assert.ok(kept.count > 0 && !kept.isComplete, "what there is can be used");
    // There is no room for the index alone.
    const whole = disk();
    await run({ writer: whole.writer() });
    const tight = disk({ room: whole.file.bytes.length - 1 });
    assert.equal((await run({ writer: tight.writer() })).outcome, "full");
    assert.equal((await run({ writer: disk().writer(), mostBytes: 900 })).outcome, "tooLarge");
    assert.equal((await run({ writer: disk().writer(), load: async () => { throw new FileGone(); } })).outcome, "gone");
    await assert.rejects(run({ writer: disk().writer(), load: async () => { throw new RangeError("a fault"); } }),
        RangeError);
});

test("a server that is away is asked again after longer and longer, and not for ever", async () => {
    const waits = [];
    let failures = 5;
    const told = [];
    const answer = await run({ writer: disk().writer(), report: ({ isWaiting }) => told.push(isWaiting),
        wait: async (ms) => { waits.push(ms); },
        load: async (tile) => {
            if (failures > 0 && tile.zoom === 0) {
                failures -= 1;
                throw new Unanswered(failures === 4 ? 7 : undefined);
            }
            return content(tile);
        } });
    assert.equal(answer.outcome, "complete");
    assert.deepEqual(waits, [7000, 1000, 2000, 4000, 8000]);
    assert.ok(told.includes(true) && told.at(-1) === false);
    let asked = 0;
    const gone = await run({ writer: disk().writer(),
        load: async () => { asked += 1; throw new Unanswered(); } });
    assert.equal(gone.outcome, "unanswered");
    assert.ok(asked <= 4 * 8);
});

test("a tile that the server cannot read is counted, and empty places are remembered", async () => {
    const there = disk();
    const answer = await run({ writer: there.writer(), load: async (tile) => (
        tile.zoom === 5 ? { isMissing: true } : tile.zoom === 6 ? {} : content(tile)) });
    assert.deepEqual(answer, { outcome: "complete", missing: 1 });
    const reader = await there.reader();
    assert.equal((await reader.read(all.find(({ zoom }) => zoom === 6))).data.length, 0);
    assert.equal(reader.has(all.find(({ zoom }) => zoom === 5)), false);
});

test("vector tiles are kept packed, and what stayed the same is not loaded again", async () => {
    const { fetch, asked } = tileServer();
    const load = tileLoader({ files, root, fetch });
    const [tile] = all;
    const first = await load(tile, never);
    assert.equal(first.isPacked, true);
    assert.equal(new TextDecoder().decode(await unpacked(first)), "bytes of Straßen 1/0/0/0");
    const again = tileLoader({ files, root, fetch, previous: async () => first });
    assert.equal(await again(tile, never), first);
    const picture = await load(all.find(({ file }) => file === 1), never);
    assert.deepEqual([picture.isPacked ?? false, asked.at(-1).startsWith("photo/10/")], [false, true]);
});

test("each refusal of the server means what it says", async () => {
    const answer = (code) =>
        tileLoader({ files, root, fetch: tileServer({ status: () => code }).fetch })(all[0], never);
    assert.deepEqual(await answer(204), {});
    assert.deepEqual(await answer(500), { isMissing: true });
    await assert.rejects(answer(404), FileGone);
    await assert.rejects(answer(503), Unanswered);
    await assert.rejects(tileLoader({ files, root, fetch: async () => { throw new TypeError(); } })(all[0], never),
        Unanswered);
});

test("another version at the server is noticed, by what is stated or by the tags of a few tiles", async () => {
    const area = { about: plan };
    const stored = async (tile) => ({ data: Uint8Array.of(1),
        tag: `"${files[tile.file].name}/${tile.zoom}/${tile.column}/${tile.row}-gzip"` });
    const ask = (server, index = server.index) => versionOf(area, { index, stored, root, fetch: server.fetch });
    const same = tileServer();
    assert.equal(await ask(same), "same");
    assert.ok(same.asked.length <= 12, "a few are asked for");
    assert.equal(await ask(tileServer({ tag: () => '"other"' })), "newer");
    assert.equal(await ask(tileServer({ status: () => 204, tag: () => "" })), "newer");
    assert.equal(await ask({ index: same.index, fetch: async () => { throw new TypeError(); } }), "unknown");
    assert.equal(await ask(same, { tiles: [streets] }), "newer");
    assert.equal(await ask(same, { tiles: [{ ...streets, maxZoom: 13 }, photograph] }), "newer");
    assert.equal(await ask(same, { tiles: [...files, { ...photograph, name: "plan" }] }), "newer");
    assert.equal(await ask(same, { tiles: [...files, { ...photograph, name: "far", bounds: [0, 0, 1, 1] }] }), "same");
    const stated = { about: { ...plan, files: files.map((file) => ({ ...file, version: "a" })) } };
    const none = tileServer();
    const withVersion = (version) => ({ tiles: files.map((file) => ({ ...file, version })) });
    const of = (version) => versionOf(stated, { index: withVersion(version), stored, root, fetch: none.fetch });
    assert.deepEqual([await of("a"), await of("b"), none.asked.length], ["same", "newer", 0]);
});

/** The files of areas, in memory. */
function folder(areas) {
    const entries = new Map(Object.entries(areas));
    return {
        entries,
        async* keys() { yield* [...entries.keys()].map((id) => `${id}.tiles`); },
        async getFileHandle(name) {
            const bytes = entries.get(name.replace(".tiles", ""));
            if (!bytes) { throw new DOMException("none", "NotFoundError"); }
            return { getFile: async () => Object.assign(new Blob([bytes]), { lastModified: 5 }) };
        },
        async removeEntry(name) { entries.delete(name.replace(".tiles", "")); },
    };
}

async function areaBytes(about, text, { isComplete = true } = {}) {
    const file = { bytes: new Uint8Array() };
    const append = (bytes) => { file.bytes = Uint8Array.from([...file.bytes, ...bytes]); };
    const writer = ArchiveWriter.begin(append, about);
    for (const tile of all) {
        writer.add(tile, { data: new TextEncoder().encode(`${text} ${nameOf(tile)}`), tag: "x" });
    }
    if (isComplete) { writer.complete(); }
    return file.bytes;
}

test("the shelf reads the newest area that has a tile, and passes by what is damaged", async () => {
    const old = await areaBytes(plan, "old");
    const fresh = await areaBytes(plan, "new");
    fresh[fresh.length - 400 - 20 * all.length] ^= 1;
    const there = folder({ a: old, b: fresh, c: new Uint8Array(9) });
    const shelf = new AreaShelf(async () => there);
    const read = async (tile) => new TextDecoder().decode((await shelf.read(files[tile.file].name, tile))?.data);
    const texts = await Promise.all(all.map(read));
    assert.equal(texts.filter((text) => text.startsWith("old")).length, 1, "the damaged tile comes of the other area");
    assert.equal(texts.filter((text) => text.startsWith("new")).length, all.length - 1);
    assert.equal(await shelf.read("none", all[0]), undefined);
    assert.deepEqual((await shelf.list()).map(({ id, isDamaged }) => [id, isDamaged]),
        [["c", true], ["b", false], ["a", false]]);
    assert.equal(await shelf.deepest("Straßen 1", [13.4, 52.5], 12), 12);
    const besides = await shelf.deepest("Straßen 1", [13.4, 52.1], 12);
    const isThere = (zoom) => all.map(nameOf).includes(nameOf({ file: 0, ...tileAt([13.4, 52.1], zoom) }));
    assert.deepEqual([isThere(besides), isThere(besides + 1)], [true, false]);
    assert.equal(await shelf.deepest("none", [13.4, 52.5], 12), undefined);
    await shelf.remove("b");
    assert.equal(await read(all[0]), `old ${nameOf(all[0])}`);
});

test("an area that was renewed goes as soon as the new one is whole, and not before", async () => {
    const renewed = { ...plan, replaces: "a" };
    const part = await areaBytes(renewed, "new", { isComplete: false });
    const begun = folder({ a: await areaBytes(plan, "old"), b: part });
    assert.equal((await new AreaShelf(async () => begun).list()).length, 2);
    const whole = folder({ a: await areaBytes(plan, "old"), b: await areaBytes(renewed, "new") });
    assert.deepEqual((await new AreaShelf(async () => whole).list()).map(({ id }) => id), ["b"]);
    assert.deepEqual([...whole.entries.keys()], ["b"]);
});

test("the map reads the area first; one that is outdated only where the server does not answer", async () => {
    let isAway = false;
    const shelf = new AreaShelf(async () => there);
    const there = folder({ a: await areaBytes(plan, "kept") });
    let handler;
    const server = tileServer();
    offerTiles({ addProtocol: (_, act) => { handler = act; } }, { shelf, root, fetch: (...request) => {
        if (isAway) { throw new TypeError("away"); }
        return server.fetch(...request);
    } });
    const { zoom, column, row } = all.at(-1);
    const text = async (at) => new TextDecoder().decode((await handler({ url: `mustertiles://app/tiles/${at}` })).data);
    const own = `${encodeURIComponent("Straßen 1")}/${zoom}/${column}/${row}`;
    assert.match(await text(own), /^kept/);
    assert.equal(await text("world/0/0/0"), "bytes of world/0/0/0");
    await shelf.list();
    shelf.markOutdated("a");
    assert.match(await text(own), /^bytes of/);
    isAway = true;
    assert.match(await text(own), /^kept/);
    await assert.rejects(text("world/0/0/0"));
    const others = ["mustertiles://app/tiles/a/1/2", "mustertiles://app/tiles/a/b/1/2/3", "https://x/tiles/a/1/2/3"];
    assert.deepEqual(others.map(parseTileURL), [undefined, undefined, undefined]);
});
