/**
 * The fixes that the server does not have yet, on the disk of this device, in the order in which they were taken. A fix
 * counts as recorded once `append` has resolved. It leaves the queue once the server has it or has refused it for good.
 *
 * The queue is bounded. When it is full, it drops every second fix of its older half: the track stays whole and becomes
 * coarser, and the newest fixes stay. The queue remembers how many fixes it dropped, and from what time, until a person
 * has seen that.
 */
import { correctedTime, inOrder } from "./serverclock.js";

/** The largest number of waiting fixes: those of 28 hours at one in 5 s. */
export const queueLimit = 20_000;
/** The largest number of refused fixes that are kept; the oldest goes first. */
export const refusedLimit = 1000;

const notesKey = "tracking.queue";
const noNotes = Object.freeze({ next: 1, lastTimeMs: undefined, last: undefined, thinned: undefined, forgotten: 0 });

/**
 * @typedef {object} Notes the values kept beside the fixes
 * @property {number} next the number of the next fix
 * @property {number} [lastTimeMs] the newest time given to a fix, by the server's clock
 * @property {object} [last] the last fix that the filter admitted
 * @property {{count: number, fromMs: number, untilMs: number}} [thinned] the fixes dropped because the queue was full;
 *     the times are by this device's clock
 * @property {number} forgotten the number of refused fixes dropped because there were too many
 */

export class Queue {
    #database;
    #user;
    #limit;
    #notes = noNotes;
    #waiting = 0;
    #refused = 0;
    /** The times given to fixes while the disk was full; they hold until this page ends. */
    #given = new Map();
    /** The number of fixes that the browser erased without the app. */
    erased = 0;

    /** @param {{database: object, user: string, limit?: number}} options */
    constructor({ database, user, limit = queueLimit }) {
        this.#database = database;
        this.#user = user;
        this.#limit = limit;
    }

