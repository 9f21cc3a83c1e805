/**
 * What the app keeps in the browser: one IndexedDB database, in which every value belongs to a user, so that no data of
 * one person is left for the next.
 *
 * The connection opens at the first use, and again after the browser has closed it (the person deleted the site's data,
 * or another version of the app wants to change the stores).
 */

const databaseName = "muster-me";
const version = 1;

/**
 * `queue`: the phone's fixes that the server does not have yet. `refused`: the fixes that the server refused. `outbox`:
 * the declarations that wait. `cache`: the server's last answers. `settings`: what the person chose on this device, and
 * notes of the parts.
 */
export const storeNames = Object.freeze(["queue", "refused", "outbox", "cache", "settings"]);

/** An operation of the database failed, for one of three kinds of reasons. */
export class DatabaseError extends Error {
    /** @param {"full"|"unavailable"|"failed"} kind `unavailable`: the browser does not let this page store anything */
    constructor(kind, cause) {
        super(cause?.message ?? kind, { cause });
        this.name = "DatabaseError";
        this.kind = kind;
    }

    static of(error, kind = "failed") {
        if (error instanceof DatabaseError) { return error; }
        return new DatabaseError(error?.name === "QuotaExceededError" ? "full" : kind, error);
    }
}

/**
 * The operations within one transaction. Keys are numbers or texts; values are anything that the structured clone
 * takes. Within a transaction only these methods may be awaited: it ends by itself as soon as none of them runs.
 */
class Transaction {
    #transaction;

