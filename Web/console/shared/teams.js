/** The teams that people belong to. Pure. */
import { byName } from "./text.js";

/** The names of the teams of these people, sorted. @param {Map<string, {team?: string}>} members */
export function teamsOf(members) {
    return [...new Set([...members.values()].map(({ team }) => team))].filter(Boolean).sort(byName);
}
