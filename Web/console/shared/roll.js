/**
 * The rolls of open incidents: who is on one without being of the team that is shown, as a visitor is who has no phone,
 * and what a roll says of the team's own people. Pure.
 */
import { nameOfUser, shortWithSignIn, withSignIn } from "./names.js";
import { understood } from "./understood.js";

/**
 * @typedef {object} Place where on which roll someone stands
 * @property {number} incident
 * @property {number} person the number on the roll, below 0 for visitors
 * @property {"user"|"visitor"|"removed"|"moved"} kind who that is; of all but users nobody speaks by declarations
 */

/** No user has such a name. */
const rowKey = (incident, person) => `/roll/${incident}/${person}`;

/** Members, and with them who else stands on these rolls. Each is what `GET /incidents/{n}` answers. */
export function withRolls(members, rolls, nowhere) {
    const all = new Map(members);
    for (const { number, team, roll } of rolls) {
        for (const person of roll ?? []) {
            const known = person.visitor ? undefined : members.get(person.user);
            if (known?.team === team) {
                const { takenOff, unconfirmed, callSeenAt, firstAccountedTime, mark, said } = person;
                const record = { firstAccountedTime, mark, said };
                const heard = known.heard ?? person.heard;
                const roll = { incident: number, person: person.person, kind: "user" };
                all.set(person.user, { ...known, ...record, heard, takenOff, unconfirmed, callSeenAt, roll });
            } else if (!person.left) {
                const member = rollMember(number, team, person, nowhere);
                all.set(member.user, member);
            }
        }
    }
    return all;
}

/**
 * Applies a change of the roll. A visitor's change, and that somebody has seen the call, are shown at once.
 * @returns {boolean} whether nothing else changed; for every other change of a roll the page reads the roll again
 */
export function applyRoll(draft, { incident, team, event, ...person }, nowhere) {
    const key = rowKey(incident, person.person);
    if (event === "callSeen") {
        const known = draft.members.get(person.user);
        if (known?.roll?.incident !== incident) { return false; }
        draft.members.set(person.user, { ...known, callSeenAt: person.at });
        return true;
    }
    if (event === "takenOff") { draft.members.delete(key); return false; }
    if (!(person.person < 0) || (event !== "visitor" && event !== "changed")) { return false; }
    const note = person.note ?? draft.members.get(key)?.note;
    const { by, at, ...rest } = person;
    // Who entered by a link was marked by nobody: the change is in the name of who gave the link.
    const markedBy = rest.source === "ownDeclaration" ? undefined : by;
    const visitor = rollMember(incident, team, { markedBy, ...rest, note, visitor: true }, nowhere);
    draft.members.set(key, visitor);
    return false;
}

/**
 * The incident that a change tells of, with its newest handover, of which the changes after it say nothing.
 * @param {object} change
 * @param {object} [known] the incident as it was
 */
export function withHandover({ type, sequence, at, ...incident }, known) {
    const { happened, to, by, from, handedOverTime = at } = incident;
    const handover = happened === "handedOver" ? { at: handedOverTime, to, by, from } : known?.handover;
    return handover ? { ...incident, handover } : incident;
}

/** Leaves out who stood on the roll of an incident alone, as it was closed, and what it said of all others. */
export function endRoll(draft, incident) {
    const none = {
        roll: undefined, takenOff: undefined, unconfirmed: undefined, callSeenAt: undefined, mark: undefined,
        said: undefined, firstAccountedTime: undefined,
    };
    for (const [key, member] of draft.members) {
        if (member.roll?.incident !== incident) { continue; }
        if (isOnRollAlone(member)) { draft.members.delete(key); continue; }
        draft.members.set(key, { ...member, ...none });
    }
}

/** As many texts about a person as a roll has. */
const saidLimit = 8;

/**
 * What a declaration adds to what a roll says of its subject, as the server's roll has it.
 * @returns {{mark?: object, said?: object[]}}
 */
export function recordOf(member, { user, author, kind, note, sampleTime, late }) {
    const { mark, said = [] } = member;
    const word = { kind, at: sampleTime, by: author, note };
    const isMark = author !== undefined && author !== user && !late && kind !== "acknowledge";
    return {
        mark: !isMark ? mark : kind === "clear" ? undefined : { state: kind, at: sampleTime, by: author, note },
        said: note ? [...said, word].slice(-saidLimit) : member.said,
    };
}

function rollMember(incident, team, person, nowhere) {
    const kind = person.visitor ? "visitor" : person.removed ? "removed" : "moved";
    const { state, source, since, markedBy, acknowledgedBy, region, doubt } = understood(person);
    const { note, heard, unconfirmed, lastSeen, battery, firstAccountedTime, mark, said } = person;
    return {
        ...nowhere(),
        user: rowKey(incident, person.person),
        name: person.visitor ? person.user : withSignIn(person.displayName, person.user),
        ...(person.visitor ? {} : { displayName: person.displayName, signIn: person.user }),
        team, state, source, since, markedBy, acknowledgedBy, region, doubt, note, heard, unconfirmed,
        located: lastSeen && { ...lastSeen, battery },
        departure: person.removed ?? person.moved,
        firstAccountedTime, mark, said,
        roll: { incident, person: person.person, kind },
        safetySequence: 0,
    };
}

/** Whether someone is on a roll alone: no declaration can be made of them here, and no device is shown. */
export function isOnRollAlone(member) {
    return member.roll !== undefined && member.roll.kind !== "user";
}

/**
 * What someone is called.
 * @param {number} [limit] of so many characters the sign-in name is shown whole, where it tells people apart
 */
export function nameOf({ user, name, displayName, signIn }, limit) {
    if (signIn !== undefined) { return shortWithSignIn(displayName, signIn, limit); }
    return name ?? nameOfUser(user, limit);
}

/** What someone is called, with the name by which they sign in where they have both. */
export function fullNameOf(member) {
    return member.name ?? withSignIn(member.displayName, member.user);
}
