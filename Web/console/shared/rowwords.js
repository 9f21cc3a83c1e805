/** What a person's row says beside the state: the evidence, when heard and located, the battery, the roll. Pure. */
import { isOnRollAlone, nameOf } from "./roll.js";
import { lengthWords } from "./length.js";
import { called } from "./names.js";
import { doubtWords, isAccounted } from "./safety.js";
import { isCoarse, latestPosition } from "./state.js";
import { legible } from "./text.js";
import { age, clockTime, duration, minuteTime } from "./time.js";
import { around, listed, t } from "./words.js";

/** The battery level below which a phone may soon be silent, in per cent. */
const lowPercent = 20;

/** When one of the person's devices was last heard, RFC 3339. A device can be heard without telling its place. */
export function heardOf(member) {
    const received = [...member.positions.values()].map(({ receivedTime, sampleTime }) => receivedTime ?? sampleTime);
    return latest([member.heard, ...received]);
}

/** The sample time of the person's newest known place, RFC 3339. */
export function locatedOf(member) {
    return latest([member.located?.sampleTime, latestPosition(member)?.sampleTime]);
}

/** The battery level in per cent that came with the newest place. */
export function batteryOf(member) {
    const position = latestPosition(member);
    const isStoredNewer = !member.located
        || Date.parse(position?.sampleTime) >= Date.parse(member.located.sampleTime);
    return isStoredNewer ? position?.battery ?? member.located?.battery : member.located.battery;
}

export function isBatteryLow(percent) {
    return percent !== undefined && percent < lowPercent;
}

/** For example `battery 14 %, low`; empty if no level is known. */
export function batteryWords(member) {
    const percent = batteryOf(member);
    if (percent === undefined) { return ""; }
    const words = t("text.percent", { number: Math.round(percent) });
    return t(isBatteryLow(percent) ? "row.batteryLow" : "row.battery", { percent: words });
}

/** The words at the right of a row: the state, with any doubt, and how the state is known. */
export function stateWords(member, shown) {
    const word = t(`state.${shown}`);
    if (shown === "seemsToHaveLeft") {
        if (!member.region) { return [word, ""]; }
        const place = legible(member.region.name || member.region.id);
        const [before, after] = around("row.leftPlace", "state", { place });
        return [`${before}${word}`, after];
    }
    const isSaid = !member.doubt || (shown === "checking" && member.doubt === "checking");
    return [isSaid ? word : listed([word, doubtWords(member.doubt)]), knownBy(member)];
}

/** How a state is known; empty if the state itself makes that plain. */
export function knownBy({ state, region, source, markedBy: marker, acknowledgedBy, nameThen = called }) {
    // Nobody marks a person as not found, so that state names no marker.
    const markedBy = state === "unknown" ? undefined : marker;
    const place = region && legible(region.name || region.id);
    const marked = markedBy && t("known.marked", { name: nameThen(markedBy) });
    const known = {
        region: place, ownDeclaration: state === "unknown" ? undefined : t("known.ownWord"), marked,
        seemsToHaveLeft: place ? t("known.leftPlace", { place }) : t("known.left"),
        underReview: t("known.underReview"), checkInTimer: t("known.timer"),
    }[source] ?? place ?? marked;
    const heard = acknowledgedBy && t("known.heardBy", { name: nameThen(acknowledgedBy) });
    return [known, heard].filter(Boolean).map((word) => ` · ${word}`).join("");
}

/** What the roll of an open incident says of a person beside the state; empty for most people. */
export function rollWords(member, nowMs) {
    const { takenOff, unconfirmed, roll, departure, nameThen = called } = member;
    if (takenOff) {
        const words = by("roll.takenOff", takenOff, nameThen, { time: clockTime(takenOff.at, nowMs) });
        return takenOff.reason ? t("roll.reason", { words, reason: legible(takenOff.reason) }) : words;
    }
    if (roll?.kind === "removed") { return by("roll.removed", departure, nameThen); }
    if (roll?.kind === "moved") { return by("roll.moved", departure, nameThen); }
    if (unconfirmed && !isAccounted(member)) {
        const key = { safe: "roll.saidSafe", offSite: "roll.saidOffSite" }[unconfirmed.kind];
        // What only a newer server knows is not told as "safe".
        return key ? t(key, { name: nameThen(unconfirmed.by), age: age(unconfirmed.at, nowMs) }) : "";
    }
    return "";
}

