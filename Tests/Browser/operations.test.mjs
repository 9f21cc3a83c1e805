/** The operations in words: the server's health, rules and their patterns, targets, gateways, the audit log. */
import assert from "node:assert/strict";
import { test } from "node:test";

import * as audit from "../../Web/console/audit/auditwords.js";
import { beaconText, hearing, heardByRegion, newestOfEach, silentFirst, tagKind } from
    "../../Web/console/operations/gatewaywords.js";
import "../../Web/console/frame/texts.js";
import { figures, findings, wellWords } from "../../Web/console/operations/healthwords.js";
import { metric, parseMetrics } from "../../Web/console/operations/metrics.js";
import {
    documentOf, peerWords, progressWords, restarted, stateWords,
} from "../../Web/console/operations/replicationwords.js";
import { partsFor } from "../../Web/console/operations/screen.js";
import { eventTitle } from "../../Web/console/rules/eventtitle.js";
import { emptyForm, formOf, newEntry, requestOf } from "../../Web/console/rules/ruleform.js";
import { makesSafe, safetyLines } from "../../Web/console/rules/safetyquestion.js";
import { patternText, template, templateKeys } from "../../Web/console/rules/templates.js";
import { sizeWords } from "../../Web/console/shared/size.js";
import { addWords } from "../../Web/console/shared/words.js";
import {
    deliveryWords, headersOf, kindWords, lettersPath, madeByWords, nextWords, reasonWords, requestOf as targetRequest,
    triedWords, waitingPath,
} from "../../Web/console/targets/targetwords.js";

for (const folder of ["operations", "rules", "targets", "audit"]) { await addWords(folder); }

const now = Date.parse("2026-11-28T03:00:00Z");
const at = (secondsAgo) => new Date(now - secondsAgo * 1000).toISOString();
const metricsText = `# HELP muster_queue_depth what waits
muster_queue_depth 3
muster_last_backup_timestamp_seconds ${now / 1000 - 3600}
muster_disk_free_bytes 57000000000
muster_quota_used{quota="databases"} 950
muster_quota_limit{quota="databases"} 1000
muster_quota_limit{quota="signals"} 120
muster_commit_seconds_bucket{le="0.001"} 7
muster_build_info{version="1.2 \\"x\\""} 1
muster_database_bytes{file="database"} 1500000
muster_database_bytes{file="wal"} 500000
nonsense
`;
const calm = {
    health: { status: "ok", at: at(0) }, metrics: parseMetrics(metricsText.replace(/.*databases.*\n/g, "")),
    deliveries: { pending: 0, targets: [], failures: [] }, replications: [], reports: [], clocks: 0, unread: [],
};
const keysOf = (look) => findings({ ...calm, ...look }, now).map(({ key }) => key);
const target = (more) => ({
    deliveries: { targets: [{ target: "ops", enabled: true, failing: false, pending: 0, deadLetters: 0, ...more }] },
});

test("metrics are read with their labels, without what is counted by route", () => {
    const samples = parseMetrics(metricsText);
    assert.equal(metric(samples, "muster_queue_depth"), 3);
    assert.equal(metric(samples, "muster_quota_used", { quota: "databases" }), 950);
    assert.equal(metric(samples, "muster_commit_seconds_bucket"), undefined);
    assert.equal(samples.find(({ name }) => name === "muster_build_info").labels.version, "1.2 \\\"x\\\"");
    assert.deepEqual(parseMetrics(undefined), []);
});

test("nothing is found of a server that is well, and what was looked at is said", () => {
    assert.deepEqual(keysOf({}), []);
    const words = wellWords(calm, now);
    assert.equal(words.length, 7);
    assert.match(words[0], /57 GB of the disk are free/);
    // What was not read is not called well.
    assert.deepEqual(wellWords({}, now), []);
});

