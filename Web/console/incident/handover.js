/** The lead of an incident changed: who leads now is told, and who led until then, until each says that they know. */
import { browserStorage } from "../shared/browserstorage.js";
import { legible } from "../shared/text.js";
import { clockTime } from "../shared/time.js";
import { t } from "../shared/words.js";
import { whatWords } from "./alarmwords.js";

const storageKey = "muster-handovers-seen";
/** As many handovers are remembered as seen. */
const seenLimit = 50;

/**
 * What a user must know of who leads the open incidents. Pure.
 * @param {import("../shared/state.js").State} live
 * @param {string} [name] the user who looks
 * @param {string[]} seen the keys of what they said that they know
 * @returns {{key: string, incident: object, isMine: boolean, words: string}[]}
 */
export function handoverNews(live, name, seen) {
    const news = [...live.incidents.values()].map((incident) => newsOf(incident, live.events, name)).filter(Boolean);
    return news.filter(({ key }) => !seen.includes(key));
}

function newsOf(incident, events, name) {
    const { number, leader, startedBy } = incident;
    if (name === undefined || !leader) { return undefined; }
    const [last, before] = events.filter((event) => event.number === number && event.happened === "handedOver");
    if (last?.to !== leader) {
        // The page no longer has the event, or does not have it yet.
        const isGiven = leader === name && startedBy !== name;
        return isGiven ? { key: `${number} ${name}`, incident, isMine: true, words: yours("lead.now", incident) }
            : undefined;
    }
    const led = before?.to ?? startedBy;
    const said = { name: legible(last.by ?? ""), time: clockTime(last.at) };
    const key = `${number} ${last.sequence}`;
    if (leader === name) {
        const words = yours(last.by && last.by !== name ? "lead.given" : "lead.taken", incident, said);
        return { key, incident, isMine: true, words };
    }
    const words = t("lead.theirs", { ...said, name: legible(leader), what: whatWords(incident) });
    return led === name ? { key, incident, isMine: false, words } : undefined;
}

function yours(key, incident, said = {}) {
    return t(key, { ...said, what: whatWords(incident) });
}

/** The handovers that this browser's user said they know of. */
export class SeenHandovers {
    #storage;
    #report;

    /**
     * @param {{report: (keys: string[]) => void, storage?: Storage}} options `report` takes the keys, now and after
     *     each that is added
     */
    constructor({ report, storage = browserStorage() }) {
        this.#storage = storage;
        this.#report = report;
        report(this.#keys());
    }

    add(key) {
        const keys = [...this.#keys().filter((each) => each !== key), key].slice(-seenLimit);
        // A browser that is full, or stores nothing, tells it again after a reload.
        try { this.#storage.setItem(storageKey, JSON.stringify(keys)); } catch { /* told again */ }
        this.#report(keys);
    }

    #keys() {
        try {
            const found = JSON.parse(this.#storage.getItem(storageKey) ?? "[]");
            return Array.isArray(found) ? found : [];
        } catch { return []; }
    }
}