/** Says that a person has paused, by their own word; empty for others, and for a person who calls for help. */
export function pauseWords({ state, pause }, nowMs) {
    const isCall = state === "sos" || state === "needsHelp";
    if (!pause || isCall || !(Date.parse(pause.until) > nowMs)) { return ""; }
    const words = t("row.paused", { time: minuteTime(pause.until, nowMs) });
    return pause.note ? listed([words, t("text.quoted", { text: legible(pause.note) })]) : words;
}

/** When a person was heard; or that their device's clock is wrong, because then no time can be told. */
export function heardWords(member, nowMs) {
    const clock = latestClock(member);
    if (clock) {
        const told = { duration: duration(Math.abs(clock.aheadSeconds)), age: age(clock.receivedTime, nowMs) };
        const key = clock.aheadSeconds < 0 ? "row.clockBehind" : "row.clockAhead";
        return { at: clock.receivedTime, words: t(key, told) };
    }
    if (member.roll?.kind === "visitor") { return { words: t("row.visitor") }; }
    const at = heardOf(member);
    return { at, words: at ? t("row.heard", { age: age(at, nowMs) }) : t("row.neverHeard") };
}

/** When a person was located, and how exactly if the place is rough; empty if they were never located. */
export function locatedWords(member, nowMs) {
    const at = locatedOf(member);
    if (!at) { return { words: "" }; }
    const position = latestPosition(member);
    const words = t("row.located", { age: age(at, nowMs) });
    return { at, words: listed([words, position && isCoarse(position) && `±${lengthWords(position.accuracy)}`]) };
}

/** The note shown with a person; while they call for help, the note of that call. */
export function noteWords({ state, call, note, roll }) {
    const isCall = state === "sos" || state === "needsHelp";
    const { isByLink, text } = writtenNote({ note: note ?? (isCall ? call?.note : undefined), roll });
    return listed([isByLink && t("roll.byLink"), text && t("text.quoted", { text: legible(text) })]);
}

/** How the server begins the note of a visitor who entered by a link. */
const byLink = /^entered by a link(?:: )?/;

/**
 * What somebody wrote as a note, without what the server put before it.
 * @returns {{isByLink: boolean, text: string}}
 */
export function writtenNote({ note = "", roll }) {
    const isByLink = roll?.kind === "visitor" && byLink.test(note);
    return { isByLink, text: isByLink ? note.replace(byLink, "") : note };
}

/** Why a person cannot be shown on the map; empty if they can. */
export function nowhereWords(member) {
    if (latestPosition(member)) { return ""; }
    const name = legible(nameOf(member));
    if (member.roll?.kind === "visitor") { return t("nowhere.visitor", { name }); }
    if (isOnRollAlone(member)) { return t("nowhere.onRollAlone", { name }); }
    const [wrong] = member.clocks;
    if (!wrong) { return t("nowhere.unknown", { name }); }
    const [device, { aheadSeconds }] = wrong;
    return t("nowhere.clock", { name, device, duration: duration(aheadSeconds) });
}

/** The last report of a wrong clock; undefined if a device with a right clock was heard since. */
function latestClock(member) {
    if (member.clocks.size === 0) { return undefined; }
    const clocks = [...member.clocks.values()].map((clock) => ({ ...clock, ms: Date.parse(clock.receivedTime) }));
    const newest = clocks.sort((left, right) => right.ms - left.ms)[0];
    const position = latestPosition(member);
    return newest && !(position && Date.parse(position.sampleTime) > newest.ms) ? newest : undefined;
}

function by(key, act, nameThen, parameters = {}) {
    return act?.by ? t(`${key}By`, { ...parameters, name: nameThen(act.by) }) : t(key, parameters);
}

function latest(times) {
    const known = times.filter((time) => !Number.isNaN(Date.parse(time ?? "")));
    return known.reduce((left, right) => (Date.parse(right) > Date.parse(left) ? right : left), known[0]);
}
