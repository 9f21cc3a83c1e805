/** The map beneath the marks: which layers a list of tile files makes, in which order, and in whose language. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { nameIn } from "../../Web/console/map/basemap-labels.js";
import { basemapStyle } from "../../Web/console/map/basemap.js";

const layersNamed = (...ids) => ids.map((id) => ({ id, fields: ["name"] }));

const world = {
    name: "world", kind: "vector", minZoom: 0, maxZoom: 6, bounds: [-180, -85, 180, 85],
    attribution: "Natural Earth", layers: layersNamed("land", "water", "borders", "states", "places"),
};
const berlin = {
    name: "berlin", kind: "vector", minZoom: 4, maxZoom: 15, bounds: [13, 52, 14, 53],
    layers: layersNamed("earth", "water", "roads", "buildings", "places"),
};
const town = {
    name: "our town", kind: "vector", minZoom: 0, maxZoom: 14, bounds: [13, 52, 14, 53],
    layers: layersNamed("transportation", "water", "place"),
};
const plan = {
    name: "plan", kind: "vector", minZoom: 0, maxZoom: 18, bounds: [13, 52, 14, 53],
    layers: [{ id: "doors", fields: ["name"] }, { id: "walls", fields: [] }],
};
const photograph = {
    name: "photograph", kind: "raster", minZoom: 10, maxZoom: 18, bounds: [13, 52, 14, 53], layers: [],
};

function style(tiles, { isDark = false, language = "en", address = "https://muster.example/team/" } = {}) {
    return basemapStyle({ index: { tiles }, isDark, language, address });
}

const ids = ({ layers }) => layers.map(({ id }) => id);
const place = (made, id) => {
    const found = ids(made).indexOf(id);
    assert.notEqual(found, -1, `no layer ${id}`);
    return found;
};

test("every layer has a name of its own and a source that exists", () => {
    const made = style([world, berlin, town, plan, photograph]);
    assert.equal(new Set(ids(made)).size, made.layers.length);
    for (const { id, source, type } of made.layers) {
        assert.match(id, /^basemap:/);
        if (type !== "background") { assert.ok(made.sources[source], `${id} is drawn from ${source}`); }
    }
});

test("a layer is drawn only from layers that its file has", () => {
    for (const file of [world, berlin, town, plan]) {
        const known = new Set(file.layers.map(({ id }) => id));
        for (const layer of style([file]).layers) {
            if (layer["source-layer"]) { assert.ok(known.has(layer["source-layer"]), layer.id); }
        }
    }
});

test("a server without tile files still has a map to draw marks on", () => {
    assert.deepEqual(ids(style([])), ["basemap:background"]);
});

test("a file's tiles are asked of the server below the page's own address, within the file's zooms and bounds", () => {
    const { sources } = style([world, town, photograph]);
    assert.deepEqual(sources["basemap:our town"].tiles, [
        "https://muster.example/team/tiles/our%20town/{z}/{x}/{y}"]);
    assert.equal(sources["basemap:our town"].minzoom, 0);
    assert.equal(sources["basemap:our town"].maxzoom, 14);
    assert.deepEqual(sources["basemap:our town"].bounds, [13, 52, 14, 53]);
    assert.equal(sources["basemap:world"].attribution, "Natural Earth");
    assert.equal(sources["basemap:photograph"].tileSize, 256);
});

test("a file is drawn above the world's ground, and its names above the world's names", () => {
    const made = style([world, photograph, berlin]);
    assert.ok(place(made, "basemap:borders") < place(made, "basemap:photograph"));
    assert.ok(place(made, "basemap:photograph") < place(made, "basemap:towns"));
    assert.ok(place(made, "basemap:berlin:major") < place(made, "basemap:towns"));
    assert.ok(place(made, "basemap:countries") < place(made, "basemap:berlin:place-names"));
});

test("where a file names towns itself, the world's names give way as soon as the file is drawn", () => {
    const without = style([world, plan]).layers.find(({ id }) => id === "basemap:towns");
    const having = style([world, berlin]).layers.find(({ id }) => id === "basemap:towns");
    assert.doesNotMatch(JSON.stringify(without.filter), /within/);
    const [operator, below, outside] = having.filter.at(-1);
    assert.equal(operator, "any");
    assert.deepEqual(below, ["<", ["zoom"], 4]);
    assert.equal(outside[1][0], "within");
    assert.deepEqual(outside[1][1].coordinates[0][2], [14, 53]);
});

test("a file that knows its coast covers the world's coast within its bounds, under its own layers", () => {
    const made = style([world, berlin]);
    assert.deepEqual(made.sources["basemap:berlin:ground"].data.geometry.coordinates[0][0], [13, 52]);
    assert.ok(place(made, "basemap:borders") < place(made, "basemap:berlin:ground"));
    assert.ok(place(made, "basemap:berlin:ground") < place(made, "basemap:berlin:earth"));
    assert.equal(style([world, plan]).sources["basemap:plan:ground"], undefined);
});

test("of an unknown file every layer is drawn, areas below lines below points, and named where it has names", () => {
    const made = style([plan]);
    for (const layer of ["doors", "walls"]) {
        assert.ok(place(made, `basemap:plan:${layer}:areas`) < place(made, "basemap:plan:doors:lines"));
        assert.ok(place(made, `basemap:plan:${layer}:lines`) < place(made, "basemap:plan:doors:points"));
    }
    assert.ok(ids(made).includes("basemap:plan:doors:names"));
    assert.ok(!ids(made).includes("basemap:plan:walls:names"));
});

test("light and dark have the same layers in other colours", () => {
    const [light, dark] = [false, true].map((isDark) => style([world, berlin, town, plan, photograph], { isDark }));
    assert.deepEqual(ids(dark), ids(light));
    for (const [index, { id, type, paint }] of light.layers.entries()) {
        if (type === "raster") { continue; }
        assert.notDeepEqual(dark.layers[index].paint, paint, id);
    }
});

test("names are in the page's language, else as the file has them", () => {
    const keys = (language) => nameIn(language).slice(1).map(([, key]) => key);
    assert.equal(nameIn("ja")[0], "coalesce");
    assert.deepEqual(keys("ja"), ["name:ja", "name"]);
    assert.deepEqual(keys("es-MX"), ["name:es-MX", "name:es", "name:latin", "name:en", "name"]);
    assert.deepEqual(keys("zh-TW"), ["name:zh-TW", "name:zh", "name:zh-Hant", "name"]);
    assert.deepEqual(keys("zh"), ["name:zh", "name:zh-Hans", "name"]);
});
