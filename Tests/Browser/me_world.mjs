/** What the tests of the member's app have in the place of a browser and a server: clocks, locks, a receiver. */
import { Problem } from "../../Web/console/shared/http.js";
import { MemoryDatabase } from "../../Web/me/storage/memory.js";

export const noon = Date.parse("2026-11-21T12:00:00.000Z");

/** A seeded chance (mulberry32). */
export function dice(seed) {
    let state = seed >>> 0;
    return () => {
        state = (state + 0x6D2B79F5) >>> 0;
        let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
        mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
        return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    };
}

/** Lets everything run that waits for nothing but other promises. */
export async function settle() {
    for (let round = 0; round < 60; round += 1) { await new Promise((resolve) => setImmediate(resolve)); }
}

/**
 * Lets everything run until a condition holds. `settle` does not wait for compression, which another thread does, and
 * on a busy machine late. The minute only ends a test that would wait forever.
 */
export async function when(isSo) {
    const began = performance.now();
    while (performance.now() - began < 60_000) {
        if (isSo()) { await settle(); return; }
        await new Promise((resolve) => setImmediate(resolve));
    }
    throw new Error(`never: ${isSo}`);
}

/** A time that only the test moves. The wall clock may be off, and be set. */
export class Time {
    /** The true time. */
    trueMs = noon;
    /** The wall clock minus the true time. */
    errorMs = 0;
    #started = noon - 7_000;
    #timers = [];

