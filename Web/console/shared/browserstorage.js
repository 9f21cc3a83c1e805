/** The browser's storage of texts, or a replacement in memory if the browser does not let this page store anything. */

const inMemory = new Map();

/**
 * @param {"localStorage"|"sessionStorage"} [name]
 * @param {object} [world] replaced in tests
 * @returns {Storage} the same object for all callers
 */
export function browserStorage(name = "localStorage", world = globalThis) {
    try {
        // A browser that blocks storage throws when the storage is named; some throw only when it is read.
        const storage = world[name];
        storage.getItem("muster");
        return storage;
    } catch {
        if (!inMemory.has(name)) { inMemory.set(name, memoryStorage()); }
        return inMemory.get(name);
    }
}

function memoryStorage() {
    const values = new Map();
    return {
        /** A value stored here is lost when the page is closed. */
        isLasting: false,
        get length() { return values.size; },
        key: (index) => [...values.keys()][index] ?? null,
        getItem: (key) => values.get(key) ?? null,
        setItem: (key, value) => { values.set(key, String(value)); },
        removeItem: (key) => { values.delete(key); },
    };
}
