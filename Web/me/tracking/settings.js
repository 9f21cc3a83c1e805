/** What the tracker keeps from one start to the next: the person's choice, and the error of this device's clock. */

const choiceKey = "tracking.choice";
const offsetKey = "tracking.clock";
/** The change of the clock's error from which on the error is stored again, in milliseconds. */
const offsetStepMs = 1000;

export class Settings {
    #database;
    #user;
    #isEnded = false;
    #keeping;
    /** Whether the person wants to be tracked, and wants a lit screen. */
    choice = Object.freeze({ isOn: false, isAwake: false });
    /** The last known error of this device's clock in milliseconds; undefined if none is known. */
    offsetMs;

    /** @param {{database: import("../storage/database.js").Database, user: string}} options */
    constructor({ database, user }) {
        this.#database = database;
        this.#user = user;
    }

    /** Reads what is kept. @throws {import("../storage/database.js").DatabaseError} */
    async read() {
        const [choice, offsetMs] = await this.#database.read(["settings"], async (transaction) => [
            await transaction.get("settings", this.#user, choiceKey),
            await transaction.get("settings", this.#user, offsetKey),
        ]);
        this.choice = { ...this.choice, ...choice };
        this.offsetMs = offsetMs;
    }

    /** Writes the choice; settles once it is on the disk, or the disk has refused it. */
    keepChoice() { return this.#keep(choiceKey, this.choice); }

    /** Writes the error of this device's clock, for a start without a network. */
    keepOffset(offsetMs) {
        if (offsetMs === undefined || Math.abs(offsetMs - (this.offsetMs ?? Infinity)) < offsetStepMs) { return; }
        this.offsetMs = offsetMs;
        this.#keep(offsetKey, offsetMs);
    }

    /** Writes nothing any more. Settles once what was begun is written. */
    async end() {
        this.#isEnded = true;
        await this.#keeping;
    }

    async #keep(key, value) {
        if (this.#isEnded) { return; }
        this.#keeping = Promise.all([
            this.#keeping, this.#database.put("settings", this.#user, key, value).catch(() => {}),
        ]);
        await this.#keeping;
    }
}
