/** The guess as a part of the app. The part shows nothing itself: the state and the way read the guess. */
import { planeMeasure } from "../way/planemeasure.js";
import { Guesser } from "./guess.js";
import { KeptFixes } from "./keptfixes.js";
import { engineMeasure } from "./measure.js";

/**
 * Keeps the store's part `guess`, and measures the way with the engine.
 * @returns {() => Promise<void>} ends both; settles once nothing more is written
 */
export function start(page) {
    const kept = new KeptFixes(page.cache);
    const guesser = new Guesser({
        store: linkedStore(page.store), serverNow: page.serverNow, history: () => kept.before(page.serverNow()),
        keep: (fix) => kept.add(fix),
    });
    page.measure = engineMeasure(guesser, planeMeasure);
    guesser.begin();
    return () => {
        guesser.end();
        page.measure = undefined;
        return kept.end();
    };
}

/**
 * The store with the collections of the person's own team. It has no regions until those collections are known: the
 * assembly point of another team does not count for this person.
 */
function linkedStore(store) {
    return {
        get value() {
            const { own, linked, fix } = store.value;
            return { fix, own: own && linked ? { ...own, collections: linked.collections } : undefined };
        },
        subscribe: (look) => store.subscribe(look),
        set: (change) => store.set(change),
    };
}
