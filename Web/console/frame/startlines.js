/** What somebody should know before they call a team out: whom that does not call, and whom no place can make safe. */
import { byName, legible } from "../shared/text.js";
import { teamsOf } from "../shared/teams.js";
import { listed, t } from "../shared/words.js";

/** The most teams that are named; of the others the number is said. */
const namedTeams = 10;

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
 * The question of an evacuation or a drill with these lines.
 * @param {import("./ask.js").Ask} ask
 * @param {string} team
 * @param {() => Set<string>|undefined} collections
 * @returns {import("./ask.js").Ask}
 */
export function withStartLines(ask, team, collections) {
    return (known) => {
        const question = ask(known);
        return question && { ...question, lines: [...question.lines, ...startLines(known.live, team, collections())] };
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