test("each thing that is ill is found, with words and what to do", () => {
    const cases = {
        unwritable: { health: { storage: { writable: false, since: at(60), message: "No room." } } },
        low: { health: { storage: { writable: true, low: true, freeBytes: 4e8 } } },
        damaged: { health: { status: "damaged", damaged: 2 } },
        clockAhead: { health: { serverClock: { suspect: true, aheadSeconds: 300, devices: 4 } } },
        clockBehind: { health: { serverClock: { suspect: true, aheadSeconds: -300, devices: 1 } } },
        certificateEnded: { health: { certificate: { endsAt: at(5), ending: true } } },
        certificateEnding: { health: { certificate: { endsAt: at(-86_400), ending: true } } },
        stalled: { stalled: [{ part: "writer", waitingSeconds: 14 }], health: undefined },
        "pushFault fcm": {
            health: { pushFaults: [{ platform: "fcm", reason: "403", advice: "See it.", since: at(9) }] },
        },
        "targetFailing ops": target({ failing: true, pending: 3 }),
        "deadLetters ops": target({ deadLetters: 1 }),
        "disabledWaiting ops": target({ enabled: false, pending: 2 }),
        "replicationFailed a": { replications: [{ doc_id: "a", state: "failed", info: { error: "gone" } }] },
        "replicationCrashing a": { replications: [{ doc_id: "a", state: "crashing", info: { error: "away" } }] },
        "replicationBehind a": { replications: [{ doc_id: "a", state: "running", info: { changes_pending: 5000 } }] },
        "quota databases": { metrics: parseMetrics(metricsText) },
        reports: { reports: [{ receivedTime: at(60) }] },
        clocks: { clocks: 2 },
        "gatewaySilent gates/porch": { gateways: [
            { id: "gates/porch", heard: at(20 * 60) }, { id: "gates/new" }, { id: "gates/yard", heard: at(30) },
        ] },
        noBackup: { metrics: parseMetrics("muster_last_backup_timestamp_seconds 0") },
        oldBackup: { metrics: parseMetrics(`muster_last_backup_timestamp_seconds ${now / 1000 - 9 * 86_400}`) },
        "unread metrics": { metrics: undefined, unread: ["metrics"] },
    };
    for (const [key, look] of Object.entries(cases)) {
        assert.deepEqual(keysOf(look), [key]);
        const [found] = findings({ ...calm, ...look }, now);
        assert.ok(found.words && found.advice, key);
    }
    for (const [name, value, key] of [["muster_queue_depth", 60_000, "queue"],
        ["muster_failed_commits_total", 1, "failedCommits"], ["muster_pushes_given_up_total", 1, "givenUpPushes"],
        ["muster_tls_reload_failures_total", 1, "certificateNotRead"]]) {
        const metrics = parseMetrics(`${name} ${value}\nmuster_last_backup_timestamp_seconds ${now / 1000}`);
        assert.deepEqual(keysOf({ metrics }), [key]);
    }
});

test("what is wrong now stands above what should be looked at", () => {
    const look = { ...target({ deadLetters: 4 }), health: { storage: { writable: false, since: at(1), message: "" } } };
    assert.deepEqual(findings({ ...calm, ...look }, now).map(({ level }) => level), ["ill", "watch"]);
});

test("old reports that were refused are not told again, and a hostile name turns no words around", () => {
    assert.deepEqual(keysOf({ reports: [{ receivedTime: at(3 * 86_400) }] }), []);
    // Whose phones they are, why, and where to look.
    const reports = ["ann/phone", "ann/phone", "ben/watch"].map((device, index) => (
        { device, reason: "no JSON", receivedTime: at(60 + index) }));
    const [{ words, advice, href }] = findings({ ...calm, reports }, now);
    assert.match(words, /^3 reports of phones were refused, .+: ann\/phone, ben\/watch, last at .+: “no JSON”$/);
    assert.match(advice, /“Refused reports”/);
    // A full page may not be all of them.
    const full = Array.from({ length: 100 }, () => reports[0]);
    assert.match(findings({ ...calm, reports: full }, now)[0].words, /^100 or more reports of phones were refused/);
    assert.equal(href, "#/operations/reports");
    const [found] = findings({ ...calm, replications: [{ doc_id: "a\u202Eb", state: "failed" }] }, now);
    assert.ok(!found.words.includes("\u202E"));
    assert.equal(found.href, "#/operations/replications");
});

