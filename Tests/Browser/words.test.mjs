/** The pages in every language: no text is missing, none is English by mistake, and none means another thing. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { afterEach, test } from "node:test";

import "../../Web/console/frame/texts.js";
import { callWords, incidentWords } from "../../Web/console/incident/alarmwords.js";
import { sortings } from "../../Web/console/roster/order.js";
import { stateWords } from "../../Web/console/shared/rowwords.js";
import { spans } from "../../Web/console/person/track.js";
import { arrows } from "../../Web/console/timeline/eventwords.js";
import { lengthWords } from "../../Web/console/shared/length.js";
import { markOrder } from "../../Web/console/shared/marks.js";
import { presenceLines } from "../../Web/console/shared/presence.js";
import { emptyState, reduce } from "../../Web/console/shared/state.js";
import {
    addWords, around, currentLanguage, languageFor, languages, listed, setLanguage, t,
} from "../../Web/console/shared/words.js";

const web = new URL("../../Web/", import.meta.url);
const hasWords = (folder) => existsSync(new URL(`console/${folder}/words/en.js`, web));
/** The folders that have words: those of every page first, then the screens of the console, then the app's parts. */
const screens = readdirSync(new URL("console/", web)).sort()
    .filter((folder) => !["shared", "frame"].includes(folder) && hasWords(folder));
const parts = ["../me", ...readdirSync(new URL("me/", web)).sort().map((folder) => `../me/${folder}`)].filter(hasWords);
const folders = ["shared", "frame", ...screens, ...parts];
/** What the keys of a folder begin with. */
const beginning = (folder) => (folder === "../me" ? "me.app." : `${folder.replace("../", "").replaceAll("/", ".")}.`);

async function read(folder, tag) {
    return (await import(new URL(`console/${folder}/words/${tag}.js`, web))).default;
}

/** The texts of all folders, in one table a language. */
const tables = Object.fromEntries(await Promise.all(Object.keys(languages).map(async (tag) =>
    [tag, Object.assign({}, ...await Promise.all(folders.map((folder) => read(folder, tag))))])));
const { en } = tables;
const others = Object.entries(tables).filter(([tag]) => tag !== "en");

/** The texts of a key: one, or one for each plural category. */
const forms = (text) => (typeof text === "string" ? [text] : Object.values(text));
const placeholders = (text) => [...new Set(forms(text).flatMap((form) => form.match(/\{\w+\}/g) ?? []))].sort();

/** The name of each fault, so that a failure lists all of them at once. */
function checkEach(entries, isRight) {
    assert.deepEqual(entries.filter((entry) => !isRight(entry)).map(([key, text]) => [key, text]), []);
}

afterEach(() => setLanguage("en"));

test("every language has the texts that English has, in the same order", () => {
    for (const [, table] of others) { assert.deepEqual(Object.keys(table), Object.keys(en)); }
});

test("no two folders have the same key, and the keys of a screen begin with its folder", async () => {
    const keys = await Promise.all(folders.map(async (folder) => Object.keys(await read(folder, "en"))));
    assert.equal(new Set(keys.flat()).size, keys.flat().length);
    folders.slice(2).forEach((folder, index) => {
        assert.deepEqual(keys[index + 2].filter((key) => !key.startsWith(beginning(folder))), []);
    });
});

test("every text has the placeholders of the English one", () => {
    for (const [, table] of others) {
        checkEach(Object.entries(table), ([key, text]) => String(placeholders(text)) === String(placeholders(en[key])));
    }
});

test("a text that depends on a number has a form for each plural category of its language", () => {
    for (const [tag, table] of Object.entries(tables)) {
        // What Spanish calls "many" are whole millions: they take the form of all others.
        const wanted = new Intl.PluralRules(tag).resolvedOptions().pluralCategories.filter((name) => name !== "many");
        const counted = Object.entries(table).filter(([, text]) => typeof text !== "string");
        checkEach(counted, ([, text]) =>
            text.other.includes("{count}") && String(Object.keys(text).sort()) === String(wanted.sort()));
    }
});

test("no text is empty or has spaces at its ends, but for what stands between others", () => {
    for (const table of Object.values(tables)) {
        const texts = Object.entries(table).filter(([key]) => !/^between\.|^presence\.wasInside$/.test(key));
        checkEach(texts, ([, text]) => forms(text).every((form) => form !== "" && form === form.trim()));
    }
});

