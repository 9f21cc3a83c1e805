/** A style from elsewhere beneath the page's own layers. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { adoptStyle } from "../../Web/console/map/foreignstyle.js";

const address = "https://maps.example/styles/quiet/style.json?key=1";

test("a style's relative addresses are those beside it, and their braces stay", () => {
    const adopted = adoptStyle({
        version: 8, sprite: "../sprite", glyphs: "https://fonts.example/{fontstack}/{range}.pbf",
        sources: {
            streets: { type: "vector", tiles: ["/tiles/{z}/{x}/{y}.pbf"] },
            land: { type: "vector", url: "land.json" },
        },
        layers: [],
    }, address);
    assert.equal(adopted.sprite, "https://maps.example/styles/sprite");
    assert.deepEqual(adopted.sources.streets.tiles, ["https://maps.example/tiles/{z}/{x}/{y}.pbf"]);
    assert.equal(adopted.sources.land.url, "https://maps.example/styles/quiet/land.json");
});

test("its labels are drawn from the page's fonts, bold where they are, and no server of fonts is asked", () => {
    const label = (font) => (
        { id: font, type: "symbol", layout: { "text-field": ["get", "name"], "text-font": [font] } });
    const line = { id: "roads", type: "line", source: "s" };
    const adopted = adoptStyle(
        { version: 8, sources: {}, layers: [line, label("Noto Sans Regular"), label("Noto Sans Bold")] }, address);
    assert.match(adopted.glyphs, /^glyphs:/);
    assert.equal(adopted.layers[0], line);
    assert.deepEqual(adopted.layers.slice(1).map(({ layout }) => layout["text-font"]), [["regular"], ["bold"]]);
});

test("what is no style of version 8 is none", () => {
    const [old, empty] = [{ version: 7, sources: {}, layers: [] }, { version: 8, sources: {} }];
    for (const wrong of [undefined, null, {}, [], old, empty]) {
        assert.equal(adoptStyle(wrong, address), undefined);
    }
});