test("figures are words, also where the server has none", () => {
    const rows = new Map(figures(parseMetrics(metricsText), now));
    assert.equal(rows.get("Store"), "2 MB");
    assert.equal(rows.get("Running for"), "–");
    assert.equal(sizeWords(0), "0 kB");
    assert.equal(sizeWords(1), "1 kB");
    assert.equal(sizeWords(1.44e9), "1.4 GB");
});

test("a leader has no way to what the API keeps for admins", () => {
    const names = partsFor("leader").map(({ name }) => name);
    assert.deepEqual(names, ["health", "rules", "keys", "datasets", "gateways", "audit"]);
    assert.equal(partsFor("admin").length, 9);
    assert.deepEqual(partsFor("member"), []);
    assert.deepEqual(partsFor("analyst").map(({ name }) => name), ["audit"]);
});

test("every template is a pattern that asks for what its rule is about", () => {
    for (const key of templateKeys) {
        const { name, pattern } = template(key);
        assert.match(name, /^[a-z-]{1,64}$/);
        assert.ok(Array.isArray(pattern.source) && Array.isArray(pattern["detail-type"]), key);
    }
    assert.deepEqual(template("par").pattern.detail, { EventType: ["PAR_OVERDUE"] });
    assert.equal(template("none"), undefined);
});

test("a pattern is short in its form, and means the same", () => {
    const pattern = {
        source: ["a ] \n [ b", "c"], detail: { x: [{ prefix: "p" }, 1, null], y: [] }, z: ["long ".repeat(60)],
    };
    const text = patternText(pattern);
    assert.deepEqual(JSON.parse(text), pattern);
    assert.ok(patternText({ source: ["muster"], d: ["a", "b"] }).includes('"d": ["a", "b"]'));
});

test("a rule goes through its form unchanged", () => {
    const rule = {
        name: "r", description: "d", enabled: false, pattern: { source: ["muster"] }, targets: [
            { id: "a", target: "a" }, { id: "b", target: "b", input: { constant: { x: 1 } } },
            { id: "c", target: "c", input: { path: "$.detail" } },
            { id: "d", target: "d", input: { template: "<who> = x", paths: { who: "$.detail.User" } } },
        ],
    };
    const { body, faults } = requestOf(formOf(rule), false);
    assert.deepEqual(faults, {});
    const { name, ...rest } = rule;
    assert.deepEqual(body, rest);
    assert.deepEqual(requestOf({ ...formOf(rule), name: ` ${name} ` }, true).body.name, name);
});

test("what is wrong with a form is said before it is sent", () => {
    assert.deepEqual(Object.keys(requestOf(emptyForm(), true).faults), ["name", "pattern"]);
    for (const pattern of ["", "{", "[]", "7", "null"]) {
        assert.ok(requestOf({ ...emptyForm(), name: "a", pattern }, true).faults.pattern, pattern);
    }
    const entries = [{ ...newEntry("a"), kind: "constant", text: "{" }];
    assert.ok(requestOf({ ...emptyForm(), name: "a", pattern: "{}", entries }, true).faults.targets);
});

test("an event is told in a line, whatever it has", () => {
    assert.equal(eventTitle({ "detail-type": "Location Geofence Event",
        detail: { EventType: "EXIT", DeviceId: "ana", GeofenceId: "yard" } }), "Region: ana, EXIT, yard");
    assert.equal(eventTitle({ "detail-type": "Order\u202E", detail: { Name: 7 } }), "Order ");
    assert.equal(eventTitle(undefined), "");
});

test("a target's form keeps no secret, and says what is missing", () => {
    const none = { url: "", headers: "", secret: "" };
    assert.deepEqual(Object.keys(targetRequest({ name: " ", kind: "webhook", byHand: false }, none).faults),
        ["name", "url"]);
    assert.deepEqual(targetRequest({ name: "l", kind: "log", byHand: true }, { ...none, url: "https://x" }).body,
        { name: "l", kind: "log", byHand: true });
    assert.deepEqual(headersOf("X-Tenant: seven\n\nA:b:c"), { "X-Tenant": "seven", A: "b:c" });
    assert.equal(headersOf("no colon"), undefined);
    assert.equal(kindWords({ kind: "slack", server: "https://hooks.example.org", byHand: true }).split(", ").length, 3);
    assert.equal(deliveryWords({ failing: true, pending: 0, deadLetters: 2 }),
        "does not accept deliveries, nothing waits, 2 given up");
});

