/**
 * What the page knows: a value, and how each change makes the next one. No clock, no DOM, no I/O.
 *
 * Changes come in the order of their sequence. One that was already taken changes nothing, so that a feed that resumes
 * may repeat itself.
 */

import { eventOf, isQuestion, promptMs, withEvents } from "./eventlog.js";
import { applyRoll, endRoll, recordOf, withHandover, withRolls } from "./roll.js";
import { understood, understoodPresence } from "./understood.js";

/** As many events as the page keeps, the latest first. */
export const eventLimit = 200;
/** As many closed incidents as the page keeps, those that were closed last. */
export const closedLimit = 500;
/** A fix this inaccurate, from a cell tower say, tells the region of a town at best. */
const coarseMetres = 500;

/**
 * @typedef {{collection: string, id: string, name?: string, muster?: boolean}} RegionName
 * @typedef {object} Member
 * @property {string} user
 * @property {string} [team]
 * @property {"safe"|"unsafe"|"unknown"|"needsHelp"|"sos"|"offSite"} state
 * @property {"silence"|"unlocated"|"seemsToHaveLeft"|"underReview"|"region"|"position"|"ownDeclaration"|"marked"|
 *     "checkInTimer"} [source] how it is known
 * @property {string} [markedBy] who said so, where someone else did
 * @property {string} [acknowledgedBy] who has heard the call for help
 * @property {string} [since] RFC 3339
 * @property {string} [crew] the part of their team
 * @property {string} [phone] the number by which they can be called, where this user may see it
 * @property {RegionName} [region] what makes them safe
 * @property {"checking"|"stale"|"poorAccuracy"} [doubt] what keeps the state from being sure
 * @property {{note?: string, sampleTime?: string}} [call] what was last said with a call for help
 * @property {import("./timerwords.js").Timer} [timer] the person's check-in timer, if this user may see it
 * @property {{since: string, until: string, note?: string}} [pause] the pause that the person declared
 * @property {string} [heard] when the server last heard a device of theirs, as it told when it was last asked
 * @property {object} [located] where a device last was: {latitude, longitude, sampleTime, battery?}
 * @property {import("./roll.js").Place} [roll] their place on the roll of an open incident
 * @property {{at: string, by?: string, reason?: string}} [takenOff] that they were taken off that roll
 * @property {string} [callSeenAt] when the person said that they have seen the call of that incident
 * @property {{kind: string, at: string, by: string}} [unconfirmed] what was said of them that counts no longer
 * @property {Map<string, object>} beliefs by device: {estimate?, checking?}, where it is believed to be, and where its
 *   fixes seem to be while they are not believed
 * @property {number} safetySequence the change their safety stems from, or the snapshot's
 * @property {Map<string, object>} positions the current position of each device by its id
 * @property {Map<string, {aheadSeconds: number, receivedTime: string}>} clocks those of its devices that are ahead:
 *   what such a device tells counts for nothing, as nobody knows when it was
 * @property {Map<string, Map<string, Presence>>} presences how each device stands to each region, by `collection/id`
 *
 * @typedef {object} Presence what is worth telling: being far outside is not
 * @property {RegionName} region
 * @property {"inside"|"outside"|"unknown"} standing what is decided
 * @property {number} [probability] that the device is inside; absent while in doubt and under the raw policy
 * @property {"checking"|"poorAccuracy"|"stale"} [doubt]
 * @property {string} since when it became more probable than not, RFC 3339
 * @property {string} sampleTime of the fix this follows from
 *
 * @typedef {object} State
 * @property {number} sequence the latest change that this holds
 * @property {number} presenceSequence the latest change that the snapshot's presences hold
 * @property {Map<string, Member>} members by user
 * @property {Map<string, object>} regions by `collection/id`: {collection, id, name, muster, geometry, radius?}
 * @property {Map<number, object>} incidents those that are open, by number: {number, team, kind, startedAt, …},
 *   with the newest `handover` as {at, to, by, from}
 * @property {Map<number, object>} closed incidents that were closed, by number
 * @property {Set<string>} alwaysShown the teams whose safety is shown without an incident too
 * @property {{aheadSeconds: number, devices: number}} [serverClock] why the server suspects its own clock
 * @property {Map<string, import("../incident/questions.js").Question>} questions the newest "where are you now?" to
 *     each person
 * @property {object[]} events the latest first
 * @property {{people: boolean, regions: boolean}} outdated what must be asked of the server again
 */