    /** The number of fixes that wait for the server. */
    get waiting() { return this.#waiting; }
    /** The number of fixes that the server refused and that are still kept here. */
    get refused() { return this.#refused; }
    /** @type {Notes} */
    get notes() { return this.#notes; }

    /** Reads what an earlier start of the app left. @throws {DatabaseError} */
    async open() {
        await this.#database.read(["queue", "refused", "settings"], async (transaction) => {
            this.#notes = { ...noNotes, ...await transaction.get("settings", this.#user, notesKey) };
            this.#waiting = await transaction.count("queue", this.#user);
            this.#refused = await transaction.count("refused", this.#user);
        });
    }

    /**
     * Records fixes behind those that wait.
     * @param {object[]} fixes as `tracking.js` makes them; the time of a fix with `isClockKnown` is certain at once
     * @param {object} [last] the last fix that the filter admitted
     * @throws {DatabaseError} none of the fixes is recorded then
     */
    async append(fixes, last = this.#notes.last) {
        const kept = await this.#database.write(["queue", "settings"], async (transaction) => {
            const stored = await transaction.get("settings", this.#user, notesKey);
            const notes = { ...noNotes, ...stored, last };
            let waiting = await transaction.count("queue", this.#user);
            // Fewer fixes wait than this queue knows of: the browser has erased the others.
            const erased = Math.max(0, this.#waiting - waiting);
            // Times are given in order: a fix gets none while an earlier fix still waits for its own.
            let isTimed = waiting === 0 || (await transaction.last("queue", this.#user)).timeMs !== undefined;
            for (const { isClockKnown, ...fix } of fixes) {
                if (waiting >= this.#limit) { waiting -= await this.#thin(transaction, notes); }
                isTimed &&= isClockKnown === true;
                if (isTimed) { setTime(fix, fix.wallMs + fix.offsetMs, notes); }
                await transaction.put("queue", this.#user, notes.next, fix);
                notes.next += 1;
                waiting += 1;
            }
            await transaction.put("settings", this.#user, notesKey, notes);
            return { notes, waiting, erased };
        });
        this.#notes = kept.notes;
        this.#waiting = kept.waiting;
        this.erased += kept.erased;
    }

    /** Drops fixes to make room. @returns {Promise<number>} the number of dropped fixes */
    async #thin(transaction, notes) {
        const older = await transaction.entries("queue", this.#user, Math.floor(this.#limit / 2));
        // The oldest fix stays, so that the track still begins where it began.
        const gone = older.filter((_, index) => index % 2 === 1);
        for (const { key } of gone) { await transaction.remove("queue", this.#user, key); }
        const [first, last] = [gone[0].value.wallMs, gone.at(-1).value.wallMs];
        notes.thinned = {
            count: (notes.thinned?.count ?? 0) + gone.length,
            fromMs: Math.min(first, notes.thinned?.fromMs ?? first),
            untilMs: Math.max(last, notes.thinned?.untilMs ?? last),
        };
        return gone.length;
    }

    /**
     * The oldest fixes, each with its time by the server's clock. Before the promise resolves, that time is on disk,
     * and it does not change any more: the server recognizes a fix that is sent twice by its time.
     * @param {number} limit the largest number of fixes
     * @param {object|undefined} present the present clocks and the error of this device's clock, for `correctedTime`
     * @returns {Promise<{key: number, fix: object}[]>}
     * @throws {DatabaseError}
     */
    async first(limit, present) {
        const give = (entries, notes) => {
            const untimed = entries.filter(({ value }) => value.timeMs === undefined);
            for (const { key, value } of untimed) {
                setTime(value, this.#given.get(key) ?? correctedTime(value, present, notes.lastTimeMs), notes);
            }
            return untimed;
        };
        const read = async (transaction) => {
            const entries = await transaction.entries("queue", this.#user, limit);
            if (entries.length === 0 && this.#waiting > 0) {
                this.erased += this.#waiting;
                this.#waiting = 0;
            }
            return { entries, notes: { ...noNotes, ...await transaction.get("settings", this.#user, notesKey) } };
        };
        let found;
        try {
            found = await this.#database.write(["queue", "settings"], async (transaction) => {
                const { entries, notes } = await read(transaction);
                const untimed = give(entries, notes);
                for (const { key, value } of untimed) { await transaction.put("queue", this.#user, key, value); }
                if (untimed.length > 0) { await transaction.put("settings", this.#user, notesKey, notes); }
                return { entries, notes };
            });
        } catch (error) {
            if (error.kind !== "full") { throw error; }
            // On a full disk the fixes are still read and sent, because sending them makes room.
            found = await this.#database.read(["queue", "settings"], read);
            for (const { key, value } of give(found.entries, found.notes)) { this.#given.set(key, value.timeMs); }
        }
        this.#notes = found.notes;
        return found.entries.map(({ key, value }) => ({ key, fix: value }));
    }

    /**
     * Removes fixes that the server has, as `first` returned them: no other fix lies between the first and the last.
     * @throws {DatabaseError} the fixes are then sent again, and the server recognizes them
     */
    async remove(entries) {
        await this.#database.write(["queue"], async (transaction) => {
            await transaction.removeRange("queue", this.#user, entries[0].key, entries.at(-1).key);
            this.#waiting = await transaction.count("queue", this.#user);
        });
    }

    /**
     * Moves fixes that the server refused out of the queue, and keeps them with the reason, so that they hold up no
     * others.
     * @param {{key: number, fix: object, reason: string}[]} entries
     * @throws {DatabaseError}
     */
    async setAside(entries) {
        await this.#database.write(["queue", "refused", "settings"], async (transaction) => {
            for (const { key, fix, reason } of entries) {
                await transaction.remove("queue", this.#user, key);
                await transaction.put("refused", this.#user, key, { ...fix, reason });
            }
            const many = await transaction.count("refused", this.#user) - refusedLimit;
            const notes = { ...noNotes, ...await transaction.get("settings", this.#user, notesKey) };
            if (many > 0) {
                const oldest = await transaction.entries("refused", this.#user, many);
                for (const { key } of oldest) { await transaction.remove("refused", this.#user, key); }
                notes.forgotten += many;
                await transaction.put("settings", this.#user, notesKey, notes);
            }
            this.#notes = notes;
            this.#waiting = await transaction.count("queue", this.#user);
            this.#refused = await transaction.count("refused", this.#user);
        });
    }

    /** Removes the times of fixes whose times the server did not accept. @throws {DatabaseError} */
    async untime(entries) {
        await this.#database.write(["queue"], async (transaction) => {
            for (const { key, fix } of entries) {
                await transaction.put("queue", this.#user, key, { ...fix, timeMs: undefined, wasRefused: true });
            }
        });
    }

    /** The refused fixes, the oldest first. @returns {Promise<object[]>} each fix with its `reason` */
    async refusals() {
        return await this.#database.read(["refused"], async (transaction) =>
            (await transaction.entries("refused", this.#user)).map(({ value }) => value));
    }

    /** Forgets the refused fixes and the note on dropped fixes, once a person has seen them. */
    async clearTold() {
        await this.#database.write(["refused", "settings"], async (transaction) => {
            await transaction.clear("refused", this.#user);
            const stored = await transaction.get("settings", this.#user, notesKey);
            this.#notes = { ...noNotes, ...stored, thinned: undefined, forgotten: 0 };
            await transaction.put("settings", this.#user, notesKey, this.#notes);
            this.#refused = 0;
            this.erased = 0;
        });
    }

    /** Counts the waiting and the refused fixes again: another tab may have changed them. */
    async recount() {
        await this.#database.read(["queue", "refused"], async (transaction) => {
            this.#waiting = await transaction.count("queue", this.#user);
            this.#refused = await transaction.count("refused", this.#user);
        });
    }
}

/** Gives a fix its time by the server's clock, in order after the fix before it. */
function setTime(fix, timeMs, notes) {
    fix.timeMs = inOrder(timeMs, notes.lastTimeMs ?? -Infinity);
    if (Number.isFinite(fix.timeMs)) { notes.lastTimeMs = Math.max(fix.timeMs, notes.lastTimeMs ?? -Infinity); }
}
