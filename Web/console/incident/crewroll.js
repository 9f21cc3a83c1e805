/** An incident's roll by crew: the people on it, their order, and the rows. Pure. */
import { waitingSince } from "../roster/order.js";
import { markOrder } from "../shared/marks.js";
import { isAccounted, isChecking, seemsToHaveLeft, shownState } from "../shared/safety.js";
import { withSignIn } from "../shared/names.js";
import { fullNameOf } from "../shared/roll.js";
import { byName } from "../shared/text.js";
import { understood } from "../shared/understood.js";
import { calledIn } from "./calledin.js";
import { crewKey, owesReport } from "./par.js";

const rank = new Map(markOrder.map((state, index) => [state, index]));

/**
 * Who is on the roll of an incident: of an open one as the page knows them now, of a closed one as its roll has them.
 * @param {object[]} [roll] that of the incident's JSON
 */
export function peopleOf(live, incident, roll) {
    if (incident.open) { return [...live.members.values()].filter(({ team }) => team === incident.team); }
    return peopleOfRoll(incident, roll);
}

/** Who is on a roll as the server told it, at one moment. */
export function peopleOfRoll(incident, roll) {
    const nameThen = calledIn(incident);
    return (roll ?? []).map((person) => memberOf(person, incident, nameThen));
}

/** @param {(user: string) => string} nameThen what the words about somebody call other users */
function memberOf({ person, user, visitor, removed, moved, left, ...rest }, { number, team }, nameThen) {
    const kind = visitor ? "visitor" : removed ? "removed" : moved ? "moved" : "user";
    const takenOff = rest.takenOff ?? rest.joinedTo ?? (left ? {} : undefined);
    const none = { positions: new Map(), clocks: new Map(), presences: new Map(), beliefs: new Map() };
    return {
        ...none, ...understood(rest), user: `/roll/${number}/${person}`, team, takenOff,
        // As they were called then; the sign-in name tells people of one name apart.
        name: visitor ? user : withSignIn(rest.displayName, user),
        nameThen, departure: removed ?? moved, roll: { incident: number, person, kind },
    };
}

/**
 * Sorts people by whom to look for first: by urgency, then by how long they have been so, then by name. The arguments
 * are those of `crewsOfRoll`.
 */
export function byNeed(people, stateOf, places) {
    return people.map((member) => {
        const how = stateOf(member);
        const urgency = (isAccounted(member) ? 100 : 0) + rank.get(how);
        return { member, urgency, sinceMs: waitingSince(member, how), place: places.get(member.user) };
    }).sort((left, right) => left.urgency - right.urgency || left.sinceMs - right.sinceMs || left.place - right.place)
        .map(({ member }) => member);
}

/**
 * The roll by crew: those first that have people who are not accounted for, or that owe a report, and in each crew the
 * people first whom somebody should look for. Who was taken off comes last.
 * @param {object[]} people
 * @param {object[]} [reports] the crews of the newest PAR
 * @param {(member: object) => string} stateOf how somebody is shown
 * @param {Map<string, number>} places the place of each by their name, as of `placesOf`
 * @returns {{key: string, crew?: string, visitors: boolean, isOff: boolean, people: object[], waiting: number,
 *   checking: number, report?: object}[]} the visitors are a crew of their own
 */
export function crewsOfRoll(people, reports, stateOf, places) {
    const groups = new Map();
    const group = (key, { crew, visitors = false } = {}, isOff = false) => {
        if (!groups.has(key)) { groups.set(key, { key, crew, visitors, isOff, people: [], waiting: 0, checking: 0 }); }
        return groups.get(key);
    };
    for (const report of reports ?? []) { group(crewKey(report), report).report = report; }
    // All at once, as each crew keeps the order in which its people come.
    for (const member of byNeed(people, stateOf, places)) {
        if (member.takenOff) { group("off", undefined, true).people.push(member); continue; }
        const of = { crew: member.crew, visitors: member.roll?.kind === "visitor" };
        const own = group(crewKey(of), of);
        own.people.push(member);
        if (isChecking(member)) { own.checking += 1; } else if (!isAccounted(member)) { own.waiting += 1; }
    }
    return [...groups.values()].sort((left, right) => urgency(left) - urgency(right) || byCrew(left, right));
}

function urgency({ isOff, waiting, checking, report }) {
    if (isOff) { return 9; }
    if (report?.isOverdue) { return 0; }
    if (report?.isShort) { return 1; }
    return waiting + checking > 0 ? 2 : 3;
}

function byCrew(left, right) {
    // Those of no crew come after the crews, and visitors after them.
    return Number(left.visitors) - Number(right.visitors)
        || Number(left.crew === undefined) - Number(right.crew === undefined)
        || byName(left.crew ?? "", right.crew ?? "");
}

/** How somebody is shown on the roll of an incident; a closed one keeps the state that they had. */
export function stateOnRoll(live, incident) {
    return incident.open ? (member) => shownState(live, member) : stateThen;
}

/** How somebody was shown on a roll that the server told. */
export function stateThen(member) {
    if (seemsToHaveLeft(member)) { return "seemsToHaveLeft"; }
    return isChecking(member) ? "checking" : member.state;
}

/** The rows of a roll: a head for each crew, and its people where it is not folded. */
export function rowsOfRoll(crews, { folded, isOnlyWaiting, text }) {
    const needle = text.trim().toLowerCase();
    const isShown = (member) => (!isOnlyWaiting || !isAccounted(member))
        && (needle === "" || `${fullNameOf(member)}\n${member.note ?? ""}`.toLowerCase().includes(needle));
    return crews.flatMap((crew) => {
        const isFiltered = isOnlyWaiting || needle !== "";
        const people = crew.isOff && isOnlyWaiting ? [] : crew.people.filter(isShown);
        if (isFiltered && people.length === 0 && !(crew.report && owesReport(crew.report))) { return []; }
        const head = { key: crew.key, crew };
        if (folded.has(crew.key)) { return [head]; }
        return [head, ...people.map((member) => ({ key: member.user, member }))];
    });
}
