/** A downloaded area: which tiles it has, and the file that they are in, whole, cut off and damaged. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 as zlibSum } from "node:zlib";

import { ArchiveReader, ArchiveWriter, DamagedArchive } from "../../Web/me/area/archive.js";
import { crc32 } from "../../Web/me/area/crc32.js";
import { bestLevel, countAt, levelsOf, rangesOf, tileAt, tilesOf } from "../../Web/me/area/tiles.js";

/** Returns a generator of numbers from 0 to 1 that gives the same ones for the same seed. */
function seeded(seed) {
    let state = seed;
    return () => { state = (state * 16_807) % 2_147_483_647; return state / 2_147_483_647; };
}

const world = { name: "world", kind: "vector", minZoom: 0, maxZoom: 6, bounds: [-180, -85.0511, 180, 85.0511] };
const berlin = { name: "berlin", kind: "vector", minZoom: 4, maxZoom: 15, bounds: [13, 52.3, 13.8, 52.7] };

test("a place has the tile that other maps give it", () => {
    assert.deepEqual(tileAt([13.377, 52.518], 14), { zoom: 14, column: 8800, row: 5373 });
    assert.deepEqual(tileAt([0, 0], 0), { zoom: 0, column: 0, row: 0 });
    assert.deepEqual(tileAt([180, 90], 3), { zoom: 3, column: 0, row: 0 });
    assert.deepEqual(tileAt([-180, -90], 3), { zoom: 3, column: 0, row: 7 });
});

test("a box has the tiles that it touches, and a box that ends on an edge none beyond it", () => {
    assert.deepEqual(rangesOf([-180, -85.06, 180, 85.06], 2), [{ west: 0, east: 3, north: 0, south: 3 }]);
    assert.deepEqual(rangesOf([0, 1, 90, 2], 2), [{ west: 2, east: 2, north: 1, south: 1 }]);
    assert.deepEqual(rangesOf([10, 50, 10, 50], 5), [{ west: 16, east: 16, north: 10, south: 10 }]);
    assert.deepEqual(rangesOf([179, -1, 181, 1], 3),
        [{ west: 7, east: 7, north: 3, south: 4 }, { west: 0, east: 0, north: 3, south: 4 }]);
});

test("the tiles that are counted are those that are loaded, each once", () => {
    const random = seeded(11);
    for (let round = 0; round < 200; round += 1) {
        const [west, south] = [random() * 360 - 180, random() * 150 - 80];
        const box = [west, south, west + random() * (round % 5 === 0 ? 360 : 3), south + random() * 3];
        const files = [world, berlin, { ...berlin, bounds: [170, -60, 180, 60] },
            { ...world, bounds: [-180, -10, -170, 10], maxZoom: 9 }];
        const tiles = [...tilesOf({ box, files, topZoom: 7 })];
        let counted = 0;
        for (let zoom = 0; zoom <= 7; zoom += 1) {
            for (const file of files) { counted += countAt(box, zoom, file); }
        }
        assert.equal(tiles.length, counted, `seed 11, round ${round}: ${box}`);
        assert.equal(new Set(tiles.map((tile) => Object.values(tile).join("/"))).size, tiles.length);
        for (const { zoom, column, row } of tiles) {
            assert.ok(column >= 0 && column < 2 ** zoom && row >= 0 && row < 2 ** zoom);
        }
        assert.deepEqual(tiles.map(({ zoom }) => zoom), tiles.map(({ zoom }) => zoom).sort((a, b) => a - b));
    }
});

test("a box across the antimeridian has the tiles on both sides, once where they are one", () => {
    const tiles = (zoom) => [...tilesOf({ box: [179, -1, 181, 1], files: [world], topZoom: zoom })]
        .filter((tile) => tile.zoom === zoom).map(({ column, row }) => `${column}/${row}`);
    assert.deepEqual(tiles(0), ["0/0"]);
    assert.deepEqual(tiles(1), ["0/0", "0/1", "1/0", "1/1"]);
    assert.equal(tiles(6).length, 4);
});

test("the levels are those that have tiles, and the best is the deepest within the limits", () => {
    const limits = { bytesPerTile: () => 1000, mostTiles: 200, mostBytes: 1e9 };
    const box = [13.3, 52.45, 13.5, 52.55];
    const levels = levelsOf(box, [world, berlin], limits);
    assert.equal(levels.at(-1).topZoom, 15);
    assert.equal(levels.at(-1).tiles, [...tilesOf({ box, files: [world, berlin], topZoom: 15 })].length);
    assert.equal(bestLevel(levels).topZoom, levels.findLast(({ tiles }) => tiles <= 200).topZoom);
    assert.equal(bestLevel(levelsOf(box, [world, berlin], { ...limits, mostBytes: 3000 })).topZoom, 2);
    assert.equal(bestLevel(levelsOf(box, [world], { ...limits, mostTiles: 0 })), undefined);
    assert.deepEqual(levelsOf(box, [], limits), []);
    assert.equal(levelsOf([100, 0, 101, 1], [world, berlin], limits).at(-1).topZoom, 6);
});

test("the sum is that of gzip", () => {
    const random = seeded(3);
    for (const length of [0, 1, 255, 10_000]) {
        const bytes = Uint8Array.from({ length }, () => Math.floor(random() * 256));
        assert.equal(crc32(bytes), zlibSum ? zlibSum(bytes) : crc32(bytes));
        assert.equal(crc32(bytes.subarray(length / 2), crc32(bytes.subarray(0, length / 2))), crc32(bytes));
    }
    assert.equal(crc32(new TextEncoder().encode("123456789")), 0xcbf4_3926);
});

