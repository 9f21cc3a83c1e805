/** What a link shows, as the state that the map and the words of the console know. Pure. */
import { sharingUsers, withSignIn } from "../shared/names.js";
import { isChecking } from "../shared/safety.js";
import { emptyState } from "../shared/state.js";
import { notUnderstood, understood } from "../shared/understood.js";

/** Stands for the team of the people who are shown, whose name this state does not need. */
const team = "shared";

/**
 * The state of what `GET /shared` answered: one person, or the people of a roll and their assembly points.
 * @returns {import("../shared/state.js").State}
 */
export function stateOf({ person, incident }) {
    const isShown = incident !== undefined || person?.showsSafety !== false;
    return {
        ...emptyState,
        members: new Map(person ? [[person.name, memberOf(person)]] : []),
        regions: new Map((incident?.regions?.features ?? []).map(regionOf)),
        alwaysShown: new Set(isShown ? [team] : []),
    };
}

/** The people of a roll with what each is called: those of one name are told apart by the sign-in name. */
export function namedPeople(roll) {
    const sharing = sharingUsers(roll.map(({ name, displayName }) => [name, displayName]));
    return roll.map((person) => {
        const { name, displayName } = person;
        return { ...person, called: sharing.has(name) ? withSignIn(displayName, name) : displayName ?? name };
    });
}

/** A person as the console's words know one: no more is known than the link shows. */
export function memberOf({ name, position, lastHeard, ...person }) {
    const device = `${name}/`;
    const positions = position ? [[device, { ...position, device }]] : [];
    return {
        ...understood(person), user: name, name: person.displayName ?? name, team, heard: lastHeard,
        positions: new Map(positions), clocks: new Map(), presences: new Map(), beliefs: new Map(),
    };
}

function regionOf({ geometry, properties }, index) {
    const id = String(index);
    const region = {
        collection: team, id, name: properties?.name ?? "", muster: true, geometry, radius: properties?.radius,
    };
    return [id, region];
}

/**
 * The people of a roll, those to look for first, in the groups in which the page shows them.
 * @param {{accounted: boolean, checking: boolean, state: string, doubt?: string}[]} roll
 * @returns {{kind: "unaccounted"|"checking"|"accounted", people: object[]}[]} groups that have somebody
 */
export function groupsOf(roll) {
    const groups = { unaccounted: [], checking: [], accounted: [] };
    for (const person of roll) {
        groups[groupOf(person)].push(person);
    }
    return Object.entries(groups).filter(([, people]) => people.length > 0)
        .map(([kind, people]) => ({ kind, people }));
}

/** Whom the page shows as unknown or in doubt stands nowhere among those who are accounted for. */
function groupOf(person) {
    const known = understood(person);
    if (person.accounted && known.doubt !== notUnderstood) { return "accounted"; }
    return person.checking || isChecking(known) ? "checking" : "unaccounted";
}
