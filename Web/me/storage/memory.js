/**
 * Replaces the database if the browser does not let a page store anything, and in tests. It makes the same promises as
 * `database.js` but one: its values are lost with the page.
 */
import { DatabaseError, storeNames } from "./database.js";

export class MemoryDatabase {
    isLasting = false;
    /** The values of each store by user and key. */
    #stores = new Map(storeNames.map((name) => [name, new Map()]));
    #last = Promise.resolve();
    /** Called before each write; a test throws the browser's error here. */
    beforeWrite = () => {};

    write(stores, act) { return this.#run(stores, act, true); }

    read(stores, act) { return this.#run(stores, act, false); }

    get(store, user, key) { return this.read([store], (transaction) => transaction.get(store, user, key)); }

    put(store, user, key, value) {
        return this.write([store], (transaction) => transaction.put(store, user, key, value));
    }

    remove(store, user, key) { return this.write([store], (transaction) => transaction.remove(store, user, key)); }

    erase(user) {
        return this.write([...storeNames], (transaction) => {
            for (const store of storeNames) {
                if (user === undefined) { transaction.clearAll(store); } else { transaction.clear(store, user); }
            }
        });
    }

    async close() { await this.#last; }

    /** Runs transactions one after the other, so that none sees the unfinished work of another. */
    #run(stores, act, isWrite) {
        const done = this.#last.then(async () => {
            const transaction = new Transaction(this.#stores, stores);
            try {
                if (isWrite) { this.beforeWrite(); }
                return await act(transaction);
            } catch (error) {
                transaction.undo();
                throw DatabaseError.of(error);
            }
        });
        this.#last = done.catch(() => {});
        return done;
    }
}

class Transaction {
    #stores;
    #names;
    #undoing = [];

    constructor(stores, names) {
        this.#stores = stores;
        this.#names = names;
    }

    get(store, user, key) { return copy(this.#values(store, user).get(key)); }

    put(store, user, key, value) { this.#set(this.#values(store, user), key, copy(value)); }

    remove(store, user, key) { this.#set(this.#values(store, user), key, undefined); }

    removeRange(store, user, first, last) {
        const values = this.#values(store, user);
        const within = (key) => compare(first, key) <= 0 && compare(key, last) <= 0;
        for (const key of [...values.keys()].filter(within)) { this.#set(values, key, undefined); }
    }

    count(store, user) { return this.#values(store, user).size; }

    entries(store, user, limit) {
        const sorted = [...this.#values(store, user)].sort(([left], [right]) => compare(left, right));
        return sorted.slice(0, limit).map(([key, value]) => ({ key, value: copy(value) }));
    }

    last(store, user) { return this.entries(store, user).at(-1)?.value; }

    clear(store, user) {
        const values = this.#values(store, user);
        for (const key of [...values.keys()]) { this.#set(values, key, undefined); }
    }

    clearAll(store) {
        for (const user of this.#store(store).keys()) { this.clear(store, user); }
    }

    undo() {
        for (const act of this.#undoing.reverse()) { act(); }
    }

    #store(name) {
        if (!this.#names.includes(name)) { throw new TypeError(`the transaction does not have ${name}`); }
        return this.#stores.get(name);
    }

    #values(name, user) {
        const store = this.#store(name);
        if (!store.has(user)) { store.set(user, new Map()); }
        return store.get(user);
    }

    #set(values, key, value) {
        const before = values.get(key);
        this.#undoing.push(() => setOrDelete(values, key, before));
        setOrDelete(values, key, value);
    }
}

function setOrDelete(values, key, value) {
    if (value === undefined) { values.delete(key); } else { values.set(key, value); }
}

function copy(value) {
    return value === undefined ? undefined : structuredClone(value);
}

/** IndexedDB's order: numbers before texts. */
function compare(left, right) {
    if (typeof left !== typeof right) { return typeof left === "number" ? -1 : 1; }
    if (left === right) { return 0; }
    return left < right ? -1 : 1;
}