    constructor(transaction) { this.#transaction = transaction; }

    /** @returns {Promise<unknown>} undefined if there is no value */
    get(store, user, key) { return this.#ask(store, (objects) => objects.get([user, key])); }

    put(store, user, key, value) { return this.#ask(store, (objects) => objects.put(value, [user, key])); }

    remove(store, user, key) { return this.#ask(store, (objects) => objects.delete([user, key])); }

    /** Removes a user's values from one key to another, both included. */
    removeRange(store, user, first, last) {
        return this.#ask(store, (objects) =>
            objects.delete(globalThis.IDBKeyRange.bound([user, first], [user, last])));
    }

    /** @returns {Promise<number>} the number of a user's values in a store */
    count(store, user) { return this.#ask(store, (objects) => objects.count(ofUser(user))); }

    /**
     * A user's values in the order of their keys.
     * @param {number} [limit] the largest number of values returned
     * @returns {Promise<{key: number|string, value: unknown}[]>}
     */
    async entries(store, user, limit) {
        const [keys, values] = await Promise.all([
            this.#ask(store, (objects) => objects.getAllKeys(ofUser(user), limit)),
            this.#ask(store, (objects) => objects.getAll(ofUser(user), limit)),
        ]);
        return keys.map(([, key], index) => ({ key, value: values[index] }));
    }

    /** The value with a user's greatest key; undefined if there is none. */
    async last(store, user) {
        const cursor = await this.#ask(store, (objects) => objects.openCursor(ofUser(user), "prev"));
        return cursor?.value;
    }

    /** Removes a user's values from a store. */
    clear(store, user) { return this.#ask(store, (objects) => objects.delete(ofUser(user))); }

    /** Removes everybody's values from a store. */
    clearAll(store) { return this.#ask(store, (objects) => objects.clear()); }

    #ask(store, begin) {
        return new Promise((resolve, reject) => {
            const request = begin(this.#transaction.objectStore(store));
            request.onsuccess = () => resolve(request.result);
            request.onerror = () => reject(request.error);
        });
    }
}

/** The range of all keys of a user: in IndexedDB's order a list comes after every text and number. */
function ofUser(user) {
    return globalThis.IDBKeyRange.bound([user], [user, []]);
}

export class Database {
    #factory;
    #opening;
    #isClosed = false;

    /** Whether a value stored here outlasts a restart. */
    isLasting = true;

    /** @param {IDBFactory} [factory] */
    constructor(factory = globalThis.indexedDB) { this.#factory = factory; }

    /**
     * Runs reads and writes as one: when the promise resolves, all of them are on disk; when it rejects, none is.
     * @template Result
     * @param {string[]} stores
     * @param {(transaction: Transaction) => Promise<Result>|Result} act
     * @returns {Promise<Result>}
     * @throws {DatabaseError}
     */
    async write(stores, act) { return this.#run(stores, "readwrite", act); }

    /** Reads several values as of the same moment. @throws {DatabaseError} */
    async read(stores, act) { return this.#run(stores, "readonly", act); }

    /** @throws {DatabaseError} */
    get(store, user, key) { return this.read([store], (transaction) => transaction.get(store, user, key)); }

    /** @throws {DatabaseError} */
    put(store, user, key, value) {
        return this.write([store], (transaction) => transaction.put(store, user, key, value));
    }

    /** @throws {DatabaseError} */
    remove(store, user, key) { return this.write([store], (transaction) => transaction.remove(store, user, key)); }

    /**
     * Removes all values of a user; those of all users if none is named.
     * @throws {DatabaseError}
     */
    erase(user) {
        return this.write([...storeNames], async (transaction) => {
            for (const store of storeNames) {
                await (user === undefined ? transaction.clearAll(store) : transaction.clear(store, user));
            }
        });
    }

    /** Closes the connection for good. */
    async close() {
        this.#isClosed = true;
        (await this.#opening?.catch(() => undefined))?.close();
    }

    async #run(stores, mode, act) {
        for (let attempt = 1; ; attempt += 1) {
            const connection = await this.#connection();
            let transaction;
            try {
                // Strict durability: once the transaction is complete, a power cut does not lose it.
                transaction = connection.transaction(stores, mode, { durability: "strict" });
            } catch (error) {
                // The browser has closed the connection: it is opened again, once.
                this.#opening = undefined;
                if (error?.name === "InvalidStateError" && attempt === 1) { continue; }
                throw DatabaseError.of(error);
            }
            return await settled(transaction, act);
        }
    }

    #connection() {
        if (this.#isClosed) { throw new DatabaseError("unavailable"); }
        this.#opening ??= this.#open().catch((error) => {
            this.#opening = undefined;
            throw DatabaseError.of(error, "unavailable");
        });
        return this.#opening;
    }

    #open() {
        return new Promise((resolve, reject) => {
            if (!this.#factory) { throw new DatabaseError("unavailable"); }
            const request = this.#factory.open(databaseName, version);
            request.onupgradeneeded = () => {
                const there = request.result.objectStoreNames;
                for (const name of storeNames) {
                    if (!there.contains(name)) { request.result.createObjectStore(name); }
                }
            };
            request.onerror = () => reject(request.error);
            request.onsuccess = () => {
                const connection = request.result;
                const forget = () => { this.#opening = undefined; };
                connection.onclose = forget;
                connection.onversionchange = () => { connection.close(); forget(); };
                resolve(connection);
            };
        });
    }
}

/** Resolves to the result of `act` once the transaction is on disk. */
function settled(transaction, act) {
    return new Promise((resolve, reject) => {
        let result;
        let fault;
        transaction.oncomplete = () => (fault ? reject(DatabaseError.of(fault)) : resolve(result));
        transaction.onabort = () => reject(DatabaseError.of(fault ?? transaction.error));
        const abort = (error) => {
            fault = error;
            try { transaction.abort(); } catch { /* The transaction has already ended. */ }
        };
        Promise.resolve().then(() => act(new Transaction(transaction))).then((found) => { result = found; }, abort);
    });
}

let shared;

/** The database that all parts of the app share. */
export function openDatabase() {
    shared ??= new Database();
    return shared;
}

/** Removes all that the app keeps of a user; of all users if none is named. @throws {DatabaseError} */
export function erase(user) {
    return openDatabase().erase(user);
}