test("a delivery that waits says how often it was tried, what was answered, and what it waits for", () => {
    const target = { enabled: true, byHand: false };
    assert.equal(triedWords({ attempts: 0 }), "Not tried yet.");
    assert.equal(triedWords({ attempts: 1, reason: "answered 503" }), "Tried 1 time, which failed: it answered 503.");
    assert.equal(madeByWords({ rule: "sos/hook", event: "7" }, "hook"), "By the rule sos, event 7");
    assert.equal(madeByWords({ rule: "sos/second", event: "7" }, "hook"), "By the rule sos/second, event 7");
    assert.equal(reasonWords("answered 410: it wants nothing any more"), "answered 410: it wants nothing any more");
    assert.equal(triedWords({ attempts: 4, reason: "a\u202Eb" }).includes("\u202E"), false);
    assert.match(nextWords({ nextAttemptAt: at(-600) }, target, now), /^Next attempt at .+\.$/);
    assert.equal(nextWords({ nextAttemptAt: at(0) }, target, now),
        "Next attempt as soon as those before it have gone.");
    assert.equal(nextWords({ nextAttemptAt: at(-600) }, { enabled: false, byHand: true }, now),
        "It waits until the target goes on.");
    assert.equal(nextWords({ nextAttemptAt: at(-600) }, { ...target, byHand: true }, now),
        "It waits until the target is run by hand.");
});

test("deliveries are asked for by target, rule and state", () => {
    assert.equal(waitingPath("a b", { rule: "", state: "waiting" }), "targets/a%20b/deliveries/waiting?limit=100");
    assert.equal(waitingPath("a", { rule: "s&s", state: "retrying" }),
        "targets/a/deliveries/waiting?limit=100&rule=s%26s&state=retrying");
    assert.equal(lettersPath("a b", ""), "deadletters?limit=100&target=a%20b");
    assert.equal(lettersPath("a", "sos"), "deadletters?limit=100&target=a&rule=sos");
});

test("a replication shows no password, and its document has none in an address", () => {
    assert.equal(peerWords("https://ann:geheim@couch.example/db"), "https://couch.example/db");
    assert.equal(peerWords({ url: "https://couch.example/db", auth: {} }), "https://couch.example/db");
    const form = { name: "a", source: "https://couch.example/db", target: "copy", sourceUser: "ann", targetUser: "x",
        continuous: true, createTarget: true };
    assert.deepEqual(documentOf(form, { source: "geheim", target: "unused" }).body, {
        source: { url: "https://couch.example/db", auth: { basic: { username: "ann", password: "geheim" } } },
        target: "copy", continuous: true, create_target: true,
    });
    assert.ok(documentOf({ ...form, source: "https://ann:geheim@couch.example/db" }, {}).faults.source);
    assert.deepEqual(Object.keys(documentOf({ ...form, name: "_x", target: " " }, {}).faults), ["name", "target"]);
    assert.deepEqual(restarted({ _id: "a", _rev: "2-x", source: "b", _replication_state: "failed",
        _replication_state_reason: "r", _replication_id: "i" }), { _id: "a", _rev: "2-x", source: "b" });
    assert.equal(stateWords({ state: "crashing", info: { error: "away" } }), "Interrupted; tries again: away");
    assert.equal(stateWords({ state: "new\u202E" }), "new ");
    const info = { docs_read: 5, docs_written: 4, doc_write_failures: 1 };
    assert.match(progressWords({ info }), /^5 read, 4 written, 0 still to come\. 1 were not taken/);
    assert.equal(progressWords({ info: { error: "x" } }), "");
});

