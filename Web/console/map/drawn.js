/** What the map draws of people, and what a new state changes of it: so that only that is given to the map. Pure. */
import { memberFeatures } from "./mapdata.js";

const kinds = ["people", "sheltered", "seeming", "doubts"];

export class DrawnPeople {
    /** By user: the member it was drawn from, and its features by kind. */
    #drawn = new Map();
    #incidents;
    #alwaysShown;

    /**
     * Draws a state.
     * @param {import("../shared/state.js").State} state
     * @returns {Record<"people"|"sheltered"|"seeming"|"doubts", {add: object[], remove: string[]}>} what is new or
     *   other than before, and the ids of what is gone; a feature's id is its device
     */
    update(state) {
        const differences = Object.fromEntries(kinds.map((kind) => [kind, { add: [], remove: [] }]));
        // An incident changes how everybody is shown.
        const isAnew = state.incidents !== this.#incidents || state.alwaysShown !== this.#alwaysShown;
        this.#incidents = state.incidents;
        this.#alwaysShown = state.alwaysShown;
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
