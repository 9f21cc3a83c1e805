/** What the screen `administration` works out without a page: tables, faults, forms, configurations, exports. */
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

import "../../Web/console/frame/texts.js";
import {
    bodyOfRule as attendanceBody, formOfRule as attendanceForm, isPlain,
} from "../../Web/console/administration/attendance.js";
import { candidates } from "../../Web/console/administration/crews.js";
import { chosenDevices, phonesOf } from "../../Web/console/administration/devices.js";
import { exportedDevices, usersTable } from "../../Web/console/administration/exports.js";
import { Body, CutOff, exportAll } from "../../Web/console/administration/exportstream.js";
import { handOut, handOutTable } from "../../Web/console/administration/handout.js";
import { withdrawAll } from "../../Web/console/administration/invitations.js";
import { namesInTable, tableFaults } from "../../Web/console/administration/import.js";
import { configuration, configurationLink, phoneAddress } from "../../Web/console/shared/owntracks.js";
import { newUserBody, userBody } from "../../Web/console/administration/people.js";
import { bodyOfRule as proximityBody } from "../../Web/console/administration/proximity.js";
import { newPassword, passwordFault } from "../../Web/console/administration/password.js";
import { newTeamsWords, notTable, rowless } from "../../Web/console/administration/tablefile.js";
import { formOfTeam, teamBody } from "../../Web/console/administration/teams.js";
import { minuteFaults, timedMembers } from "../../Web/console/administration/timer.js";
import { chosenUsers, isOnNoRoll, mayChangeDevices, noTeam, onNoRoll } from "../../Web/console/administration/users.js";
import { persist } from "../../Web/console/administration/longwork.js";
import { parseTable } from "../../Web/console/shared/csv.js";
import { Problem } from "../../Web/console/shared/http.js";
import { ownHost } from "../../Web/console/shared/ownhost.js";
import { addWords, setLanguage } from "../../Web/console/shared/words.js";

await addWords("administration");
afterEach(() => setLanguage("en"));

test("a file that is no table says so, and what to do", () => {
    const bytes = (...beginning) => new Uint8Array([...beginning, 1, 2, 3]);
    const text = (words) => new TextEncoder().encode(words);
    assert.match(notTable(bytes(0x50, 0x4b, 3, 4)), /Excel.*Save it as CSV/);
    assert.match(notTable(bytes(0xd0, 0xcf, 0x11, 0xe0)), /Excel/);
    const png = [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0];
    for (const beginning of [[0xff, 0xd8, 0xff], png, [0x25, 0x50, 0x44, 0x46]]) {
        assert.match(notTable(bytes(...beginning)), /no CSV, but a picture/);
    }
    for (const table of [text("name\neva"), text("\uFEFFname\nJosé"), bytes(0xff, 0xfe, 0x6e, 0), text("")]) {
        assert.equal(notTable(table), undefined);
    }
    assert.match(rowless("name,team\n\n"), /no rows/);
    assert.match(rowless(" \n"), /empty/);
    assert.equal(rowless("name\neva"), undefined);
});

test("the teams that a table would create are named, and those that differ only in capitals are asked about", () => {
    assert.equal(newTeamsWords(["Teachers"], ["Teachers"]), "");
    assert.equal(newTeamsWords(["Pupils", "teachers"], ["Teachers", "north"]),
        "New teams: teachers (new; is Teachers meant?), Pupils.");
    assert.match(newTeamsWords(["crew", "Crew"], []), /crew \(new; is Crew meant\?\), Crew\./);
    const many = Array.from({ length: 23 }, (_, index) => `team-${index}`);
    assert.match(newTeamsWords(many, []), /team-19, 3 teams\.$/);
});

test("the names of a table of users are read in its order, each once", () => {
    assert.deepEqual(namesInTable("Team; NAME \nn; eva \nn;eva\nn;\nn;juan"), ["eva", "juan"]);
    assert.deepEqual(namesInTable("team\nx"), []);
    assert.equal(namesInTable(`name\n${Array.from({ length: 900 }, (_, index) => `u${index}`).join("\n")}`, 501).length,
        501);
});

test("a telephone number in a table of users is no formula", () => {
    const users = [{ name: "eva", role: "member", team: "north", phone: "+34 985" }];
    assert.deepEqual(parseTable(usersTable(users))[1], ["eva", "member", "north", "", "", "+34 985", ""]);
    assert.deepEqual(parseTable(usersTable([{ name: "eva", phone: "+1+cmd|x" }]))[1].at(-2), "'+1+cmd|x");
});

