/** What surrounds a region's shape while it is edited: settings, faults, what an edit changes, files, the draft. */
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

import { checkEdit } from "../../Web/console/regions/check.js";
import { degreesIn, pairIn } from "../../Web/console/regions/coordinates.js";
import { afterSaving, draftOf, isDirty, onTopOf, reverted, withTheirs } from "../../Web/console/regions/draft.js";
import { act } from "../../Web/console/regions/edit.js";
import { placeOf, shownFaults } from "../../Web/console/regions/faults.js";
import { formOf, limits, reportOf } from "../../Web/console/regions/files.js";
import { mayChange, regionsByCollection } from "../../Web/console/regions/list.js";
import { isGrave, outlookSentences } from "../../Web/console/regions/outlook.js";
import { editParts, partsOf, regionsPath } from "../../Web/console/regions/addresses.js";
import { conditionsOf } from "../../Web/console/regions/regionrequests.js";
import { saidWords } from "../../Web/console/regions/saidwords.js";
import { featureOf, idFor, isSameRegion, settingsOf } from "../../Web/console/regions/settings.js";
import { shapeOf } from "../../Web/console/regions/shape.js";
import { actionOfKey } from "../../Web/console/regions/vertices.js";
import { Problem } from "../../Web/console/shared/http.js";
import { addWords, setLanguage } from "../../Web/console/shared/words.js";

await addWords("regions");
afterEach(() => setLanguage("en"));

const ring = [[0, 0], [2, 0], [2, 2], [0, 2], [0, 0]];
const shape = shapeOf({ type: "Polygon", coordinates: [ring] });
const region = {
    type: "Feature", id: "quay", geometry: { type: "Polygon", coordinates: [ring] },
    properties: { name: "Quay", muster: true, dwell: 300, exitDelay: 15, crossingMode: "insideIsDanger", hue: 3 },
};

const movedCorner = { type: "move", place: { polygon: 0, ring: 0, vertex: 0 }, to: [9, 9] };