/** A file in memory. */
class MemoryFile {
    bytes = new Uint8Array();
    append = (bytes, offset) => {
        assert.equal(offset, this.bytes.length, "tiles are appended");
        this.bytes = Uint8Array.from([...this.bytes, ...bytes]);
    };
    size() { return this.bytes.length; }
    read(offset, length) { return this.bytes.slice(offset, offset + length); }
}

const of = (bytes) => Object.assign(new MemoryFile(), { bytes: Uint8Array.from(bytes) });
const about = { box: [13, 52, 14, 53], topZoom: 15, files: [{ name: "Straßen" }] };
const tiles = [
    [{ file: 0, zoom: 0, column: 0, row: 0 }, { data: Uint8Array.of(1, 2, 3), tag: '"abc-gzip"', isPacked: true }],
    [{ file: 1, zoom: 24, column: 16_777_215, row: 16_777_215 }, { data: new Uint8Array(300).fill(7), tag: "" }],
    [{ file: 0, zoom: 1, column: 1, row: 0 }, { data: new Uint8Array(), tag: "" }],
];

function written({ isComplete = true } = {}) {
    const file = new MemoryFile();
    const writer = ArchiveWriter.begin(file.append, about);
    for (const [tile, content] of tiles) { writer.add(tile, content); }
    if (isComplete) { writer.complete(); }
    assert.equal(writer.length, file.bytes.length);
    return file;
}

async function checkWhole(reader) {
    assert.deepEqual(reader.about, about);
    assert.equal(reader.count, tiles.length);
    for (const [tile, { data, tag, isPacked = false }] of tiles) {
        assert.deepEqual(await reader.read(tile), { data, tag, isPacked });
    }
    assert.equal(await reader.read({ file: 0, zoom: 1, column: 0, row: 0 }), undefined);
}

test("what is written is read, with and without the index", async () => {
    const whole = await ArchiveReader.open(written());
    assert.equal(whole.isComplete, true);
    await checkWhole(whole);
    const begun = await ArchiveReader.open(written({ isComplete: false }));
    assert.equal(begun.isComplete, false);
    await checkWhole(begun);
});

test("cut off anywhere, a file has every tile that is whole, and the download goes on from there", async () => {
    const { bytes } = written();
    const headEnd = written({ isComplete: false }).bytes.length
        - tiles.reduce((sum, [, { data, tag }]) => sum + 24 + data.length + tag.length, 0);
    for (let length = 0; length < bytes.length; length += 1) {
        const cut = of(bytes.slice(0, length));
        if (length < headEnd) {
            await assert.rejects(ArchiveReader.open(cut), DamagedArchive);
            continue;
        }
        const reader = await ArchiveReader.open(cut);
        assert.equal(reader.isComplete, false);
        assert.ok(reader.end <= length);
        cut.bytes = cut.bytes.slice(0, reader.end);
        const writer = ArchiveWriter.resume(cut.append, reader);
        for (const [tile, content] of tiles) { if (!reader.has(tile)) { writer.add(tile, content); } }
        writer.complete();
        assert.deepEqual(cut.bytes, bytes, `cut at ${length}`);
    }
});

test("a byte that was flipped anywhere gives no other tile: it is missing, or said to be damaged", async () => {
    const { bytes } = written();
    for (let at = 0; at < bytes.length; at += 1) {
        const damaged = of(bytes);
        damaged.bytes[at] ^= 0x20;
        let reader;
        try {
            reader = await ArchiveReader.open(damaged);
        } catch (error) {
            assert.ok(error instanceof DamagedArchive, `${at}: ${error}`);
            continue;
        }
        assert.deepEqual(reader.about, about);
        for (const [tile, { data, tag }] of tiles) {
            const found = await reader.read(tile).catch((error) => {
                assert.ok(error instanceof DamagedArchive, `${at}: ${error}`);
            });
            if (found) { assert.deepEqual([found.data, found.tag], [data, tag], `flipped at ${at}`); }
        }
    }
});

test("files that are none, and heads and lengths that lie, are refused without taking room for them", async () => {
    const random = seeded(5);
    for (let round = 0; round < 200; round += 1) {
        const noise = of(Array.from({ length: Math.floor(random() * 400) }, () => Math.floor(random() * 256)));
        await assert.rejects(ArchiveReader.open(noise), DamagedArchive);
    }
    const lying = written();
    new DataView(lying.bytes.buffer).setUint32(8, 0xffff_fff0, true);
    await assert.rejects(ArchiveReader.open(lying), DamagedArchive);
});

test("a tile that is larger than what is read at once is found without the index", async () => {
    const file = { pieces: [], length: 0 };
    const append = (bytes, offset) => { file.pieces.push(bytes); file.length = offset + bytes.length; };
    const writer = ArchiveWriter.begin(append, about);
    const large = new Uint8Array(2_500_000).fill(9);
    for (let column = 0; column < 3; column += 1) { writer.add({ file: 0, zoom: 5, column, row: 3 }, { data: large }); }
    const bytes = Buffer.concat(file.pieces);
    const reads = { size: () => bytes.length, read: (offset, length) => bytes.subarray(offset, offset + length) };
    const reader = await ArchiveReader.open(reads);
    assert.equal(reader.count, 3);
    assert.equal((await reader.read({ file: 0, zoom: 5, column: 2, row: 3 })).data.length, large.length);
});