test("each fault of a table is said with its line and column, in the language of the page", async () => {
    const problem = new Problem(422, { errorCount: 2000, errors: [
        { pointer: "/3/team", detail: "there is no team harbour", line: 3, column: "team" },
        { pointer: "/4", detail: "the row has 9 cells, and the header 6", line: 4 },
        { pointer: "?device", detail: "must be 1 to 64 letters (a to z, also large), digits and any of . _ - @" },
    ] });
    assert.equal(problem.errorCount, 2000);
    assert.deepEqual(tableFaults(problem).map(({ place, words }) => `${place}: ${words}`), [
        "line 3, team: There is no team harbour.", "line 4: The row has 9 cells, and the first line 6.",
        "device: Needs 1 to 64 letters without accents, digits or . _ - @, and no spaces.",
    ]);
    await setLanguage("ja");
    assert.equal(tableFaults(problem)[0].place, "3行目 team");
});

test("members and leaders in no team are on no roll, and are found by that", () => {
    const users = [
        { name: "ann", role: "member" }, { name: "bo", role: "leader" }, { name: "cy", role: "member", team: "north" },
        { name: "root", role: "admin" }, { name: "gate", role: "gateway" }, { name: "vera", role: "analyst" },
    ];
    assert.deepEqual(chosenUsers(users, { team: onNoRoll }).map(({ name }) => name), ["ann", "bo"]);
    assert.equal(chosenUsers(users, { team: noTeam }).length, 5);
    // As a form has it: no team is an empty text.
    assert.ok(isOnNoRoll({ role: "member", team: "" }) && !isOnNoRoll({ role: "admin", team: "" }));
});

test("users are found by any of their texts, their role and their team", () => {
    const users = [
        { name: "unit 10", role: "member", team: "north", crew: "Engine 3" }, { name: "unit 9", role: "leader" },
        { name: "eva", role: "member", team: "north", email: "Eva@Example.org", phone: "+34 985" },
    ];
    const names = (choice) => chosenUsers(users, choice).map(({ name }) => name);
    assert.deepEqual(names({}), ["eva", "unit 9", "unit 10"]);
    assert.deepEqual(names({ text: "EXAMPLE" }), ["eva"]);
    assert.deepEqual(names({ text: "engine" }), ["unit 10"]);
    assert.deepEqual(names({ team: noTeam }), ["unit 9"]);
    assert.deepEqual(names({ team: "north", role: "leader" }), []);
    const [member, leader] = users;
    assert.equal(mayChangeDevices({ name: "l", role: "leader", team: "north" }, member), true);
    assert.equal(mayChangeDevices({ name: "l", role: "leader", team: "south" }, member), false);
    assert.equal(mayChangeDevices({ name: "l", role: "leader" }, leader), false);
    assert.equal(mayChangeDevices({ name: "a", role: "admin" }, leader), true);
});

test("devices are found by how they are", () => {
    const now = Date.parse("2026-11-21T12:00:00Z");
    const devices = [
        { id: "a/phone" }, { id: "b/phone", heard: "2026-11-21T11:59:00Z", located: { battery: 7 } },
        { id: "c/phone", heard: "2026-11-21T10:00:00Z", position: { battery: 80 }, clock: {} },
    ];
    const ids = (how) => chosenDevices(devices, { how }, now).map(({ id }) => id[0]).join("");
    assert.deepEqual(["", "never", "silent", "low", "clock"].map(ids), ["abc", "a", "c", "b", "c"]);
    const users = [{ name: "a", team: "north" }, { name: "b", team: "south" }];
    const owned = [{ id: "b/x", user: "b" }, { id: "a/x", user: "a" }];
    const exported = (of, who) => exportedDevices(owned, users, { of, who }).map(({ id }) => id);
    assert.deepEqual(exported("everyone", ""), ["a/x", "b/x"]);
    assert.deepEqual(exported("team", "south"), ["b/x"]);
    assert.deepEqual(exported("person", "a"), ["a/x"]);
    assert.deepEqual(exported("team", ""), []);
});

test("what was emptied is removed, and a new user has only what was typed", () => {
    assert.deepEqual(userBody({ crew: " ", phone: " +1 23 ", databaseRoles: "first-aid, , x", role: "member" }),
        { crew: null, phone: "+1 23", databaseRoles: ["first-aid", "x"], role: "member" });
    assert.deepEqual(newUserBody({ name: " eva ", role: "member", team: "", crew: "", databaseRoles: "" }),
        { name: "eva", role: "member" });
});