/** @type {State} */
export const emptyState = Object.freeze({
    sequence: 0,
    presenceSequence: 0,
    members: new Map(),
    regions: new Map(),
    incidents: new Map(),
    closed: new Map(),
    alwaysShown: new Set(),
    questions: new Map(),
    events: [],
    outdated: { people: false, regions: false },
});

/**
 * The state after an action.
 * @param {State} state
 * @param {{type: "snapshot", snapshot: object} | {type: "history"|"changes", changes: object[]}
 *   | {type: "heard", people: object[]}} action
 *   `snapshot` is what `loadSnapshot` answers; `history` are changes from before it, for events and trails alone;
 *   `heard` are the people that `loadHeard` answers, which no change tells: a device may be heard without being
 *   stored
 * @returns {State} a new value; the old one is left as it was
 */
export function reduce(state, action) {
    switch (action.type) {
        case "snapshot": return withSnapshot(state, action.snapshot);
        case "history": return withHistory(state, action.changes);
        case "changes": return withChanges(state, action.changes);
        case "heard": return withHeard(state, action.people);
        default: throw new TypeError(`no such action: ${action.type}`);
    }
}

/** The current position that was sampled last among a member's devices; undefined when there is none. */
export function latestPosition(member) {
    let latest;
    for (const position of member.positions.values()) {
        if (!latest || Date.parse(position.sampleTime) > Date.parse(latest.sampleTime)) { latest = position; }
    }
    return latest;
}

/** Whether a position says only roughly where its device is: it is shown, but joins no track and widens no view. */
export function isCoarse(position) {
    return position.accuracy >= coarseMetres;
}

function withSnapshot(state, snapshot) {
    const members = new Map();
    for (const { device, estimate, checking, checkInTimer: timer, ...person } of snapshot.members) {
        const call = person.call ?? state.members.get(person.user)?.call;
        const member = { ...understood(person), ...nowhere(), call, timer };
        member.timerSequence = member.pauseSequence = person.safetySequence;
        if (device && (estimate || checking)) { member.beliefs.set(device, { estimate, checking }); }
        members.set(person.user, member);
    }
    for (const position of snapshot.positions) {
        const member = memberNamed(members, owner(position.device), snapshot.sequence);
        member.positions.set(position.device, position);
    }
    for (const { device, ...clock } of snapshot.clocks ?? []) {
        memberNamed(members, owner(device), snapshot.sequence).clocks.set(device, clock);
    }
    for (const { device, ...presence } of snapshot.presences ?? []) {
        const member = memberNamed(members, owner(device), snapshot.sequence);
        member.presences = withPresence(member.presences, device, presence);
    }
    const questions = new Map([...state.questions].filter(([user]) => members.has(user)));
    return {
        ...state,
        questions,
        sequence: Math.max(state.sequence, snapshot.sequence),
        presenceSequence: snapshot.presenceSequence ?? snapshot.sequence,
        members: withRolls(members, snapshot.rolls ?? [], nowhere),
        incidents: new Map((snapshot.incidents ?? []).map((incident) => [incident.number, incident])),
        closed: new Map((snapshot.closed ?? []).map((incident) => [incident.number, incident])),
        alwaysShown: new Set(snapshot.alwaysShown ?? []),
        serverClock: snapshot.serverClock,
        regions: new Map(snapshot.regions.map((region) => [regionKey(region), region])),
        outdated: { people: false, regions: false },
    };
}

function withHistory(state, changes) {
    const draft = draftOf(state);
    for (const change of changes) {
        tell(draft, change);
        applyQuestion(draft, change);
    }
    return finished(draft);
}

function withChanges(state, changes) {
    const draft = draftOf(state);
    for (const change of changes) {
        if (change.sequence <= draft.sequence) { continue; }
        draft.sequence = change.sequence;
        apply(draft, change);
    }
    return draft.sequence === state.sequence ? state : finished(draft);
}

/** When people were heard and located, where that is newer than what is known. */
function withHeard(state, people) {
    const members = new Map(state.members);
    for (const { user, heard, located } of people) {
        const member = members.get(user);
        if (!member) { continue; }
        members.set(user, { ...member, heard: heard ?? member.heard, located: located ?? member.located });
    }
    return { ...state, members };
}

/**
 * A copy whose members the functions below may change, as nobody else sees it yet. All else changes seldom: whoever
 * changes it puts a copy in its place, so that a view of a part that stayed as it was need not be drawn again.
 */
function draftOf(state) {
    return { ...state, members: new Map(state.members), outdated: { ...state.outdated }, told: [] };
}