/** What is written with Latin letters in every language. */
const untranslated = new RegExp(
    "\\{\\w+\\}|SOS|Muster|Safari|muster target list|Scripts/web-vendor|WebGL|https|iPhone|iPad|MiB|GeoJSON|KML|GPX|CSV"
    + "|JSON|QR|OwnTracks|PAR|AWS|MQTT|CouchDB|Meshblu|EventBridge|IFTTT|Bluetooth|iBeacon|Slack|URL|API|Esc"
    + "|ATAK|TAK|HTTPS"
    + "|Ctrl(?:\\+[YZ])?|Enter|Tab|Delete|Shift|Alt|Page Up|Page Down|UUID|KMZ|WGS 84|Google Earth|OsmAnd|QGIS"
    + "|\\b(km|m|ft|mi|MB|kB|GB|s|ms|id)\\b", "g");

test("no Japanese or Chinese text has an English word", () => {
    for (const tag of ["ja", "zh"]) {
        checkEach(Object.entries(tables[tag]), ([, text]) =>
            forms(text).every((form) => !/[A-Za-z]/.test(form.replace(untranslated, ""))));
    }
});

test("no Spanish text is the English one, or has a word that only English has", () => {
    const bare = (text) => forms(text).join(" ").replace(untranslated, "").replace(/\b(s|min|h)\b/g, "");
    const english = /\b(the|is|are|was|not|of|and|since|with|by|from|at|to|you|your|nobody|safe|roll)\b/i;
    checkEach(Object.entries(tables.es), ([key, text]) => !english.test(bare(text))
        && (!/[a-z]{2}/i.test(bare(text)) || bare(text) !== bare(en[key])));
});

test("each state has one word in each language, which every text about that state has", () => {
    /** Texts that must have the word of a state. */
    const about = {
        safe: ["say.safe", "ask.safe", "order.safe", "groups.safe", "map.safeHere", "visitor.safe", "event.safe",
            "event.safeBy", "event.safeIn", "roll.saidSafe"],
        offSite: ["say.offSite", "ask.offSite", "order.offSite", "visitor.offSite", "event.offSite", "event.offSiteBy",
            "roll.saidOffSite"],
        needsHelp: ["say.needsHelp", "order.needsHelp", "visitor.needsHelp", "call.needsHelp", "event.needsHelp"],
        seemsToHaveLeft: ["known.left", "known.leftPlace", "leaving.one", "title.left", "event.seemsToHaveLeft"],
        unsafe: ["title.unsafe", "event.unsafe"],
        unknown: ["title.unknown", "event.unlocated", "event.underReview", "event.silent"],
        checking: ["doubt.checking", "title.checking", "tally.checking", "groups.crewChecking", "presence.checking",
            "presence.checkingIn", "presence.checkingSeveral", "presence.seemsIn", "presence.seemsNowhere"],
    };
    for (const [, table] of others) {
        const words = markOrder.map((state) => table[`state.${state}`]);
        assert.equal(new Set(words).size, markOrder.length);
        for (const [state, keys] of Object.entries(about)) {
            const word = table[`state.${state}`].toLowerCase();
            checkEach(keys.map((key) => [key, table[key]]), ([, text]) =>
                forms(text).some((form) => form.toLowerCase().includes(word)));
        }
    }
});

test("an assembly point has one name in each language, which is not the API's", () => {
    const others = { en: /muster region/i, es: /(región|zona) de reunión/i, ja: /集合(区域|地点)/, zh: /集合(区域|地)/ };
    for (const [tag, other] of Object.entries(others)) {
        checkEach(Object.entries(tables[tag]), ([, text]) => !other.test(forms(text).join(" ")));
    }
});

test("accounted for, checking and unaccounted are told apart in every language", () => {
    for (const table of Object.values(tables)) {
        const words = ["tally.accounted", "tally.checking", "tally.unaccounted"]
            .map((key) => table[key].replace(/\{\w+\}/g, "").trim());
        assert.equal(new Set(words).size, 3);
    }
    // "Seguro" says both "sure" and "safe".
    checkEach(Object.entries(tables.es), ([, text]) => !/\bsegur[oa]/i.test(forms(text).join(" ")));
    // To check in is to answer, and not to be well.
    checkEach(Object.entries(tables.zh), ([, text]) => !forms(text).join(" ").includes("平安"));
});

/** The code of the pages, without the tables. */
function sources(folder = web) {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
        const address = new URL(entry.name, folder);
        if (entry.isDirectory()) {
            const isRead = !["vendor", "basemap", "licences", "words"].includes(entry.name);
            return isRead ? sources(new URL(`${address}/`)) : [];
        }
        return entry.name.endsWith(".js") ? [readFileSync(address, "utf8")] : [];
    });
}