test("tags are named as their devices are, and the newest of each is told", () => {
    assert.equal(beaconText({ uuid: "00000000-0000-0000-0000-CBB8334C884F", major: 0, minor: 0 }), "CB:B8:33:4C:88:4F");
    assert.equal(beaconText({ uuid: "4D657368-7461-7374-6963-0000849ACE3C", major: 0, minor: 0 }), "!849ace3c");
    const uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0";
    assert.equal(beaconText({ uuid, major: 1, minor: 7 }), `${uuid}:1:7`);
    assert.deepEqual(["!849ace3c", "CB:B8:33:4C:88:4F", `${uuid}:1:7`].map(tagKind), ["radio", "tag", "beacon"]);
    const found = newestOfEach([
        { uuid, major: 1, minor: 7, sampleTime: at(9) }, { uuid, major: 1, minor: 7, sampleTime: at(3) },
        { uuid, major: 1, minor: 8, sampleTime: at(1) },
    ], [{ id: "ana/badge", beacon: `${uuid.toLowerCase()}:1:7` }]);
    assert.deepEqual(found.map(({ name, sampleTime }) => [name, sampleTime]),
        [[`${uuid}:1:8`, at(1)], ["ana/badge", at(3)]]);
});

test("a gateway that says nothing is silent, and one that never did is told apart", () => {
    assert.deepEqual([undefined, at(16 * 60), at(60)].map((heard) => hearing(heard, now)),
        ["never", "silent", "heard"]);
    const gateways = [{ id: "new" }, { id: "heard", heard: at(60) }, { id: "silent", heard: at(16 * 60) }];
    assert.deepEqual(silentFirst(gateways, now).map(({ id }) => id), ["silent", "new", "heard"]);
    const presence = (standing, sampleTime) => new Map([["site/porch", { standing, sampleTime }]]);
    const members = new Map([
        ["ana", { presences: new Map([["ana/badge", presence("inside", at(9))]]) }],
        ["bea", { presences: new Map([["bea/badge", presence("unknown", at(1))]]) }],
        ["cat", { presences: new Map([["cat/badge", presence("inside", at(3))]]) }],
    ]);
    const heard = heardByRegion(members);
    assert.deepEqual(heard.get("site/porch").map(({ device }) => device), ["cat/badge", "ana/badge"]);
    assert.deepEqual([...heard.keys()], ["site/porch"]);
});

const entry = (change, more = {}) => ({ author: "admin", change: { at: at(0), sequence: 1, ...change }, ...more });

test("an entry of the audit log says what an edit changed, and a private field only that it changed", () => {
    const ring = [[0, 0], [1, 0], [1, 1], [0, 0]];
    assert.deepEqual(audit.detailWords([
        { field: "radius", before: 60, after: 80 }, { field: "muster", before: false, after: true },
        { field: "team", after: "north" }, { field: "phone" }, { field: "collections", before: ["a", "b"], after: [] },
        { field: "geometry", before: { type: "Polygon", coordinates: [ring] },
            after: { type: "Polygon", vertices: 500 } },
        { field: "own\u202Eproperty", before: "x".repeat(200), after: { deep: [1] } },
        { field: "geometry", before: { type: "Polygon", vertices: 4 }, after: { type: "Polygon", vertices: 4 } },
        { field: "geometry", before: { type: "Point", coordinates: [13.4, 52.5] },
            after: { type: "Point", coordinates: [13.5, 52.5] } },
    ]), [
        "radius in metres: 60 → 80", "assembly point: off → on", "team: none → north", "telephone number: changed",
        "collections: a, b → none", "shape: Polygon of 3 vertices → Polygon of 500 vertices",
        `own property: ${"x".repeat(120)}… → {"deep":[1]}`, "shape: changed", "shape: 52.5, 13.4 → 52.5, 13.5",
    ]);
    assert.deepEqual(audit.detailWords(), []);
    const entry = { change: { type: "region", id: "yard", collection: "c", at: at(60) }, details: [
        { field: "radius", before: 60, after: 80 }] };
    assert.equal(audit.filtered([entry], { who: "", what: "60 → 80", group: "", from: "", to: "" }).length, 1);
});

