/** What somebody should know before they call a team out: whom that does not call, and whom no place can make safe. */
import { isOnRollAlone, nameOf } from "../shared/roll.js";
import { byName, legible } from "../shared/text.js";
import { teamsOf } from "../shared/teams.js";
import { clockTime } from "../shared/time.js";
import { listed, t } from "../shared/words.js";

/** The most teams that are named, and the most people; of the others the number is said. */
const namedTeams = 10;
const namedPeople = 12;

/**
 * The lines of the question. Pure.
 * @param {import("../shared/state.js").State} live
 * @param {string} team the team that is called
 * @param {Set<string>} [collections] those whose regions concern the team; undefined while nobody knows
 * @returns {string[]}
 */
export function startLines(live, team, collections) {
    const points = [...live.regions.values()].filter(({ muster }) => muster);
    const isNowhere = points.every(({ collection }) => collections && !collections.has(collection));
    const others = teamsOf(live.members).filter((each) => each !== team).sort(byName);
    const words = others.slice(0, namedTeams).map((name) => t("ask.notCalledTeam", {
        name: legible(name), count: [...live.members.values()].filter((member) => member.team === name).length }));
    const more = others.length - words.length;
    return [
        isNowhere && t("ask.noPoint", { team: legible(team) }),
        others.length > 0 && t("ask.notCalled", {
            teams: listed([...words, more > 0 && t("ask.notCalledMore", { count: more })]) }),
    ].filter(Boolean);
}

/**
 * The people of a team who are off site from before: in an incident that begins now they would count as accounted for.
 * Pure.
 * @param {import("../shared/state.js").State} live
 */
export function offSiteFromBefore(live, team) {
    return [...live.members.values()]
        .filter((member) => member.team === team && member.state === "offSite" && !isOnRollAlone(member))
        .sort((left, right) => byName(nameOf(left), nameOf(right)));
}

/**
 * The question of an evacuation or a drill with these lines.
 * @param {import("./ask.js").Ask} ask
 * @param {string} team
 * @param {() => Set<string>|undefined} collections
 * @param {(users: string[]) => Promise<void>} bringBack ends that people are off site
 * @returns {import("./ask.js").Ask}
 */
export function withStartLines(ask, team, collections, bringBack) {
    return (known) => {
        const question = ask(known);
        if (!question) { return undefined; }
        const away = offSiteFromBefore(known.live, team);
        const names = away.slice(0, namedPeople).map((member) => t("ask.offSitePerson", {
            name: legible(nameOf(member)), time: clockTime(member.since, known.now) }));
        const more = away.length - names.length;
        const aside = away.length > 0 && {
            words: t("ask.offSiteBefore", {
                names: listed([...names, more > 0 && t("ask.more", { count: more })]) }),
            button: t("ask.bringBack", { count: away.length }),
            press: () => bringBack(away.map(({ user }) => user)),
        };
        return {
            ...question, aside: aside || undefined,
            lines: [...question.lines, ...startLines(known.live, team, collections())],
        };
    };
}

/**
 * The collections whose regions concern a team: those that its tracker is linked to.
 * @param {(path: string) => Promise<object>} json
 * @returns {Promise<Set<string>|undefined>} undefined where the server does not say
 */
export async function collectionsOf(json, team) {
    try {
        const { tracker } = await json(`teams/${encodeURIComponent(team)}`);
        return new Set((await json(`trackers/${encodeURIComponent(tracker)}`)).collections);
    } catch {
        return undefined;
    }
}