test("a region's settings are the same after they were shown and sent", () => {
    const beacon = { uuid: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", major: 1, minor: 2, proximity: "near", room: true };
    const circle = { type: "Point", coordinates: [1, 2] };
    for (const feature of [
        region, { ...region, geometry: circle, properties: { ...region.properties, radius: 8, beacon } },
        { ...region, geometry: circle,
            properties: { name: "Q", muster: false, radius: 8, beacon: { scanner: "g/yard" } } },
        { ...region, geometry: null, properties: { name: "Bus", muster: false, beacon: { uuid: beacon.uuid } } },
    ]) {
        const drawn = shapeOf(feature.geometry, feature.properties.radius);
        const sent = featureOf("quay", drawn, settingsOf(feature.properties));
        assert.deepEqual(JSON.parse(JSON.stringify(sent)), feature);
    }
});

test("what is typed as a number is one, and what is none is left to the server to refuse", () => {
    const sent = (settings) => featureOf("a", shape, { ...settingsOf(), ...settings }).properties;
    assert.deepEqual(sent({ dwell: " 60 ", exitDelay: "1,5" }), { muster: false, dwell: 60, exitDelay: 1.5 });
    assert.equal(sent({ dwell: "soon" }).dwell, "soon");
    assert.deepEqual(sent({ name: "  " }), { muster: false });
});

test("two regions are the same however their rings are turned, and another by one vertex or setting", () => {
    const turned = { ...region, geometry: { type: "Polygon", coordinates: [
        [[2, 2], [2, 0], [0, 0], [0, 2], [2, 2]]] } };
    assert.ok(isSameRegion(region, turned));
    assert.ok(isSameRegion(region, { ...region, properties: Object.fromEntries(
        Object.entries(region.properties).reverse()) }));
    assert.ok(!isSameRegion(region, { ...region, properties: { ...region.properties, dwell: 301 } }));
    const other = structuredClone(region);
    other.geometry.coordinates[0][1][0] = 2.0000001;
    assert.ok(!isSameRegion(region, other));
});

test("a new region's id comes of its name, is not taken, and fits an address", () => {
    assert.equal(idFor("Assembly Point Ä 2!", () => false), "assembly-point-a-2");
    const taken = new Set(["quay", "quay-2"]);
    assert.equal(idFor("Quay", (id) => taken.has(id)), "quay-3");
    assert.equal(idFor("集合場所", () => false), "region-2");
    assert.ok(idFor("x".repeat(500), () => false).length <= 60);
});

test("a fault is shown at its vertex, or in its field", () => {
    assert.deepEqual(placeOf("/geometry/coordinates/0/3", shape), { polygon: 0, ring: 0, vertex: 3 });
    assert.deepEqual(placeOf("/geometry/coordinates/0/4", shape), { polygon: 0, ring: 0, vertex: 0 }, "closing");
    assert.deepEqual(placeOf("/geometry/coordinates/0", shape), { polygon: 0, ring: 0, vertex: 0 });
    assert.equal(placeOf("/geometry/coordinates/7/1", shape), undefined);
    const several = { kind: "polygon", polygons: [shape.polygons[0], [...shape.polygons[0], shape.polygons[0][0]]] };
    assert.deepEqual(placeOf("/geometry/coordinates/1/1/2", several), { polygon: 1, ring: 1, vertex: 2 });
    const faults = shownFaults([
        { pointer: "/geometry/coordinates/0/1", detail: "crosses", coordinate: [1, 1] },
        { pointer: "/geometry/coordinates/0/2", detail: "spike" },
        { pointer: "/properties/dwell", detail: "too long" },
        { pointer: "/properties/beacon/uuid", detail: "no UUID" }, { pointer: "", detail: "whole" },
    ], shape);
    assert.deepEqual(faults.map(({ at, field }) => [at, field]),
        [[[1, 1], undefined], [[2, 2], undefined], [undefined, "dwell"], [undefined, "uuid"], [undefined, undefined]]);
});

test("what an edit changes is said with names, and nothing is said of nobody", () => {
    const people = { inside: 41, wouldBeInside: 38, wouldLeave: ["ann", "ben", "cleo"], wouldEnter: [] };
    assert.deepEqual(outlookSentences({ people, safety: { wouldEndSafe: 3, wouldBecomeSafe: 0 } }), [
        "3 of 41 who are inside now would be outside: ann, ben, cleo", "3 people would not be safe any more.",
    ]);
    const many = { ...people, leaving: 300, wouldLeave: Array.from({ length: 100 }, (_, index) => `p${index}`) };
    assert.match(outlookSentences({ people: many })[0], /^300 of 41 .*p11, 288 more$/);
    const nobody = { inside: 0, wouldBeInside: 0, wouldLeave: [], wouldEnter: [] };
    assert.deepEqual(outlookSentences({ people: nobody }), ["Nobody is inside now, and nobody would be."]);
    assert.deepEqual(outlookSentences({ people: { ...nobody, inside: 2, wouldBeInside: 2 } }),
        ["It changes nothing for the 2 people inside now."]);
    assert.ok(isGrave({ people }) && !isGrave({ people: nobody }));
    assert.ok(isGrave({ people: nobody, isComplete: false }), "who cannot be told is asked about");
    assert.ok(isGrave({ people: nobody, safety: { wouldBecomeSafe: 1 } }), "nobody becomes safe unnoticed");
    assert.match(outlookSentences({ people: nobody, isComplete: false, leftOut: 9 })[1], /9 more people/);
});

test("a file is known by what it begins with, and one that is too large is not sent", () => {
    const of = (name, head, size = 100) => formOf({ name, size }, head);
    assert.deepEqual(of("a.geojson", '{"type"'), { form: "geoJSON" });
    assert.deepEqual(of("a.txt", '\uFEFF  {"type"'), { form: "geoJSON" });
    assert.deepEqual(of("a.json", '<?xml version="1.0"?>'), { form: "kml" });
    assert.deepEqual(of("doc.kmz", "PK\u0003\u0004"), { fault: "packed" });
    assert.deepEqual(of("a.png", "\u0089PNG"), { fault: "unknown" });
    assert.deepEqual(of("a.kml", "", 0), { fault: "empty" });
    assert.deepEqual(of("a.kml", "<kml>", limits.kml + 1), { fault: "tooLarge", limit: limits.kml });
    assert.deepEqual(of("a.kml", "<kml>", limits.kml), { form: "kml" });
    assert.deepEqual(of("a.json", "[", limits.geoJSON + 1), { fault: "tooLarge", limit: limits.geoJSON });
});

test("a file's report has every fault with its place, and names what would be replaced", () => {
    const regions = new Map([["site/quay", { name: "Quay" }]]);
    const answer = {
        regions: 2, replaced: 1, moreFaults: 5, features: { features: [region] },
        faults: [{ line: 12, region: "Shed", detail: "crosses itself", coordinates: [1, 2] }],
    };
    const report = reportOf(answer, regions, "site");
    assert.deepEqual(report.faults, [{ where: "", line: 12, detail: "crosses itself", at: [1, 2], region: "Shed" }]);
    assert.deepEqual([report.regions, report.replaced, report.moreFaults], [2, 1, 5]);
    assert.deepEqual(report.replacedNames, ["Quay"]);
    const problem = new Problem(422, { errors: [{
        pointer: "/features/0/geometry", feature: 0, detail: "must be", coordinate: [3, 4],
    }] });
    assert.deepEqual(reportOf(problem, regions, "site", [region]).faults, [{
        where: "/features/0/geometry", line: undefined, detail: "must be", at: [3, 4], region: "Quay",
    }]);
    assert.equal(reportOf({ stored: 3, faults: [] }, regions, "other", [region]).replaced, 0);
});

test("a draft is dirty as long as it has what the server does not have", () => {
    const read = { feature: region, etag: '"1"' };
    const draft = draftOf(read);
    assert.ok(!isDirty(draft) && !isDirty(undefined) && !isDirty(draftOf()));
    const moved = { ...draft, edit: act(draft.edit, movedCorner) };
    assert.ok(isDirty(moved));
    assert.ok(!isDirty({ ...moved, edit: act(moved.edit, { type: "undo" }) }), "undone is clean again");
    assert.ok(!isDirty(reverted(moved)));
    assert.equal(act(reverted(moved).edit, { type: "undo" }).shape, moved.edit.shape, "discarding can be undone");
    const named = { ...draft, settings: { ...draft.settings, name: "Other" } };
    assert.ok(isDirty(named));
    const drawing = act(act(draftOf().edit, { type: "draw", kind: "polygon" }), { type: "point", at: [1, 1] });
    assert.ok(isDirty({ ...draftOf(), edit: drawing }), "half a drawing is kept, too");
    // Saved, and changed again before the answer came.
    const stored = { feature: { ...region, properties: { ...region.properties, name: "Other" } }, etag: '"2"' };
    assert.ok(!isDirty(afterSaving(named, named, stored)));
    const later = { ...named, edit: moved.edit };
    const after = afterSaving(later, named, stored);
    assert.ok(isDirty(after) && after.base.etag === '"2"' && after.edit === moved.edit);
});

test("of two leaders' shapes either is kept, and neither is lost", () => {
    const draft = draftOf({ feature: region, etag: '"1"' });
    const mine = { ...draft, edit: act(draft.edit, movedCorner) };
    const theirs = { feature: { ...region, properties: { ...region.properties, name: "Theirs" } }, etag: '"2"' };
    const taken = withTheirs(mine, theirs);
    assert.ok(!isDirty(taken) && taken.settings.name === "Theirs");
    assert.equal(act(taken.edit, { type: "undo" }).shape, mine.edit.shape);
    const onTop = onTopOf(mine, theirs);
    assert.equal(onTop.edit, mine.edit);
    assert.deepEqual(conditionsOf(onTop.base), { "If-Match": '"2"' });
    assert.deepEqual(conditionsOf(onTopOf(mine, undefined).base), { "If-None-Match": "*" }, "theirs was removed");
});

/** A server that answers in turn, and what it was asked. */
function server(...answers) {
    const asked = [];
    const request = async (path, options) => {
        asked.push([options.method, path, options.headers]);
        const answer = answers.shift();
        if (answer instanceof Error) { throw answer; }
        return { json: async () => answer };
    };
    return { request, asked };
}

const edited = { collection: "a/b", id: "quay", shape, settings: settingsOf(region.properties), base: { etag: '"1"' } };

test("an edit is looked at for faults first, and then for whom it concerns", async () => {
    const outlook = { people: { inside: 0, wouldBeInside: 0, wouldLeave: [], wouldEnter: [] } };
    const sound = server({ stored: 1, regions: 1, faults: [] }, outlook);
    assert.deepEqual(await checkEdit(sound.request, edited), { result: "sound", faults: [], outlook });
    assert.deepEqual(sound.asked, [
        ["POST", "collections/a%2Fb/regions?dryRun=true", undefined],
        ["PUT", "collections/a%2Fb/regions/quay?dryRun=true", { "If-Match": '"1"' }],
    ]);
    const spike = { pointer: "/geometry/coordinates/0/1", detail: "spike" };
    const faulty = server({ stored: 0, regions: 0, faults: [spike] });
    const check = await checkEdit(faulty.request, edited);
    assert.deepEqual([check.result, check.faults[0].place.vertex, faulty.asked.length], ["faulty", 1, 1]);
    const refused = server(new Problem(422, { errors: [{ pointer: "/properties/dwell", detail: "too long" }] }));
    assert.equal((await checkEdit(refused.request, edited)).faults[0].field, "dwell");
});

test("a server that does not know what an edit would change is not sent the edit to find out", async () => {
    const old = server({ stored: 1, faults: [] });
    assert.deepEqual(await checkEdit(old.request, edited), { result: "sound", faults: [] });
    assert.equal(old.asked.length, 1);
});

test("another leader, and a server that cannot tell, are said", async () => {
    const changed = server({ regions: 1, faults: [] }, new Problem(412, { detail: "omar changed it." }));
    assert.deepEqual(await checkEdit(changed.request, edited),
        { result: "changed", faults: [], words: "omar changed it." });
    for (const error of [new TypeError("no network"), new Problem(503), new Problem(403, { detail: "shared" })]) {
        const { result, words } = await checkEdit(server(error).request, edited);
        assert.equal(result, "unknown");
        assert.ok(words.length > 10);
    }
});

test("keys move, add, remove, choose, undo; nothing happens where nothing is chosen", () => {
    const place = { polygon: 0, ring: 0, vertex: 1 };
    const edit = { shape, selected: place };
    const key = (name, more = {}) => actionOfKey({ key: name, ...more }, edit, 2);
    assert.deepEqual(key("ArrowUp"), { type: "nudge", key: "ArrowUp", metres: 2 });
    assert.deepEqual(key("ArrowUp", { shiftKey: true }).metres, 20);
    assert.deepEqual(key("Enter"), { type: "insert", after: place });
    assert.deepEqual(key("Delete"), { type: "remove", place });
    assert.deepEqual(key("PageUp"), { type: "step", by: -1 });
    const undoing = [key("z", { ctrlKey: true }), key("Z", { metaKey: true, shiftKey: true })];
    assert.deepEqual([...undoing, key("y", { ctrlKey: true })], [{ type: "undo" }, { type: "redo" }, { type: "redo" }]);
    assert.deepEqual([key("a"), key("a", { ctrlKey: true }), key("ArrowUp", { altKey: true })],
        [undefined, undefined, undefined]);
    assert.equal(actionOfKey({ key: "Delete" }, { shape, selected: "whole" }, 1), undefined);
    assert.equal(actionOfKey({ key: "ArrowUp" }, { shape }, 1), undefined);
    assert.equal(actionOfKey({ key: "ArrowUp" }, { shape, selected: "whole" }, 1).type, "nudge");
});

test("coordinates are read as people write them", () => {
    assert.equal(degreesIn("59,908", 90), 59.908);
    assert.equal(degreesIn(" -12.5° ", 90), -12.5);
    assert.deepEqual(["", "north", "91", "1e9"].map((text) => degreesIn(text, 90)), Array(4).fill(undefined));
    assert.deepEqual(pairIn("59.908, 10.746"), [59.908, 10.746]);
    assert.deepEqual(pairIn("-1.5 20"), [-1.5, 20]);
    assert.deepEqual(pairIn("52.52,13.40"), [52.52, 13.4]);
    for (const text of ["52,52, 13,40", "52,52 13,40", "52,52;13,40", "52,52°; 13,40°", "52,52 , 13,40"]) {
        assert.deepEqual(pairIn(text), [52.52, 13.4], text);
    }
    for (const text of ["59,908", "52,52", "-5,85", " 0,5 ", "52,52,13,40", "52.52,13", "52,13.40"]) {
        assert.equal(pairIn(text), undefined, `${text} is no pair: its comma may begin the decimals`);
    }
    assert.equal(degreesIn("-5,85", 180), -5.85);
    assert.equal(degreesIn("52.52,13", 90), undefined);
});

test("every change is said, with the vertex and its place", async () => {
    const begun = draftOf({ feature: region, etag: null }).edit;
    const place = { polygon: 0, ring: 0, vertex: 1 };
    const moved = act(begun, { type: "move", place, to: [3, 1] });
    assert.equal(saidWords(moved), "Vertex 2 of 4 moved to 1, 3");
    assert.equal(saidWords(act(moved, { type: "insert", after: place })), "Vertex 3 of 5 added at 1.5, 2.5");
    for (const language of ["es", "ja", "zh"]) {
        await setLanguage(language);
        for (const action of [{ type: "remove", place }, { type: "undo" }, { type: "redo" }, { type: "finish" }]) {
            assert.equal(typeof saidWords(act(moved, action)), "string");
        }
        assert.match(saidWords(moved), /1, 3/);
    }
});

test("a region called new has an address of its own", () => {
    assert.deepEqual(partsOf(["site", "new"]), { collection: "site", isNew: true });
    assert.deepEqual(partsOf(editParts("site", "new")), { collection: "site", id: "new" });
    assert.deepEqual(partsOf(editParts("site", "quay")), { collection: "site", id: "quay" });
    assert.deepEqual(partsOf([]), { collection: undefined });
    assert.equal(regionsPath("a b", "c/d"), "collections/a%20b/regions/c%2Fd");
});

test("regions are found by name and id, and who may change them is the server's word", () => {
    const of = (collection, id, name) => [`${collection}/${id}`, { collection, id, name }];
    const regions = new Map([of("site", "q9", "Quay 9"), of("site", "q10", "Quay 10"), of("town", "hall", "Hall")]);
    assert.deepEqual(regionsByCollection(regions, "").get("site").map(({ id }) => id), ["q9", "q10"]);
    assert.deepEqual(regionsByCollection(regions, "HALL").get("site"), []);
    assert.equal(regionsByCollection(regions, "q10").get("site").length, 1);
    assert.equal(mayChange({ mayChange: false }, { role: "leader" }), false);
    assert.equal(mayChange({}, { role: "admin" }), true);
    assert.equal(mayChange({}, { role: "analyst" }), false);
});
