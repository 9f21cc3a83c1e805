/** What a leader can say of a person, from the person's row: safe, off site, clear, and that a call was heard. */
import { isOnRollAlone } from "../shared/roll.js";
import { leads } from "../shared/safety.js";

/** What may be said of a member now, as kinds of declarations. Pure. @returns {string[]} */
export function actionsFor(member, user) {
    if (!user || member.user === user.name || !leads(user, member.team)) { return []; }
    if (member.takenOff) { return []; }
    const takeOff = member.roll ? ["takeOff"] : [];
    if (isOnRollAlone(member)) { return [...rollMarks(member), ...takeOff]; }
    const isCall = member.state === "sos" || member.state === "needsHelp";
    const isSaid = isCall || member.source === "marked" || member.source === "ownDeclaration";
    return [
        ...(isCall && !member.acknowledgedBy ? ["acknowledge"] : []),
        // An SOS ends by being cleared, and by nothing else.
        ...(member.state === "sos" ? [] : ["safe"]),
        ...(isCall ? [] : ["offSite"]),
        ...(isSaid ? ["clear"] : []),
        ...takeOff,
    ];
}

/** How a visitor, or someone removed from the server, can be marked; of someone moved the new team's leader speaks. */
function rollMarks({ roll, state }) {
    if (roll.kind === "moved") { return []; }
    const all = ["safe", "offSite", "needsHelp", "clear"];
    return all.filter((kind) => (kind === "clear" ? state !== "unknown" : kind !== state));
}