/** The state of a draft, with the events that its changes told of. */
function finished({ told, ...state }) {
    const events = withEvents(state.events, told);
    return { ...state, events: events.length > eventLimit ? events.slice(0, eventLimit) : events };
}

/** Notes what a change tells. The events of many changes are put in order together. */
function tell(draft, change) {
    const event = eventOf(draft, change);
    if (event) { draft.told.push(event); }
}

function apply(draft, change) {
    switch (change.type) {
        case "position": applyPosition(draft, change); break;
        case "presence": applyPresence(draft, change); break;
        case "crossing": applyRawCrossing(draft, change); break;
        case "safety": applySafety(draft, change); break;
        case "checkInTimer": applyTimer(draft, change); break;
        case "pause": applyPause(draft, change); break;
        case "incident": applyIncident(draft, change); break;
        case "roll":
            if (!applyRoll(draft, change, nowhere)) { draft.outdated.people = true; }
            break;
        case "region": draft.outdated.regions = true; break;
        case "directory":
            draft.outdated.people = true;
            if (change.kind === "collection" || change.kind === "tracker") { draft.outdated.regions = true; }
            break;
        // Beacons seen and notes of a device may come by the thousand: they move nobody, and would push out the events.
        case "note":
            if (change.kind === "clock") { forgetClock(draft, change.device); }
            break;
        case "belief": applyBelief(draft, change); break;
        case "declaration": applyDeclaration(draft, change); break;
        case "action": applyQuestion(draft, change); break;
        case "sighting":
        case "range":
        // A call told again shows among the events.
        case "reminder":
        default: break;
    }
    tell(draft, change);
}

/** A late position is history: it moves nobody. One of a time to come tells of its device's clock. */
function applyPosition(draft, { device, position, late, sequence }) {
    if (!position) { return; }
    const member = { ...memberNamed(draft.members, owner(device), sequence) };
    const clock = late ? clockAhead(position) : undefined;
    if (clock) {
        member.clocks = new Map(member.clocks).set(device, clock);
        draft.members.set(member.user, member);
    }
    if (late) { return; }
    if (Date.parse(position.receivedTime) > Date.parse(member.clocks.get(device)?.receivedTime)) {
        member.clocks = new Map(member.clocks);
        member.clocks.delete(device);
    }
    const known = member.positions.get(device);
    if (known && Date.parse(position.sampleTime) < Date.parse(known.sampleTime)) { return; }
    member.positions = new Map(member.positions).set(device, { ...position, device });
    draft.members.set(member.user, member);
}

/** A clock is right again, and no stored position says so: its device stays where it is. */
function forgetClock(draft, device) {
    const member = draft.members.get(owner(device));
    if (!member?.clocks.has(device)) { return; }
    const clocks = new Map(member.clocks);
    clocks.delete(device);
    draft.members.set(member.user, { ...member, clocks });
}

/** The snapshot of the presences may be newer than the first changes that follow that of the positions. */
function applyPresence(draft, { device, region, standing, probability, doubt, since, sampleTime, sequence }) {
    if (sequence <= draft.presenceSequence) { return; }
    setPresence(draft, device, { region, standing, probability, doubt, since, sampleTime });
}

/**
 * Under the raw policy the log tells of crossings alone, and they carry no probability. An exit that was held back
 * carries none either: by then its presence is over all the same.
 */
function applyRawCrossing(draft, { device, region, kind, probability, sampleTime, sequence }) {
    if (sequence <= draft.presenceSequence || probability !== undefined) { return; }
    const standing = { enter: "inside", exit: "outside" }[kind];
    if (standing) { setPresence(draft, device, { region, standing, since: sampleTime, sampleTime }); }
}

function setPresence(draft, device, presence) {
    const member = memberNamed(draft.members, owner(device), 0);
    const presences = withPresence(member.presences, device, presence);
    draft.members.set(member.user, { ...member, presences });
}

/**
 * Presences with one replaced; or forgotten, as the server forgets it, when the device is outside, nothing is being
 * checked, and it is not likely to have come in.
 */
function withPresence(presences, device, told) {
    const presence = understoodPresence(told);
    const ofDevice = new Map(presences.get(device));
    const { region, standing, doubt, probability } = presence;
    const isFar = standing === "outside" && doubt !== "checking" && !(probability > 0.5);
    if (isFar) { ofDevice.delete(regionKey(region)); } else { ofDevice.set(regionKey(region), presence); }
    const all = new Map(presences);
    if (ofDevice.size > 0) { all.set(device, ofDevice); } else { all.delete(device); }
    return all;
}