test("a team's times are minutes on the page and seconds in the API", () => {
    const form = formOfTeam({ silenceSeconds: 90, closesAfterSeconds: 300, declaredHoldsSeconds: 3600,
        parEverySeconds: null, closesDrills: true, closesRealIncidents: false, showsSafetyAlways: false });
    assert.equal(form.silence, "1.5");
    assert.equal(form.parEvery, "");
    assert.deepEqual(teamBody({ silence: "1.5", parEvery: "", closesDrills: false }),
        { silenceSeconds: 90, parEverySeconds: null, closesDrills: false });
    assert.deepEqual(Object.keys(minuteFaults({ minutes: "0", leaderAfter: "2", sosAfter: "61" })),
        ["minutes", "sosAfter"]);
});

test("timers are in the order in which they are due", () => {
    const at = (user, dueAt, happened = "started") => ({ user, checkInTimer: { dueAt, happened } });
    const members = [at("late", "2026-11-21T13:00:00Z"), { user: "none" }, at("soon", "2026-11-21T12:00:00Z"),
        at("over", "2026-11-21T11:00:00Z", "ended")];
    assert.deepEqual(timedMembers(members).map(({ user }) => user), ["soon", "late"]);
});

test("rules go to the API as they were shown by it", () => {
    const rule = {
        name: "gate", region: { collection: "site", id: "gate/1" }, graceSeconds: 900, role: "first-aid",
        opensIncident: false,
        schedule: { zone: "Europe/Vienna", windows: [{ days: ["monday", "friday"], from: "22:00", to: "06:30" }] },
    };
    const { collection, region, schedule, graceSeconds, role } = attendanceBody(attendanceForm(rule));
    assert.deepEqual({ collection, region, graceSeconds, role, schedule },
        { collection: "site", region: "gate/1", graceSeconds: 900, role: "first-aid", schedule: rule.schedule });
    assert.equal(isPlain(rule), true);
    const [window] = rule.schedule.windows;
    assert.equal(isPlain({ schedule: { windows: [window, { ...window, from: "01:00" }] } }), false);
    const values = { ...attendanceForm(undefined), region: "site/gate", minimum: "2", after: "1.5" };
    assert.deepEqual(attendanceBody(values),
        { collection: "site", region: "gate", minimum: 2, afterSeconds: 90, opensIncident: false });
    const near = {
        centre: "lena/radio", demand: "fence", radius: "30", after: "", counts: "person", who: "ana", note: "",
    };
    assert.deepEqual(proximityBody(near),
        { centreDevice: "lena/radio", demand: "fence", radiusMetres: 30, person: "ana" });
});

test("those who match best come first, and those in the crew not at all", () => {
    const people = ["joanna", "ann", "anna", "hannes"]
        .map((name) => ({ name, crew: name === "anna" ? "E3" : undefined }));
    assert.deepEqual(candidates(people, "E3", "ANN").map(({ name }) => name), ["ann", "hannes", "joanna"]);
    assert.deepEqual(candidates(people, "E3", "  "), []);
});

test("an address that names each device itself is told from one that other devices reach", () => {
    for (const [address, host] of [
        ["http://localhost:8080", "localhost"], ["http://127.0.0.1:8080/", "127.0.0.1"],
        ["https://127.1.2.3", "127.1.2.3"], ["http://[::1]:8080", "[::1]"], ["http://0.0.0.0:8080", "0.0.0.0"],
        [" http://LOCALHOST ", "localhost"], ["http://muster.localhost", "muster.localhost"],
        ["http://[::ffff:127.0.0.1]:8080/x/#ms_a", "[::ffff:7f00:1]"], ["http://localhost./", "localhost."],
    ]) { assert.equal(ownHost(address), host, address); }
    for (const address of ["http://192.168.1.7:8080", "https://localhost.example.org", "https://127.example.org",
        "http://[fe80::1]", "http://[::ffff:c0a8:107]", "localhost", "",
    ]) { assert.equal(ownHost(address), undefined, address); }
});

test("an OwnTracks app is configured as the command line does it", () => {
    assert.equal(phoneAddress("https://muster.example.org/"), "https://muster.example.org/owntracks");
    for (const path of ["owntracks", "osmand", "overland/"]) {
        assert.equal(phoneAddress(`https://m.example/x/${path}`), "https://m.example/x/owntracks");
    }
    for (const wrong of ["muster.example.org", "ftp://x", "https://x/?a=1", "https://x/#a", "https://a:b@x/", "",
        `https://${"x".repeat(1000)}.org`]) { assert.equal(phoneAddress(wrong), undefined, wrong); }
    const content = configuration({
        address: "https://m.example/owntracks", user: "ana", device: "phone", token: "md_+/ü" });
    assert.deepEqual(JSON.parse(content), {
        _type: "configuration", mode: 3, url: "https://m.example/owntracks", auth: true, usePassword: true,
        username: "ana", password: "md_+/ü", deviceId: "phone", tid: "an" });
    const link = configurationLink(content);
    assert.match(link, /^owntracks:\/\/\/config\?inline=[\w%]+$/);
    assert.equal(Buffer.from(decodeURIComponent(link.split("inline=")[1]), "base64").toString(), content);
});