/** What the code of a screen puts in the place of `${…}` in a key: `endings/`, a file a screen that has any. */
async function endingsOfScreens() {
    const files = readdirSync(new URL("endings/", import.meta.url)).sort();
    return Object.assign({}, ...await Promise.all(
        files.map(async (file) => (await import(`./endings/${file}`)).default)));
}

/** What the code puts in the place of `${…}` in a key. */
const said = ["acknowledge", "safe", "offSite", "needsHelp", "clear"];
const endings = {
    ...await endingsOfScreens(),
    "state.": markOrder, "doubt.": ["checking", "stale", "poorAccuracy", "notUnderstood"], "sort.": sortings,
    "span.": Object.keys(spans),
    "say.": [...said, "takeOff"], "order.": [...said, "takeOff"],
    "visitor.": ["unaccounted", "safe", "needsHelp", "offSite"],
    "answer.": ["acknowledge", "clear", "sendWhere", "checkIn", "heardFrom", "addVisitor", "allClear", "reopen",
        "leadTaken", "leadSeen"],
    "connection.": ["connecting", "live", "refused"], "timer.minutes": [15, 30, 60, 120],
    "spoken.": ["safe", "needsHelp", "sos", "checkIn"],
    "presence.": ["still", "maybe", "poorAccuracy", "notUnderstood"],
    "wind.": ["north", "northEast", "east", "southEast", "south", "southWest", "west", "northWest"],
    "incident.mark.": ["safe", "offSite", "needsHelp"],
    "event.": ["sos", "needsHelp", "unsafe", "located", ...Object.keys(arrows)],
    "event.timer.": ["started", "checkedIn", "ended", "reminded", "overdue"],
    "event.incident.": ["started", "allAccounted", "notAllAccounted", "reopened"],
    "event.ended.": ["allAccounted", "automatic", "teamGone", "takenOver"],
};