    clock = {
        now: () => this.trueMs + this.errorMs,
        monotonic: () => this.trueMs - this.#started,
        schedule: (act, ms) => {
            const timer = { act, at: this.trueMs + ms };
            this.#timers.push(timer);
            return () => { this.#timers = this.#timers.filter((each) => each !== timer); };
        },
    };

    moment = (run = "run") => ({ wallMs: this.clock.now(), monotonicMs: this.clock.monotonic(), run });

    /** The page is started anew: its monotonic clock begins again, and nothing waits. */
    restart() {
        this.#started = this.trueMs - 50;
        this.#timers = [];
    }

    /** The device sleeps: its monotonic clock stands still, and no timer strikes. */
    sleep(ms) {
        this.trueMs += ms;
        this.#started += ms;
        for (const timer of this.#timers) { timer.at += ms; }
    }

    /** Moves time, and lets what is due happen in order. */
    async pass(ms, stepMs = 1000) {
        const end = this.trueMs + ms;
        while (this.trueMs < end) {
            this.trueMs = Math.min(end, this.trueMs + stepMs);
            for (;;) {
                const [due] = this.#timers.filter(({ at }) => at <= this.trueMs)
                    .sort((left, right) => left.at - right.at);
                if (!due) { break; }
                this.#timers = this.#timers.filter((each) => each !== due);
                due.act();
            }
            await settle();
        }
    }
}

/** A server that takes positions as Muster does: all of a request or none; the same one again changes nothing. */
export class Server {
    /** The positions that the server has stored, by device, time and place. */
    stored = new Map();
    devices = new Set();
    requests = [];
    /** Called before a request is read; throws what the client gets. */
    before = () => {};
    /** Called after it is stored; throws what the client gets instead of the answer. */
    after = () => {};
    hasDate = true;

    constructor(time) { this.time = time; }

    get times() { return [...this.stored.values()].map(({ sampleTime }) => Date.parse(sampleTime)); }

    request = async (path, { method = "GET", body, headers = {}, signal } = {}) => {
        signal?.throwIfAborted();
        this.requests.push({ method, path });
        await this.before(method, path, signal);
        const answer = method === "POST" ? await this.#post(path, body, headers) : {};
        await this.after(method, path, signal);
        return new Response(JSON.stringify(answer), {
            headers: this.hasDate ? { Date: new Date(this.time.trueMs).toUTCString() } : {},
        });
    };

    async #post(path, body, headers) {
        if (path.endsWith("/devices")) {
            if (this.devices.has(body.name)) { throw new Problem(409, { title: "there is one" }); }
            this.devices.add(body.name);
            return {};
        }
        const positions = JSON.parse(await unpacked(body, headers));
        if (positions.length > 1000) { throw new Problem(400, { title: "too many", errors: [] }); }
        const errors = positions.flatMap((position, index) => this.#faults(position, `/${index}`));
        if (errors.length > 0) { throw new Problem(400, { title: "invalid", errors: errors.slice(0, 100) }); }
        let repeated = 0;
        for (const position of positions) {
            const key = [position.device, position.sampleTime, position.latitude, position.longitude].join();
            if (this.stored.has(key)) { repeated += 1; } else { this.stored.set(key, position); }
        }
        return { accepted: positions.length - repeated, repeated };
    }

    #faults({ device, latitude, sampleTime }, pointer) {
        const faults = [];
        const check = (isRight, member, detail) => {
            if (!isRight) { faults.push({ pointer: `${pointer}/${member}`, detail }); }
        };
        const ageMs = this.time.trueMs - Date.parse(sampleTime);
        check(this.devices.has(device), "device", "there is no such device");
        check(Math.abs(latitude) <= 90, "latitude", "must be -90 to 90");
        check(ageMs >= -60_000, "sampleTime", "is more than 60 s ahead of now");
        check(ageMs <= 30 * 86_400_000, "sampleTime", "is before the oldest stored time");
        return faults;
    }
}

/** The text of a request's body. */
export async function unpacked(body, headers) {
    if (headers["Content-Encoding"] !== "gzip") { return body; }
    return await new Response(body.stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

/** Makes the error that `fetch` throws when the server does not answer. */
export const noAnswer = () => new TypeError("Failed to fetch");

/** Locks as a browser's, among the tabs of one profile. */
export class Locks {
    #held = new Map();
    #queues = new Map();

    request(name, options, act) {
        if (options.steal) {
            this.#held.get(name)?.rob();
            return this.#grant(name, act);
        }
        if (!this.#held.has(name)) { return this.#grant(name, act); }
        if (options.ifAvailable) { return Promise.resolve().then(() => act(null)); }
        return new Promise((resolve, reject) => {
            const waiting = { name, act, resolve, reject };
            this.#queues.set(name, [...this.#queues.get(name) ?? [], waiting]);
            options.signal?.addEventListener("abort", () => {
                this.#queues.set(name, this.#queues.get(name).filter((each) => each !== waiting));
                reject(new DOMException("given up", "AbortError"));
            });
        });
    }

    #grant(name, act) {
        return new Promise((resolve, reject) => {
            const holder = { rob: () => { reject(new DOMException("stolen", "AbortError")); } };
            this.#held.set(name, holder);
            Promise.resolve().then(() => act({ name })).then((result) => {
                if (this.#held.get(name) === holder) { this.#held.delete(name); this.#next(name); }
                resolve(result);
            }, reject);
        });
    }

    #next(name) {
        const [first, ...rest] = this.#queues.get(name) ?? [];
        this.#queues.set(name, rest);
        if (first) { this.#grant(name, first.act).then(first.resolve, first.reject); }
    }
}

/** The channel of the tabs of one profile. */
export class Channels {
    #ends = new Set();

    open = (name, hear) => {
        const end = { name, hear, isFrozen: false };
        this.#ends.add(end);
        return {
            post: (message) => {
                const copied = structuredClone(message);
                const others = [...this.#ends].filter((other) => other !== end && other.name === name);
                for (const other of others) { if (!other.isFrozen) { setImmediate(() => other.hear(copied)); } }
            },
            close: () => this.#ends.delete(end),
            end,
        };
    };
}

/** A receiver: the test says where it is. */
export class Receiver {
    #watches = new Map();
    #count = 0;
    error;
    isFrozen = false;
    place;
    timestamp;

    constructor(time) { this.time = time; }

    get watching() { return this.#watches.size; }

    watchPosition(take, fail) {
        this.#count += 1;
        this.#watches.set(this.#count, { take, fail });
        if (this.error) { setImmediate(() => fail(this.error)); }
        return this.#count;
    }

    clearWatch(number) { this.#watches.delete(number); }

    getCurrentPosition(take, fail) {
        setImmediate(() => {
            if (this.error) { fail(this.error); return; }
            if (this.isFrozen || !this.place) { fail({ code: 3 }); return; }
            take(this.#position());
        });
    }

    move(place) {
        this.place = place;
        if (this.isFrozen || this.error) { return; }
        for (const { take } of this.#watches.values()) { take(this.#position()); }
    }

    #position() {
        const coords = { accuracy: 8, altitude: null, heading: NaN, speed: null, ...this.place };
        return { coords, timestamp: this.timestamp ?? this.time.clock.now() };
    }
}

/** A browser's profile: what tabs share. */
export class Profile {
    time = new Time();
    locks = new Locks();
    channels = new Channels();
    database = new MemoryDatabase();
    names = new Map();

    constructor() { this.database.isLasting = true; }

    /** What a tab has in the place of the browser. `isHidden` and `seen` are for the test. */
    tab(receiver = new Receiver(this.time)) {
        const tab = { isHidden: false, receiver };
        tab.environment = {
            clock: this.time.clock, database: this.database, geolocation: receiver, permissions: undefined,
            locks: this.locks, wakeLock: undefined, getBattery: async () => ({ level: 0.815 }),
            storageState: async () => ({ isPersistent: true, usedBytes: 1, quotaBytes: 100 }),
            localStorage: {
                getItem: (name) => this.names.get(name) ?? null, setItem: (name, value) => this.names.set(name, value),
            },
            openChannel: (name, hear) => {
                const channel = this.channels.open(name, hear);
                tab.end = channel.end;
                return channel;
            },
            isHidden: () => tab.isHidden,
            listen: (handlers) => { Object.assign(tab, handlers); return () => {}; },
        };
        return tab;
    }
}
