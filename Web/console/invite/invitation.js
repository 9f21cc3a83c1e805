/** An invitation as the page that it opens knows it: who is invited, and the password that they set. */
import { isTemporary } from "../shared/faults.js";
import { Problem, send } from "../shared/http.js";
import { pause } from "../shared/pause.js";

/** How often what got no answer is sent again. */
const tries = 5;

/** What the server says of a link that is over, as the page says it. */
export function isOver(error) {
    return error instanceof Problem && (error.status === 401 || error.status === 404);
}

/** The requests that an invitation allows. */
export class Invitation {
    #token;
    #send;
    #wait;

    constructor(token, { request = send, wait = pause } = {}) {
        this.#token = token;
        this.#send = request;
        this.#wait = wait;
    }

    /** Who is invited, and where to: `{kind, user, team?, expiresTime}`. */
    async read() {
        return await (await this.#persist("shared", {})).json();
    }

    /**
     * Sets the password; the invitation is used up.
     * @throws {Problem} 401 where it is over, or was used; where the first answer was lost, that may be this very
     *     password's doing: `mayBeSet` is true then
     */
    async setPassword(password) {
        await this.#persist("shared/password", { method: "POST", body: { password } });
    }

    async #persist(path, options) {
        let wasUnanswered = false;
        for (let attempt = 1; ; attempt += 1) {
            try {
                return await this.#send(path, { ...options, token: this.#token, signal: AbortSignal.timeout(15_000) });
            } catch (error) {
                if (wasUnanswered && isOver(error)) { error.mayBeSet = true; }
                if (attempt === tries || !isTemporary(error)) { throw error; }
                wasUnanswered ||= !(error instanceof Problem);
                await this.#wait(Math.max(1000 * attempt, (error.retryAfterSeconds ?? 0) * 1000));
            }
        }
    }
}