test("a password is made of letters that nobody confuses, and a poor one is refused", () => {
    const made = new Set(Array.from({ length: 200 }, () => newPassword()));
    assert.equal(made.size, 200);
    for (const password of made) { assert.match(password, /^[a-kmnp-z2-9]{5}(-[a-kmnp-z2-9]{5}){3}$/); }
    assert.equal(passwordFault("1234567"), "short");
    assert.equal(passwordFault("ééé".repeat(400)), "long");
    assert.equal(passwordFault("a good one"), undefined);
});

// What many people are given

test("what people are given goes on where it stopped, and leaves out whoever may not be invited", async () => {
    const sent = [];
    let isDown = true;
    const send = async (path, { method = "GET", body }) => {
        sent.push(`${method} ${path}`);
        if (path === "users/b/devices/phone/token" && isDown) { throw new Problem(403, { detail: "no" }); }
        if (path.startsWith("devices?")) {
            return new Response(JSON.stringify({ items: path.endsWith("=a") ? [{ name: "phone" }] : [] }));
        }
        if (body?.user === "has") { throw new Problem(409, { detail: "has a password" }); }
        return new Response(JSON.stringify({ token: "md_x", url: `https://m/#${body?.user}`, expiresTime: "soon" }));
    };
    const options = { device: "phone", address: "https://m.example" };
    const work = { kind: "owntracks", names: ["a", "b"], options, send };
    let made = [];
    await assert.rejects(handOut({ ...work, report: (found) => { made = found; } }), Problem);
    assert.deepEqual(made.map(({ name }) => name), ["a"]);
    isDown = false;
    made = await handOut({ ...work, before: made, report: () => {} });
    assert.deepEqual(made.map(({ name }) => name), ["a", "b"]);
    assert.equal(sent.filter((each) => each === "POST users/a/devices/phone/token").length, 1);
    assert.equal(sent.filter((each) => each === "POST users/a/devices").length, 0);
    assert.equal(sent.filter((each) => each === "POST users/b/devices").length, 2);
    const invited = await handOut({
        kind: "invitation", names: ["a", "has"], options: { lasts: "3600" }, send, report: () => {} });
    assert.deepEqual(parseTable(handOutTable("invitation", invited)), [["name", "link", "until"],
        ["a", "https://m/#a", "soon"]]);
});

// Exports

const csv = (rows) => `device,time\r\n${rows.map((row) => `${row}\r\n`).join("")}`;
const gpx = (tracks) => "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gpx version=\"1.1\" xmlns=\"x\">\n"
    + `${tracks.map((name) => `<trk><name>${name}</name><trkseg>\n</trkseg></trk>\n`).join("")}</gpx>\n`;
const geojson = (features) => `{"type":"FeatureCollection","features":[${features.join(",")}]}`;

/** An answer that comes a few bytes at a time, and may break off. */
function answer(text, { breaksAt } = {}) {
    const bytes = new TextEncoder().encode(text);
    let sent = 0;
    return new Response(new ReadableStream({
        pull(controller) {
            if (breaksAt !== undefined && sent >= breaksAt) { controller.error(new TypeError("cut")); return; }
            if (sent >= bytes.length) { controller.close(); return; }
            controller.enqueue(bytes.slice(sent, sent + 7));
            sent += 7;
        },
    }));
}

function memorySink() {
    const sink = {
        text: "",
        async write(text) { sink.text += text; },
        async rewind(bytes) { sink.text = Buffer.from(sink.text).subarray(0, bytes).toString(); },
    };
    return sink;
}

async function exported(form, answers, options = {}) {
    const sink = memorySink();
    const asked = new Map();
    const result = await exportAll({
        form, devices: Object.keys(answers).map((name) => ({ name })), sink, report: () => {},
        signal: new AbortController().signal, mayRetry: (error) => !(error instanceof Problem), wait: async () => {},
        read: async ({ name }) => {
            const attempt = asked.get(name) ?? 0;
            asked.set(name, attempt + 1);
            const given = answers[name];
            return typeof given === "function" ? given(attempt) : answer(given);
        },
        ...options,
    });
    return { text: sink.text, ...result };
}

