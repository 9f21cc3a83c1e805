/** What is asked of the state about safety: how a person is shown, who calls, who is accounted for. Pure. */
import { nameOf } from "./roll.js";
import { byName, legible } from "./text.js";
import { listed, t } from "./words.js";

/** The teams of open incidents, by the map of those incidents: asked for each person, of each state. */
const teamsInIncident = new WeakMap();

/** What keeps a state from being sure, in words. */
export function doubtWords(doubt) {
    return t(`doubt.${doubt}`);
}

/**
 * The state that is shown of a member. Outside the muster regions nobody is in danger while there is nothing to be
 * safe from, and so is `located`, unless the team wants safety shown always. A person who is safe with a doubt is
 * `checking`, and one whose fixes lie outside since lately is `seemsToHaveLeft`.
 */
export function shownState(state, member) {
    if (isChecking(member)) { return "checking"; }
    const isOutside = member.state === "unsafe" || seemsToHaveLeft(member);
    if (isOutside && !showsSafety(state, member.team)) { return "located"; }
    return seemsToHaveLeft(member) ? "seemsToHaveLeft" : member.state;
}

/** Whether a team's safety is shown: in an incident of it, or always where the team wants that. */
export function showsSafety(state, team) {
    let teams = teamsInIncident.get(state.incidents);
    if (!teams) {
        teams = new Set([...state.incidents.values()].map((incident) => incident.team));
        teamsInIncident.set(state.incidents, teams);
    }
    return state.alwaysShown.has(team) || teams.has(team);
}

/** How many members are shown in each state; nobody waits for those who were taken off the roll. */
export function counts(state) {
    const result = {
        safe: 0, checking: 0, located: 0, unsafe: 0, seemsToHaveLeft: 0, unknown: 0, needsHelp: 0, sos: 0, offSite: 0,
    };
    for (const member of state.members.values()) {
        if (!member.takenOff) { result[shownState(state, member)] += 1; }
    }
    return result;
}

/** Whether nobody need look for a person: safe or off site, without a doubt. */
export function isAccounted({ state, doubt }) {
    return (state === "safe" || state === "offSite") && doubt === undefined;
}

/** Whether a person is safe with a doubt: neither accounted for nor missing. */
export function isChecking({ state, doubt }) {
    return state === "safe" && doubt !== undefined;
}

/** Whether a device of a person was inside a muster region, and its newest fixes lie outside every one. */
export function seemsToHaveLeft({ state, source }) {
    return state === "unknown" && source === "seemsToHaveLeft";
}

/** Who calls for help, those in danger first. */
export function calls(state) {
    const callers = [...state.members.values()].filter(({ state: how }) => how === "sos" || how === "needsHelp");
    return callers.sort((left, right) => (left.state === "sos" ? 0 : 1) - (right.state === "sos" ? 0 : 1));
}

/**
 * How many on an incident's roll are accounted for, checking and unaccounted, as far as this user may see. Each person
 * counts as one of the three.
 */
export function tally(state, incident) {
    const team = [...state.members.values()].filter(({ team: its, takenOff }) => its === incident.team && !takenOff);
    const accounted = team.filter(isAccounted).length;
    const checking = team.filter(isChecking).length;
    return { people: team.length, accounted, checking, unaccounted: team.length - accounted - checking };
}

/** `12 of 14 accounted for, 1 checking, 1 unaccounted`; a tally in which nobody is checking may be short. */
export function tallyWords({ people, accounted, checking, unaccounted }, isShort = false) {
    const all = t("tally.accounted", { accounted, people });
    return isShort && checking === 0 ? all
        : listed([all, t("tally.checking", { count: checking }), t("tally.unaccounted", { count: unaccounted })]);
}

/**
 * Who seems to have left which muster region, of the teams whose safety is shown: `4 seem to have left Harbour square`.
 * @param {string} [ownName] the name of the user who looks
 * @param {string} [team] the one team to speak of; without it, of every team
 * @returns {{key: string, words: string}[]} one line for each region, by its name
 */
export function leavingLines(state, ownName, team) {
    const groups = new Map();
    for (const member of state.members.values()) {
        if (!seemsToHaveLeft(member) || member.takenOff || !showsSafety(state, member.team)) { continue; }
        if (team !== undefined && member.team !== team) { continue; }
        const key = member.region ? `${member.region.collection}/${member.region.id}` : "";
        groups.set(key, [...groups.get(key) ?? [], member]);
    }
    const lines = [...groups].map(([key, members]) => ({ key, words: leavingWords(members, ownName) }));
    return lines.sort((left, right) => byName(left.words, right.words));
}

function leavingWords(members, ownName) {
    const [{ region, user }] = members;
    const place = region ? legible(region.name || region.id) : t("leaving.somewhere");
    if (members.length > 1) { return t("leaving.several", { count: members.length, place }); }
    return user === ownName ? t("leaving.you", { place })
        : t("leaving.one", { name: legible(nameOf(members[0])), place });
}

/** What the page is called while people are in these states: `1 need help, 2 not safe, 1 unknown · Muster`. */
export function titleWords({ sos, needsHelp, unsafe, seemsToHaveLeft: left, unknown, checking }) {
    if (sos + needsHelp + unsafe + left + unknown + checking === 0) { return "Muster"; }
    const parts = [
        sos + needsHelp > 0 && t("title.needHelp", { count: sos + needsHelp }),
        left > 0 && t("title.left", { count: left }),
        t("title.unsafe", { count: unsafe }),
        t("title.unknown", { count: unknown }),
        checking > 0 && t("title.checking", { count: checking }),
    ];
    return `${listed(parts)} · Muster`;
}

/** Whether a user leads at least one team, or all teams. */
export function isLeader(user) {
    return user?.role === "admin" || user?.role === "leader";
}

/** Whether a user leads a team. */
export function leads(user, team) {
    return user?.role === "admin" || (user?.role === "leader" && team !== undefined && user.team === team);
}
