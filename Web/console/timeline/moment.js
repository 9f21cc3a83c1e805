/**
 * Who was where, and how, at one moment of a replay: a value that follows from the chunk and the time alone. Between
 * two fixes a person stands at the last one, and the mark fades as that grows old. No clock, no DOM, no I/O.
 */
import { countUpTo } from "./columns.js";

/** From these ages on the mark of the last fix is paler: what was known then was old. */
const fadeSteps = [
    { afterMs: 600_000, fade: 0.4 }, { afterMs: 300_000, fade: 0.55 }, { afterMs: 120_000, fade: 0.75 },
];

/** How opaque the mark of a fix of this age is; undefined for one that is fresh. */
export function fadeOf(ageMs) {
    return fadeSteps.find(({ afterMs }) => ageMs >= afterMs)?.fade;
}

/**
 * The people of a moment, as the console's state has members. Forward in time it takes in what happened since; to go
 * back it begins at the chunk's start. A member of whom nothing changed stays the same value, and so does the map.
 */
export class Moment {
    #team;
    #keeps;
    #chunk;
    #ms;
    #nextFix = 0;
    #nextChange = 0;
    /** By device: the index of its newest fix, or -1. */
    #newest = new Int32Array(0);
    #devicesOf = new Map();
    #standings = new Map();
    #touched = new Set();
    #members = new Map();

    /**
     * @param {string} team
     * @param {(user: string) => boolean} [keeps] who is shown: the people of a crew, say
     */
    constructor(team, keeps = () => true) {
        this.#team = team;
        this.#keeps = keeps;
    }

    /**
     * The members at a time.
     * @param {import("./columns.js").Chunk} chunk the one that has this time
     * @param {number} ms
     * @returns {Map<string, import("../shared/state.js").Member>} the same value where nothing changed
     */
    at(chunk, ms) {
        const isAnew = chunk !== this.#chunk || ms < this.#ms;
        if (isAnew) { this.#begin(chunk); }
        this.#ms = ms;
        this.#advance(ms);
        this.#members = this.#drawn(ms, isAnew);
        this.#touched.clear();
        return this.#members;
    }

    #begin(chunk) {
        this.#chunk = chunk;
        this.#nextFix = 0;
        this.#nextChange = 0;
        this.#newest = new Int32Array(chunk.devices.length).fill(-1);
        this.#devicesOf = new Map(chunk.people.filter(this.#keeps).map((user) => [user, []]));
        chunk.devices.forEach(({ user }, index) => this.#devicesOf.get(user)?.push(index));
        this.#standings = new Map(chunk.startStates.map((standing) => [standing.user, standing]));
    }

    #advance(ms) {
        const { fixes, changes, devices } = this.#chunk;
        const end = countUpTo(fixes.ms.length, (index) => fixes.ms[index], ms);
        for (; this.#nextFix < end; this.#nextFix += 1) {
            const device = fixes.device[this.#nextFix];
            this.#newest[device] = this.#nextFix;
            this.#touched.add(devices[device].user);
        }
        for (; this.#nextChange < changes.length && changes[this.#nextChange].ms <= ms; this.#nextChange += 1) {
            const standing = changes[this.#nextChange];
            this.#standings.set(standing.user, standing);
            this.#touched.add(standing.user);
        }
    }

    #drawn(ms, isAnew) {
        const members = new Map();
        let isSame = this.#members.size === this.#devicesOf.size;
        for (const [user, devices] of this.#devicesOf) {
            const known = this.#members.get(user);
            const isMoved = isAnew || this.#touched.has(user);
            const member = known && !isMoved && fadeOf(ms - known.fixMs) === known.fade
                ? known : this.#member(user, devices, ms, known);
            isSame &&= member === known;
            members.set(user, member);
        }
        return isSame ? this.#members : members;
    }

    #member(user, devices, ms, known) {
        const { state = "unknown", source: evidence, doubt } = this.#standings.get(user) ?? {};
        const isUntold = state === "unknown" && evidence === undefined && doubt === undefined;
        const positions = new Map();
        let fixMs = -Infinity;
        for (const index of devices) {
            const fix = this.#fix(index);
            if (!fix) { continue; }
            const { device } = this.#chunk.devices[index];
            fixMs = Math.max(fixMs, fix.ms);
            positions.set(device, new PastPosition(device, fix));
        }
        const fade = positions.size > 0 ? fadeOf(ms - fixMs) : undefined;
        // Whose last fix is old is drawn with the time since when nothing was heard.
        const source = fade === undefined || evidence === "seemsToHaveLeft" ? evidence : "silence";
        const isSame = known && known.state === state && known.source === source && known.doubt === doubt
            && known.fade === fade && known.isUntold === isUntold && arePlaces(known.positions, positions);
        return isSame ? known : {
            user, team: this.#team, state, source, doubt, fade, fixMs: positions.size > 0 ? fixMs : NaN,
            isUntold, positions, clocks: none, presences: none, beliefs: none,
        };
    }