test("every entry of the audit log is words, also one of a kind that a newer server has", () => {
    const cases = [
        [{ type: "directory", kind: "user", name: "ann", removed: false }, "User ann: made or changed"],
        [{ type: "directory", kind: "planet", name: "x", removed: true }, "planet: x: removed"],
        [{ type: "region", collection: "c", id: "yard", removed: true }, "Region yard of c: removed"],
        [{ type: "declaration", kind: "safe", user: "ann", note: "at home" }, "ann is marked safe: “at home”"],
        [{ type: "declaration", kind: "sos", user: "ann" }, "ann calls SOS"],
        [{ type: "declaration", kind: "sos", user: "ann", repeated: true }, "The call of ann is repeated or added to"],
        [{ type: "incident", happened: "started", kind: "drill", team: "north", number: 3 },
            "Drill of north: started (incident 3)"],
        [{ type: "incident", happened: "reopened", team: "north", number: 3, note: "fuel", reopenReason: "smoke" },
            "Evacuation of north: reopened (incident 3): “smoke”"],
        [{ type: "incident", happened: "closed", team: "north", number: 3, note: "fuel", reason: "out",
            reopenReason: "smoke" }, "Evacuation of north: closed (incident 3): “out”"],
        [{ type: "incident", happened: "parReported", team: "north", number: 3, note: "fuel", parNumber: 2,
            crew: "Boat", present: 16, people: 17 },
        "Evacuation of north: PAR 2 reported, Boat: 16 of 17 present (incident 3)"],
        [{ type: "incident", happened: "parReported", team: "north", number: 3, parNumber: 2, present: 1, people: 1 },
            "Evacuation of north: PAR 2 reported, without a crew: 1 of 1 present (incident 3)"],
        [{ type: "roll", event: "takenOff", user: "ann", incident: 3, reason: "left" },
            "Incident 3: ann taken off the roll: “left”"],
        [{ type: "attendance", happened: "made", rule: "gate", team: "north" }, "Attendance rule gate of north: made"],
        [{ type: "checkInTimer", happened: "ended", user: "ann" }, "Check-in timer of ann: ended"],
        [{ type: "action", kind: "keyMade", user: "ann", label: "k1" }, "API key made: k1, of ann"],
        [{ type: "action", kind: "flown", label: "away" }, "flown: away"],
        [{ type: "telepathy", user: "ann" }, "telepathy: ann"],
    ];
    for (const [change, words] of cases) { assert.equal(audit.changeWords(change), words); }
    assert.equal(audit.authorWords(entry({}, { by: "command line on the server", device: "ann/phone" })),
        "admin, by the device ann/phone, by the command line on the server");
});

test("the audit log is filtered by who, what, kind and day, all at once", () => {
    const entries = [
        entry({ type: "directory", kind: "user", name: "ann" }),
        entry({ type: "action", kind: "keyMade", user: "bob" }),
        { ...entry({ type: "directory", kind: "rule", name: "sos", at: at(3 * 86_400) }), author: "lena" },
    ];
    const none = { who: "", what: "", group: "", from: "", to: "" };
    const found = (filter) => audit.filtered(entries, { ...none, ...filter }).map((each) => entries.indexOf(each));
    assert.deepEqual(found({}), [0, 1, 2]);
    assert.deepEqual(found({ who: " LENA " }), [2]);
    assert.deepEqual(found({ what: "api key" }), [1]);
    assert.deepEqual(found({ group: "people" }), [0]);
    assert.deepEqual(found({ group: "secrets", who: "lena" }), []);
    assert.deepEqual(found({ from: "2026-11-27" }), [0, 1]);
    assert.deepEqual(found({ to: "2026-11-26" }), [2]);
});

test("before a rule makes regions assembly points, they are named, and those of later", () => {
    const targets = [{ target: "safety" }];
    assert.ok(makesSafe({ enabled: true, targets }));
    assert.ok(!makesSafe({ enabled: false, targets }) && !makesSafe({ enabled: true, targets: [{ target: "bell" }] }));
    const regions = Array.from({ length: 21 }, (_, index) => ({ id: `r${index}`, name: `Yard ${index}` }));
    const [now, later] = safetyLines({ regions: regions.slice(0, 1), regionCount: 1 });
    assert.match(now, /1 region matches now: Yard 0/);
    assert.match(later, /drawn later/);
    assert.match(safetyLines({ regions, regionCount: 130 })[0], /130 regions match now.*Yard 19, and 110 more/);
    assert.match(safetyLines({ regions: [], regionCount: 0 })[0], /No region/);
    assert.match(safetyLines({ error: new TypeError("gone") })[0], /could not find out/);
});