/** Where a device is believed to be; and where it seems to be, until its fixes are believed again. */
function applyBelief(draft, { device, estimate, checking, sequence }) {
    const member = memberNamed(draft.members, owner(device), sequence);
    const beliefs = new Map(member.beliefs).set(device, { estimate, checking });
    draft.members.set(member.user, { ...member, beliefs });
}

/** A question where somebody is; no other action concerns the page. */
function applyQuestion(draft, change) {
    if (!isQuestion(change)) { return; }
    draft.questions = new Map(draft.questions).set(change.user, { by: change.author, at: change.at });
}

/** What is said with a call for help; that there is one shows in the safety that follows. */
function applyDeclaration(draft, change) {
    const { user, kind, note, sampleTime, late } = change;
    const known = draft.members.get(user);
    if (!known) { return; }
    const member = draft.incidents.size > 0 ? { ...known, ...recordOf(known, change) } : known;
    draft.members.set(user, member);
    if (late || (kind !== "sos" && kind !== "needsHelp")) { return; }
    const isCalling = member.state === "sos" || member.state === "needsHelp";
    const kept = note ?? (isCalling ? member.call?.note : undefined);
    draft.members.set(user, { ...member, call: { note: kept, sampleTime } });
}

/** The snapshot of a team may be newer than the first changes that follow the snapshot of the positions. */
function applySafety(draft, { user, state, since, region, source, markedBy, acknowledgedBy, doubt, sequence }) {
    const member = memberNamed(draft.members, user, 0);
    if (sequence <= member.safetySequence) { return; }
    const safety = understood({ state, since, region, source, markedBy, acknowledgedBy, doubt });
    draft.members.set(user, { ...member, ...safety, safetySequence: sequence });
}

/** The snapshot of a team may be newer than the first changes here, too. */
function applyTimer(draft, { user, sequence, type, at, ...timer }) {
    const member = memberNamed(draft.members, user, 0);
    if (sequence <= (member.timerSequence ?? 0)) { return; }
    draft.members.set(user, { ...member, timer: timer.happened === "ended" ? undefined : timer });
}

/** Applies a pause that a person declared. The snapshot of a team may already contain the first changes. */
function applyPause(draft, { user, happened, since, until, note, sequence }) {
    const member = memberNamed(draft.members, user, 0);
    if (sequence <= (member.pauseSequence ?? 0)) { return; }
    const pause = happened === "began" ? { since, until, note } : undefined;
    draft.members.set(user, { ...member, pause, pauseSequence: sequence });
}

function applyIncident(draft, change) {
    const incident = withHandover(change, draft.incidents.get(change.number) ?? draft.closed.get(change.number));
    draft.incidents = new Map(draft.incidents);
    draft.closed = new Map(draft.closed);
    const [is, was] = incident.open ? [draft.incidents, draft.closed] : [draft.closed, draft.incidents];
    const wasClosed = was.delete(incident.number) && incident.open;
    is.set(incident.number, incident);
    // Who stands on the roll of a reopened one alone is told by the roll.
    if (!incident.open) { endRoll(draft, incident.number); } else if (wasClosed) { draft.outdated.people = true; }
    if (draft.closed.size > closedLimit) { draft.closed.delete(draft.closed.keys().next().value); }
}

/** By how much the clock is ahead that a position's time is of; undefined where that time can be. */
function clockAhead({ sampleTime, receivedTime }) {
    const aheadSeconds = Math.floor((Date.parse(sampleTime) - Date.parse(receivedTime)) / 1000);
    return aheadSeconds >= promptMs / 1000 ? { aheadSeconds, receivedTime } : undefined;
}

/** The member of that name, added as unknown when there was none. */
function memberNamed(members, user, safetySequence) {
    let member = members.get(user);
    if (!member) {
        member = { user, state: "unknown", safetySequence, ...nowhere() };
        members.set(user, member);
    }
    return member;
}

/** The parts of a member of whom no device was heard. */
function nowhere() {
    return { positions: new Map(), clocks: new Map(), presences: new Map(), beliefs: new Map() };
}

/** `alice` of `alice/phone`. */
function owner(device) {
    const slash = device.indexOf("/");
    return slash < 0 ? device : device.slice(0, slash);
}

/** What a region is called in `State.regions`. */
export function regionKey({ collection, id }) {
    return `${collection}/${id}`;
}
