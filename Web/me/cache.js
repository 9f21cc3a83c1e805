/** Keeps the server's last answers for the signed-in user. The app also works without them. */

export class PersonCache {
    #database;
    #user;

    /** @param {() => Promise<import("./storage/database.js").Database>} [database] replaced in tests */
    constructor(database = open) { this.#database = database; }

    /** Sets the user whose values are read and written from now on; undefined for none. */
    begin(user) { this.#user = user; }

    /** @returns {Promise<unknown>} undefined if no value is kept. @throws {DatabaseError} */
    async read(name) {
        const user = this.#user;
        return user === undefined ? undefined : await (await this.#database()).get("cache", user, name);
    }

    /** @throws {DatabaseError} if the browser does not let the page store anything, or has no room */
    async write(name, value) {
        const user = this.#user;
        if (user === undefined) { return; }
        const database = await this.#database();
        // If the user signed out meanwhile, nothing of theirs is written.
        if (user === this.#user) { await database.put("cache", user, name, value); }
    }
}

async function open() {
    const { openDatabase } = await import("./storage/database.js");
    return openDatabase();
}
