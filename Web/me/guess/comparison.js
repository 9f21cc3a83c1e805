/** Compares the phone's guesses with the server's verdicts, for developers and never for the member. Pure. */
import { latestPosition } from "../../console/shared/state.js";

/** The number of guesses kept until the server has decided their fixes: those of an hour. */
const keptGuesses = 720;
/** The largest difference in milliseconds between a fix's time and the same time as the server returns it, rounded. */
const sameFixMs = 1000;

export class Comparison {
    /** The guesses, the oldest first. */
    #guesses = [];
    #comparedMs = -Infinity;
    compared = 0;
    differences = 0;

    /** Keeps a guess. @param {{at: number, regions: {key: string, isInside: boolean}[]}} guess */
    keep({ at, regions }) {
        const inside = regions.filter(({ isInside }) => isInside).map(({ key }) => key);
        this.#guesses.push({ at, inside });
        if (this.#guesses.length > keptGuesses) { this.#guesses.shift(); }
    }

    /**
     * Compares the server's newest verdict with the guess at the same fix, once.
     * @param {import("../../console/shared/state.js").Member} [member] as the server last said
     * @param {Set<string>} known the keys of the regions that the engine has; it guesses nothing about other regions
     * @returns {{at: number, server: string[], phone: string[]}|undefined} undefined if they agree, or cannot be
     *     compared: the server does not have that fix, or the phone has restarted since and has not yet decided
     */
    look(member, known) {
        const position = member && latestPosition(member);
        if (!position) { return undefined; }
        const at = Date.parse(position.sampleTime);
        if (!(at > this.#comparedMs)) { return undefined; }
        const guess = this.#guesses.findLast((kept) => Math.abs(kept.at - at) <= sameFixMs);
        if (!guess) { return undefined; }
        this.#comparedMs = at;
        this.#guesses = this.#guesses.filter((kept) => kept.at > at);
        const server = [...member.presences.get(position.device) ?? []]
            .filter(([key, { standing }]) => standing === "inside" && known.has(key)).map(([key]) => key).sort();
        const phone = guess.inside.sort();
        this.compared += 1;
        if (server.join("\n") === phone.join("\n")) { return undefined; }
        this.differences += 1;
        return { at, server, phone };
    }
}
