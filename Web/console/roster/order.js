/** Whom the roster shows, and in which order. Pure. */
import { markOrder } from "../shared/marks.js";
import { namesVersion } from "../shared/names.js";
import { isOnRollAlone, nameOf } from "../shared/roll.js";
import { isAccounted, isChecking, shownState } from "../shared/safety.js";
import { byName } from "../shared/text.js";
import { heardOf } from "../shared/rowwords.js";
import { presenceIn } from "./inside.js";

/** By what the roster can be sorted. */
export const sortings = Object.freeze(["state", "name", "crew", "since", "heard"]);

/**
 * @typedef {object} Filter
 * @property {string} [only] the one state to show
 * @property {string} [crew] the one crew to show
 * @property {string} [region] the one muster region, as `collection/id`, to show those who are safe in
 * @property {string} [inside] the one region, as `collection/id`, to show those who are in it, however they are
 * @property {string} [text] what the name, crew, team, phone number or region must contain
 * @property {"state"|"name"|"crew"|"since"|"heard"} sorting
 */

const rank = new Map(markOrder.map((state, index) => [state, index]));
/** The place of each name among all, by the names that there are: to compare names is most of the cost of sorting. */
let rankedNames = new Map();
/** The names by which that was made. */
let rankedVersion;
/** The users in the order that was last found: most stand where they stood, and those need not be moved. */
let lastOrder = [];
/** Times in milliseconds by their texts: to read them is most of what is left of the cost. */
const readTimes = new Map();
const readTimesLimit = 50_000;

/**
 * The members that a filter shows, in order.
 * @param {import("../shared/state.js").State} state
 * @param {Filter} filter
 * @returns {import("../shared/state.js").Member[]} O(n log n) of the members
 */
export function orderedMembers(state, filter) {
    const needle = folded(filter.text ?? "");
    const shown = [];
    for (const member of inLastOrder(state.members)) {
        const how = shownState(state, member);
        // Nobody waits for those who were taken off the roll.
        if (filter.only && (how !== filter.only || member.takenOff)) { continue; }
        if (filter.crew && crewKey(member) !== filter.crew) { continue; }
        if (filter.region && !(member.state === "safe" && regionKeyOf(member) === filter.region)) { continue; }
        if (filter.inside && !presenceIn(member, filter.inside)) { continue; }
        if (needle && !haystack(member).includes(needle)) { continue; }
        shown.push({ member, key: keyOf(member, how, filter.sorting), longestMs: waitingSince(member, how) });
    }
    const places = placesOf(state.members);
    const isByState = filter.sorting === "state";
    shown.sort((left, right) => {
        const { key: before } = left;
        const { key: after } = right;
        const order = typeof before === "number" ? before - after : byName(before, after);
        return order || (isByState && left.longestMs - right.longestMs)
            || places.get(left.member.user) - places.get(right.member.user);
    });
    const members = shown.map(({ member }) => member);
    lastOrder = members.map(({ user }) => user);
    return members;
}

/** The members, first those who were ordered last, in that order: a sort of what is sorted compares each once. */
function* inLastOrder(members) {
    const given = new Set();
    for (const user of lastOrder) {
        const member = members.get(user);
        if (member) { given.add(user); yield member; }
    }
    for (const [user, member] of members) { if (!given.has(user)) { yield member; } }
}

function milliseconds(time) {
    if (time === undefined) { return 0; }
    let found = readTimes.get(time);
    if (found === undefined) {
        found = Date.parse(time) || 0;
        if (readTimes.size >= readTimesLimit) { readTimes.clear(); }
        readTimes.set(time, found);
    }
    return found;
}

/** The states that nobody need act on: people in them are found by their names. */
const calmStates = new Set(["safe", "located", "offSite"]);

/**
 * Since when somebody is in a state for which others look for them, in milliseconds: of equal urgency those come first
 * who have waited longest, and before them those of whom nobody knows since when, who have no time: 0. So have all in a
 * state that nobody need act on.
 */
export function waitingSince({ since }, how) {
    return calmStates.has(how) ? 0 : milliseconds(since);
}

/** What names one crew among those of all teams. */
export function crewKey({ team, crew }) {
    return crew === undefined ? "" : `${team}/${crew}`;
}

/**
 * The crews there are, each with how many of its people are accounted for.
 * @returns {{key: string, team: string, crew: string, people: number, accounted: number, checking: number}[]} by team
 *     and name
 */
export function crewsOf(state) {
    const crews = new Map();
    for (const member of state.members.values()) {
        if (member.crew === undefined || member.takenOff) { continue; }
        const key = crewKey(member);
        const { team, crew } = member;
        const counted = crews.get(key) ?? { key, team, crew, people: 0, accounted: 0, checking: 0 };
        counted.people += 1;
        if (isAccounted(member)) { counted.accounted += 1; }
        if (isChecking(member)) { counted.checking += 1; }
        crews.set(key, counted);
    }
    return [...crews.values()].sort((left, right) => byName(left.key, right.key));
}

/** How many people are safe in each muster region, by `collection/id`; those in doubt do not count. */
export function sheltered(state) {
    const counts = new Map();
    for (const member of state.members.values()) {
        if (!member.region || !isAccounted(member) || member.state !== "safe" || member.takenOff) { continue; }
        const key = regionKeyOf(member);
        counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return counts;
}

function regionKeyOf({ region }) {
    return region && `${region.collection}/${region.id}`;
}

function keyOf(member, how, sorting) {
    switch (sorting) {
        case "name": return 0;
        // Those of no crew come last.
        case "crew": return member.crew === undefined ? "\u{10FFFF}" : crewKey(member);
        // The newest first, and those of whom nothing is known last.
        case "since": return -milliseconds(member.since);
        case "heard": return -(Date.parse(heardOf(member)) || 0);
        default: return rank.get(how);
    }
}

function haystack(member) {
    const { user, displayName, team, crew, phone, region } = member;
    const signIn = isOnRollAlone(member) ? undefined : user;
    return folded([nameOf(member), displayName, signIn, team, crew, phone, region?.name].filter(Boolean).join("\n"));
}

/** Without accents and capitals, so that `zoe` finds `Zoë`. */
export function folded(text) {
    return text.normalize("NFKD").replace(/\p{Diacritic}/gu, "").toLowerCase().trim();
}

/** The place of each member's name. A member who came or left makes it anew, and so does another name. */
export function placesOf(members) {
    const isKnown = rankedVersion === namesVersion() && rankedNames.size === members.size
        && [...members.keys()].every((user) => rankedNames.has(user));
    if (!isKnown) {
        const sorted = [...members.values()].sort((left, right) => byName(nameOf(left), nameOf(right)));
        rankedVersion = namesVersion();
        rankedNames = new Map(sorted.map(({ user }, index) => [user, index]));
    }
    return rankedNames;
}
