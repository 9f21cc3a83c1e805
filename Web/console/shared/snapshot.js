/**
 * The state as the server has it now, asked for part by part.
 *
 * The first page of the positions comes first: its sequence is where the feed begins, so that whatever changed while
 * the other parts were on their way comes once more through the feed, and nothing is missed.
 */
import { Problem } from "./http.js";

const pageSize = 1000;
/** As many pages as one list may take: beyond 50 000 entries the page says that it does not show all. */
const pageLimit = 50;
/** As many rolls as are asked for: more incidents are hardly open at once. */
const rollLimit = 100;
/** As many teams as are asked at once when their people were heard. */
const heardTeamLimit = 20;

/**
 * Loads what this user may see.
 * @param {(path: string) => Promise<object>} get answers the JSON of an API path
 * @param {object[]} [knownRegions] regions that need not be asked for again
 * @param {(sequence: number) => void} [began] called with the sequence once it is known, before the other parts are
 *   read
 * @returns {Promise<{sequence: number, at?: string, members: object[], positions: object[], clocks: object[],
 *   presences: object[], presenceSequence: number, incidents: object[], rolls: object[], closed: object[],
 *   alwaysShown: string[], serverClock?: object, regions: object[], isPartial: boolean,
 *   names: Record<string, string|undefined>}>}
 *   `names` are the display names of the members and of whom the answers name, by their sign-in names;
 *   `at` is the server's time, when it told; `presenceSequence` is the last change that every presence holds; `clocks`
 *   are those that are ahead
 * @throws {Problem} when the server refuses the positions
 */
export async function loadSnapshot(get, knownRegions, began = () => {}) {
    const first = await get(firstPage("positions"));
    began(first.sequence);
    const [positions, presences, { incidents, rolls }, people, places] = await Promise.all([
        pagesAfter(first, get, "positions", "items"),
        allowed(pages(get, "presences", "items")),
        loadIncidents(get),
        loadPeople(get),
        knownRegions ? { regions: knownRegions, isPartial: false } : loadRegions(get),
    ]);
    return {
        sequence: first.sequence,
        at: people.at ?? (await allowed(get("health")))?.at,
        members: people.members,
        names: namesIn([...people.answers, ...incidents, ...rolls, ...people.closed], people.members),
        positions: positions.items,
        clocks: positions.pages.flatMap(({ clocks }) => clocks ?? []),
        presences: presences?.items ?? [],
        presenceSequence: presences?.first.sequence ?? first.sequence,
        incidents,
        rolls,
        closed: people.closed,
        alwaysShown: people.alwaysShown,
        serverClock: people.serverClock,
        regions: places.regions,
        isPartial: positions.isPartial || Boolean(presences?.isPartial) || places.isPartial,
    };
}

/**
 * When the people of teams were last heard and located; of the first teams alone where there are many.
 * @returns {Promise<{people: object[], at?: string}>} `at` is the server's time
 */
export async function loadHeard(get, teams) {
    const people = [];
    let at;
    for (const team of teams.slice(0, heardTeamLimit)) {
        const answer = await allowed(get(`teams/${part(team)}/safety`));
        people.push(...answer?.members ?? []);
        at = answer?.at ?? at;
    }
    return { people, at: at ?? (await allowed(get("health")))?.at };
}

/** The changes just before a sequence, for the list of events; none when the server does not keep them. */
export async function loadHistory(get, sequence, length = 1000) {
    if (sequence === 0) { return []; }
    const answer = await allowed(get(`changes?since=${Math.max(0, sequence - length)}&limit=${length}`));
    return (answer?.items ?? []).filter((change) => change.sequence <= sequence);
}

async function loadIncidents(get) {
    const incidents = (await allowed(get("incidents")))?.items ?? [];
    const open = incidents.filter((incident) => incident.open !== false);
    const answers = await Promise.all(
        open.slice(0, rollLimit).map(({ number }) => allowed(get(`incidents/${number}`))));
    const rolls = answers.filter(Boolean);
    const handovers = new Map(rolls.map(({ number, handover }) => [number, handover]));
    const withHandover = (incident) => {
        const handover = handovers.get(incident.number);
        return handover ? { ...incident, handover } : incident;
    };
    return { incidents: incidents.map(withHandover), rolls };
}