/** The code of a page: of its first modules, and of all that they import, also later. */
function codeOf(...first) {
    const read = new Map();
    const add = (address) => {
        if (read.has(address.href) || /\/(vendor|words)\//.test(address.pathname)) { return; }
        const code = readFileSync(address, "utf8");
        read.set(address.href, code);
        for (const [, from] of code.matchAll(/(?:from |import\(|^import )"(\.[^"]+\.js)"/gm)) {
            add(new URL(from, address));
        }
    };
    for (const name of first) { add(new URL(name, web)); }
    return [...read.values()].join("\n");
}

/** The keys that code names. */
function namedKeys(code = sources().join("\n")) {
    const sections = [...new Set(Object.keys(en).map((key) => key.split(".")[0]))].join("|");
    const whole = [...code.matchAll(new RegExp(`"((?:${sections})(?:\\.\\w+)+)"`, "g"))].map(([, key]) => key);
    const plain = [...code.matchAll(/\bt\("(\w+)"/g)].map(([, key]) => key);
    const marked = [...code.matchAll(/\bby\("([\w.]+)"/g)].map(([, key]) => `${key}By`);
    const begun = [...code.matchAll(new RegExp(`\`((?:${sections})\\.[\\w.]*)\\$\\{`, "g"))].map(([, start]) => start);
    return { whole: [...whole, ...plain, ...marked], begun: [...new Set(begun)] };
}

test("every key that the code names is in the tables, and every key of the tables is used", () => {
    const { whole, begun } = namedKeys();
    assert.ok(whole.length > 200, "the scan finds the keys");
    assert.deepEqual(begun.sort(), Object.keys(endings).sort());
    const made = Object.entries(endings).flatMap(([start, ends]) => ends.map((end) => `${start}${end}`));
    const named = new Set([...whole, ...made]);
    assert.deepEqual([...named].filter((key) => !(key in en)), []);
    assert.deepEqual(Object.keys(en).filter((key) => !named.has(key)), []);
});

test("the member's app has every text that its code names, without the texts of the console's pages", async () => {
    const { whole, begun } = namedKeys(codeOf("me/app.js", "me/live-worker.js", "me/area/area-worker.js"));
    const own = Object.assign({}, ...await Promise.all(["shared", ...parts].map((folder) => read(folder, "en"))));
    const made = begun.flatMap((start) => endings[start].map((end) => `${start}${end}`));
    assert.ok(whole.length > 100, "the scan finds the keys");
    assert.deepEqual([...new Set([...whole, ...made])].filter((key) => !(key in own)), []);
});

test("the language is the first one that there is a table for, and English where there is none", () => {
    assert.equal(languageFor(["fr-FR", "es-MX", "en"]), "es");
    assert.equal(languageFor(["ZH-Hant-TW"]), "zh");
    assert.equal(languageFor(["ja"]), "ja");
    assert.equal(languageFor(["fr", "de-DE"]), "en");
    assert.equal(languageFor([]), "en");
});

test("a table that cannot be loaded leaves the language as it was", async () => {
    await setLanguage("ja");
    await assert.rejects(setLanguage("xx"));
    assert.equal(currentLanguage(), "ja");
    assert.equal(t("state.safe"), "安全");
});

test("numbers choose the plural form, and lengths are in the units of the country", async () => {
    await setLanguage("es");
    assert.equal(t("title.unsafe", { count: 1 }), "1 no está a salvo");
    assert.equal(t("title.unsafe", { count: 2 }), "2 no están a salvo");
    assert.match(t("track.points", { count: 1_000_000 }), /puntos$/);
    assert.equal(lengthWords(340, "es-MX"), "340\u00A0m");
    assert.match(lengthWords(340, "es-US"), /ft$/);
    await setLanguage("zh");
    assert.equal(lengthWords(340, "zh-CN"), "340\u00A0米");
});

const at = "2026-11-21T12:03:00.000Z";
const incident = { number: 1, team: "北班", kind: "drill", open: true, startedAt: at };
const people = [["葵", "safe"], ["蓮", "unknown"], ["凛", "safe", "checking"]];
const state = reduce(emptyState, { type: "snapshot", snapshot: {
    sequence: 1, positions: [], regions: [], incidents: [incident],
    members: people.map(([user, how, doubt]) => ({ user, state: how, doubt, team: "北班", safetySequence: 1 })),
} });

test("lists, quotations and the place of a name are those of the language", async () => {
    const call = { ...state.members.get("蓮"), state: "sos", since: at, note: "足を負傷" };
    const leader = { name: "lea", role: "leader", team: "北班" };
    await setLanguage("ja");
    assert.match(incidentWords(state, incident, leader), /から、3人中 1人 確認済み、確認中 1人、未確認 1人$/);
    assert.match(callWords(call, state, Date.parse(at)), /^蓮からSOS、.+:「足を負傷」、居場所不明、応答者なし$/);
    assert.deepEqual(around("row.since", "time"), ["", "から"]);
    assert.equal(listed(["甲", "", false, "乙"]), "甲、乙");
    await setLanguage("zh");
    assert.match(incidentWords(state, incident, leader), /，3 人中 1 人已确认，1 人核实中，1 人未确认$/);
    const left = { state: "unknown", region: { id: "sq", name: "广场" } };
    assert.equal(stateWords(left, "seemsToHaveLeft").join(""), "疑似已离开 广场");
});

test("the name of a region stands where the language has it, with what is before and after it", async () => {
    const member = reduce(emptyState, { type: "snapshot", snapshot: {
        sequence: 1, presenceSequence: 1, regions: [], members: [{ user: "葵", state: "safe", safetySequence: 1 }],
        positions: [{ device: "葵/phone", latitude: 1, longitude: 2, sampleTime: at }],
        presences: [{
            device: "葵/phone", region: { collection: "c", id: "a", name: "校庭" }, standing: "inside",
            probability: 0.87, since: at, sampleTime: at,
        }],
    } }).members.get("葵");
    const words = () => presenceLines(member, () => "12:03")[0].words;
    await setLanguage("ja");
    assert.deepEqual(words(), ["確度87%で12:03から", "校庭", "の中"]);
    await setLanguage("es");
    assert.deepEqual(words(), ["dentro de ", "校庭", " desde 12:03, certeza 87\u00A0%"]);
});

test("a part whose texts come while the language is changed has them in that language", async () => {
    await Promise.all([addWords("links"), setLanguage("es")]);
    const [[key, text]] = Object.entries(await read("links", "es"))
        .filter(([, each]) => typeof each === "string" && !each.includes("{"));
    assert.equal(t(key), text);
});

/** This test must be the last one of the file, because the texts that it adds stay. */
test("texts are added in English where the language's cannot be loaded and English is enough", async () => {
    await setLanguage("ja");
    await assert.rejects(addWords("nowhere"));
    await addWords("../../Tests/Browser/trial", { isEnglishEnough: true });
    assert.equal(t("trial.only"), "only in English");
    assert.equal(currentLanguage(), "ja");
});
