/**
 * What was typed and not sent. It outlasts the form, and a session that the server ended, until the same user signs in
 * again; signing out, or another user, empties it. It is in memory alone.
 */

/** How many forms are kept; the oldest goes. */
const limit = 50;

export class Drafts {
    #user;
    #values = new Map();

    /** Somebody signed in. @returns {boolean} whether it is another user than before */
    begin(user) {
        const isOther = user !== this.#user;
        if (isOther) { this.forget(); }
        this.#user = user;
        return isOther;
    }

    get isEmpty() { return this.#values.size === 0; }

    /** What was typed in a form, or `first`. */
    get(form, first) {
        return this.#values.has(form) ? this.#values.get(form) : first;
    }

    /** Keeps what is typed in a form now; `undefined` removes it. */
    set(form, value) {
        this.#values.delete(form);
        if (value === undefined) { return; }
        this.#values.set(form, value);
        if (this.#values.size > limit) { this.#values.delete(this.#values.keys().next().value); }
    }

    forget() {
        this.#user = undefined;
        this.#values.clear();
    }
}