async function loadPeople(get) {
    const teams = (await allowed(pages(get, "teams", "items")))?.items ?? [];
    const [answers, latest] = await Promise.all([
        Promise.all(teams.map((team) => allowed(get(`teams/${part(team.name)}/safety`)))),
        Promise.all(teams.map((team) => allowed(get(`teams/${part(team.name)}/incidents?limit=1`)))),
    ]);
    const members = [];
    for (const answer of answers) {
        for (const { position, ...member } of answer?.members ?? []) {
            members.push({ ...member, team: answer.team, safetySequence: answer.sequence });
        }
    }
    await Promise.all(members.filter(isCalling).map(async (member) => {
        member.call = await loadCall(get, member.user);
    }));
    return {
        members,
        answers: answers.filter(Boolean),
        at: answers.find((answer) => answer?.at)?.at,
        closed: latest.flatMap((answer) => answer?.items ?? []).filter(({ open }) => !open),
        alwaysShown: teams.filter((team) => team.showsSafetyAlways === true).map(({ name }) => name),
        serverClock: answers.find((answer) => answer?.serverClock)?.serverClock,
    };
}

function namesIn(answers, members) {
    return Object.assign({}, ...answers.map(({ displayNames }) => displayNames),
        Object.fromEntries(members.map(({ user, displayName }) => [user, displayName])));
}

function isCalling({ state }) {
    return state === "sos" || state === "needsHelp";
}

/** What was said with the call for help that stands, however long ago: the log of changes may not reach back to it. */
async function loadCall(get, user) {
    const said = (await allowed(pages(get, `users/${part(user)}/declarations`, "items")))?.items ?? [];
    const inTime = said.filter(({ late }) => !late);
    const ended = inTime.findLastIndex(({ kind }) => kind !== "sos" && kind !== "needsHelp" && kind !== "acknowledge");
    const calls = inTime.slice(ended + 1).filter(({ kind }) => kind !== "acknowledge");
    const last = calls.at(-1);
    return last && { note: calls.findLast(({ note }) => note)?.note, sampleTime: last.sampleTime };
}

async function loadRegions(get) {
    const collections = (await allowed(pages(get, "collections", "items")))?.items ?? [];
    const answers = await Promise.all(collections.map(async ({ name, policy }) => {
        const answer = await allowed(pages(get, `collections/${part(name)}/regions`, "features"));
        const regions = (answer?.items ?? []).map((feature) => region(feature, name, policy));
        return { regions, isPartial: answer?.isPartial };
    }));
    return {
        regions: answers.flatMap((answer) => answer.regions),
        isPartial: answers.some((answer) => answer.isPartial),
    };
}

function region(feature, collection, policy) {
    const properties = feature.properties ?? {};
    const id = String(feature.id);
    return {
        collection,
        id,
        name: typeof properties.name === "string" && properties.name !== "" ? properties.name : id,
        muster: properties.muster === true,
        geometry: feature.geometry,
        radius: properties.radius,
        policy,
        properties,
    };
}

/** All items of a paged list. */
async function pages(get, path, field) {
    return await pagesAfter(await get(firstPage(path)), get, path, field);
}

function firstPage(path) {
    return `${path}?limit=${pageSize}`;
}

async function pagesAfter(first, get, path, field) {
    const read = [first];
    let cursor = first.nextCursor;
    while (cursor && read.length < pageLimit) {
        const next = await get(`${path}?limit=${pageSize}&cursor=${encodeURIComponent(cursor)}`);
        read.push(next);
        cursor = next.nextCursor;
    }
    return { first, pages: read, items: read.flatMap((page) => page[field] ?? []), isPartial: Boolean(cursor) };
}

/** The answer, or undefined when this user's role may not have it or it is gone. */
async function allowed(answer) {
    try {
        return await answer;
    } catch (error) {
        if (error instanceof Problem && [403, 404, 410].includes(error.status)) { return undefined; }
        throw error;
    }
}

function part(name) {
    return encodeURIComponent(name);
}
