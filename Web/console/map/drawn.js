/**
 * What the map draws of people, and what a new state changes of it: so that only that is given to the map. Pure, apart
 * from the day, which is by the page's clock.
 */
import { namesVersion } from "../shared/names.js";
import { today } from "../shared/time.js";
import { memberFeatures } from "./mapdata.js";

const kinds = ["people", "sheltered", "seeming", "doubts"];

export class DrawnPeople {
    /** By user: the member it was drawn from, and its features by kind. */
    #drawn = new Map();
    #incidents;
    #alwaysShown;
    #day;
    #names;

    /**
     * Draws a state.
     * @param {import("../shared/state.js").State} state
     * @returns {Record<"people"|"sheltered"|"seeming"|"doubts", {add: object[], remove: string[]}>} what is new or
     *   other than before, and the ids of what is gone; a feature's id is its device
     */
    update(state) {
        const differences = Object.fromEntries(kinds.map((kind) => [kind, { add: [], remove: [] }]));
        // An incident changes how everybody is shown, another day the time of what is old, and a new name of one person
        // what another of that name is called.
        const [day, names] = [today(), namesVersion()];
        const isAnew = state.incidents !== this.#incidents || state.alwaysShown !== this.#alwaysShown
            || day !== this.#day || names !== this.#names;
        this.#incidents = state.incidents;
        this.#alwaysShown = state.alwaysShown;
        this.#day = day;
        this.#names = names;
        for (const [user, member] of state.members) {
            const known = this.#drawn.get(user);
            if (known && known.member === member && !isAnew) { continue; }
            const features = memberFeatures(state, member);
            this.#compare(known?.features, features, differences);
            this.#drawn.set(user, { member, features });
        }
        if (this.#drawn.size > state.members.size) {
            for (const [user, { features }] of this.#drawn) {
                if (state.members.has(user)) { continue; }
                this.#compare(features, undefined, differences);
                this.#drawn.delete(user);
            }
        }
        return differences;
    }

    /** What is drawn of a person, as `memberFeatures`; another object once it is drawn anew, undefined for nobody. */
    featuresOf(user) { return this.#drawn.get(user)?.features; }

    /** The features of everybody, of one kind. */
    *all(kind) {
        for (const { features } of this.#drawn.values()) { yield* features[kind]; }
    }

    #compare(before, after, differences) {
        for (const kind of kinds) {
            const now = after?.[kind] ?? [];
            differences[kind].add.push(...now);
            for (const { properties: { device } } of before?.[kind] ?? []) {
                if (!now.some(({ properties }) => properties.device === device)) {
                    differences[kind].remove.push(device);
                }
            }
        }
    }
}
