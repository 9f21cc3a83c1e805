/** What is asked of the state about safety: how someone is shown, who calls, who is accounted for. Pure. */

/**
 * The state that is shown of a member: outside the muster regions nobody is in danger while there is nothing to be
 * safe from, and so is `located`, unless the team wants safety shown always.
 */
export function shownState(state, member) {
    return member.state === "unsafe" && !showsSafety(state, member.team) ? "located" : member.state;
}

/** Whether a team's safety is shown: in an incident of it, or always where the team wants that. */
export function showsSafety(state, team) {
    return state.alwaysShown.has(team) || [...state.incidents.values()].some((incident) => incident.team === team);
}

/** How many members are shown in each state; nobody waits for those who were taken off the roll. */
export function counts(state) {
    const result = { safe: 0, located: 0, unsafe: 0, unknown: 0, needsHelp: 0, sos: 0, offSite: 0 };
    for (const member of state.members.values()) {
        if (!member.takenOff) { result[shownState(state, member)] += 1; }
    }
    return result;
}

/** Whether nobody need look for someone. */
export function isAccounted(member) {
    return member.state === "safe" || member.state === "offSite";
}

/** Who calls for help, those in danger first. */
export function calls(state) {
    const callers = [...state.members.values()].filter(({ state: how }) => how === "sos" || how === "needsHelp");
    return callers.sort((left, right) => (left.state === "sos" ? 0 : 1) - (right.state === "sos" ? 0 : 1));
}

/** How many on an incident's roll are accounted for, as far as this user may see, and of how many that is in doubt. */
export function tally(state, incident) {
    const team = [...state.members.values()].filter(({ team: its, takenOff }) => its === incident.team && !takenOff);
    const accounted = team.filter(isAccounted);
    const doubtful = accounted.filter(({ doubt }) => doubt !== undefined).length;
    return { accounted: accounted.length, people: team.length, ...doubtful > 0 ? { doubtful } : {} };
}
