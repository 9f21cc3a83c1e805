/**
 * One value that views read, and are told of when it changed: once a frame, however often it was changed meanwhile.
 * While the page is hidden no frame is drawn; it is told of changes then by a timer, for its title and its sounds.
 */

/** How often a hidden page is told. */
const hiddenMs = 500;

export class Store {
    #value;
    #listeners = new Set();
    #isDue = false;
    #schedule;

    /**
     * @param {object} value the first value
     * @param {(act: () => void) => void} [schedule] replaced in tests
     */
    constructor(value, schedule = nextFrame) {
        this.#value = value;
        this.#schedule = schedule;
    }

    get value() { return this.#value; }

    /** Replaces parts of the value. @param {object | ((value: object) => object)} parts or what makes them of it */
    set(parts) {
        const changed = typeof parts === "function" ? parts(this.#value) : parts;
        if (Object.keys(changed).every((name) => Object.is(changed[name], this.#value[name]))) { return; }
        this.#value = Object.freeze({ ...this.#value, ...changed });
        if (this.#isDue) { return; }
        this.#isDue = true;
        this.#schedule(() => this.flush());
    }

    /** Tells the listeners now of what was changed since they were last told. */
    flush() {
        if (!this.#isDue) { return; }
        this.#isDue = false;
        for (const listener of [...this.#listeners]) { listener(this.#value); }
    }

    /** @param {(value: object) => void} listener @returns {() => void} what ends it */
    subscribe(listener) {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
    }
}

/** Whether two values, or the members of two plain objects or lists, are the same. A Map has no members to compare. */
export function areSame(left, right) {
    if (Object.is(left, right)) { return true; }
    if (!hasMembers(left) || !hasMembers(right)) { return false; }
    const names = Object.keys(left);
    return names.length === Object.keys(right).length
        && names.every((name) => Object.hasOwn(right, name) && Object.is(left[name], right[name]));
}

function hasMembers(value) {
    return Array.isArray(value) || (value && Object.getPrototypeOf(value) === Object.prototype);
}

function nextFrame(act) {
    if (globalThis.document?.hidden) { setTimeout(act, hiddenMs); return; }
    // A frame may never come: the page may be hidden before it.
    let isDone = false;
    const once = () => { if (!isDone) { isDone = true; act(); } };
    requestAnimationFrame(once);
    setTimeout(once, hiddenMs);
}