test("the histories of many devices are one file in each format", async () => {
    const lines = await exported("csv", { a: csv(["a,1", "ä,2"]), b: csv([]), c: csv(["c,3"]) });
    assert.equal(lines.text, csv(["a,1", "ä,2", "c,3"]));
    assert.equal(lines.empty, 1);
    assert.equal(lines.bytes, Buffer.byteLength(lines.text));
    const tracks = await exported("gpx", { a: gpx(["a"]), b: gpx([]), c: gpx(["c"]) });
    assert.equal(tracks.text, gpx(["a", "c"]));
    const features = await exported("geojson",
        { none: geojson([]), a: geojson(["{\"a\":1}", "{\"b\":[]}"]), b: geojson([]), c: geojson(["{\"c\":2}"]) });
    assert.deepEqual(JSON.parse(features.text).features, [{ a: 1 }, { b: [] }, { c: 2 }]);
    assert.equal((await exported("geojson", { a: geojson([]) })).text, geojson([]));
});

test("an answer that breaks off is asked for again, and each position is there once", async () => {
    const whole = geojson(["{\"b\":1}", "{\"b\":2}"]);
    for (const breaksAt of [0, 14, 49, 56, whole.length - 1]) {
        const { text } = await exported("geojson", {
            a: geojson(["{\"a\":1}"]),
            b: (attempt) => answer(whole, attempt < 2 ? { breaksAt } : {}),
        });
        assert.deepEqual(JSON.parse(text).features, [{ a: 1 }, { b: 1 }, { b: 2 }], String(breaksAt));
    }
    // A proxy that ends an answer early as if it were whole.
    const { text } = await exported("gpx", {
        a: (attempt) => answer(attempt === 0 ? gpx(["a"]).slice(0, -4) : gpx(["a"])), b: gpx(["b"]) });
    assert.equal(text, gpx(["a", "b"]));
    assert.throws(() => { const body = new Body("geojson"); body.take("{\"type\":"); body.finish(); }, CutOff);
});

test("a device that is gone is left out, another refusal ends the export, and so does giving up", async () => {
    const gone = await exported("csv", { a: csv(["a"]), b: () => { throw new Problem(404); }, c: csv(["c"]) });
    assert.equal(gone.text, csv(["a", "c"]));
    assert.equal(gone.gone, 1);
    await assert.rejects(exported("csv", { a: () => { throw new Problem(403); } }), Problem);
    await assert.rejects(exported("csv", { a: () => { throw new TypeError("down"); } }), TypeError);
    const ending = new AbortController();
    await assert.rejects(exported("csv", { a: () => { ending.abort(); throw new TypeError("cut"); } },
        { signal: ending.signal }));
});

test("a request that made something is not repeated where no answer came", async () => {
    let count = 0;
    const failing = (error) => async () => { count += 1; throw error; };
    const { signal } = new AbortController();
    const wait = async () => {};
    await assert.rejects(persist(failing(new TypeError("cut")), "x", { method: "POST" }, signal, wait));
    assert.equal(count, 1);
    await assert.rejects(persist(failing(new Problem(503)), "x", { method: "POST" }, signal, wait));
    assert.equal(count, 7);
    await assert.rejects(persist(failing(new TypeError("cut")), "x", { method: "PUT" }, signal, wait));
    assert.equal(count, 13);
    await assert.rejects(persist(failing(new Problem(403)), "x", { method: "PUT" }, signal, wait));
    assert.equal(count, 14);
});

test("a phone that somebody has is proposed again, and a tag is no phone", () => {
    assert.deepEqual(phonesOf([{ name: "tag", beacon: "aa:bb" }, { name: "tablet" }, { name: "phone" }]),
        ["phone", "tablet"]);
    assert.deepEqual(phonesOf([]), []);
});

test("several invitations are withdrawn, also where one was used meanwhile", async () => {
    const sent = [];
    const send = async (path, { method }) => {
        sent.push(`${method} ${path}`);
        if (path === "links/b") { throw new Problem(404, { title: "gone" }); }
        if (path === "links/d") { throw new Problem(403, { title: "no" }); }
    };
    const counts = [];
    const links = [{ link: "a" }, { link: "b" }, { link: "c" }];
    assert.equal(await withdrawAll({ links, send, report: (count) => counts.push(count) }), 3);
    assert.deepEqual(sent, ["DELETE links/a", "DELETE links/b", "DELETE links/c"]);
    assert.deepEqual(counts, [1, 2, 3]);
    await assert.rejects(withdrawAll({ links: [{ link: "d" }, { link: "e" }], send }), { status: 403 });
    assert.equal(sent.at(-1), "DELETE links/d");
});