    #fix(device) {
        const index = this.#newest[device];
        if (index < 0) { return this.#chunk.start[device]; }
        const { ms, latitude, longitude, accuracy } = this.#chunk.fixes;
        return { ms: ms[index], latitude: latitude[index], longitude: longitude[index], accuracy: accuracy[index] };
    }
}

const none = new Map();

function arePlaces(before, after) {
    if (before.size !== after.size) { return false; }
    for (const [device, { ms, latitude, longitude }] of after) {
        const old = before.get(device);
        if (old?.ms !== ms || old.latitude !== latitude || old.longitude !== longitude) { return false; }
    }
    return true;
}

/** A position as the console knows one. Few are asked for the text of their time, which takes long to make. */
class PastPosition {
    constructor(device, { ms, latitude, longitude, accuracy }) {
        this.device = device;
        this.ms = ms;
        this.latitude = latitude;
        this.longitude = longitude;
        this.accuracy = Number.isNaN(accuracy) ? undefined : accuracy;
    }

    get sampleTime() { return new Date(this.ms).toISOString(); }
}

/**
 * Whether the server had heard and said nothing of somebody by then: they may have been put into the team later, or
 * have no phone.
 */
export function isNobodyYet({ isUntold, positions }) {
    return isUntold === true && positions.size === 0;
}

/**
 * What happened up to a moment, the latest first.
 * @param {import("./columns.js").Chunk[]} chunks in the order of their times, without a gap between
 * @param {number} ms
 * @param {number} limit the most that are wanted
 * @param {(user: string) => boolean} keeps
 * @returns {import("./columns.js").Standing[]}
 */
export function happenedUpTo(chunks, ms, limit, keeps = () => true) {
    const found = [];
    for (const { changes } of chunks.toReversed()) {
        const end = countUpTo(changes.length, (index) => changes[index].ms, ms);
        for (let index = end - 1; index >= 0 && found.length < limit; index -= 1) {
            if (keeps(changes[index].user)) { found.push(changes[index]); }
        }
    }
    return found;
}

/** The last answers of `openAt`: a set of incidents that is the same stays the same value. */
const openSets = new Map();

/**
 * The incidents that were open at a moment, by number: the same value as long as they are the same.
 * @param {{number: number, startedAt: string, closedAt?: string, open: boolean}[]} incidents
 */
export function openAt(incidents, ms) {
    const open = incidents.filter(({ startedAt, closedAt }) =>
        Date.parse(startedAt) <= ms && !(Date.parse(closedAt ?? NaN) <= ms));
    const key = open.map(({ number }) => number).sort().join();
    if (!openSets.has(key)) {
        if (openSets.size > 100) { openSets.clear(); }
        openSets.set(key, new Map(open.map((incident) => [incident.number, incident])));
    }
    return openSets.get(key);
}
