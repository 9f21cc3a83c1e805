/** Server-sent events from bytes, by the WHATWG HTML standard, section 9.2.6 "Interpreting an event stream". */

/** No event of Muster's is nearly as long; a longer one is a fault of what sends it. */
const longestEvent = 4 * 1024 * 1024;

export class EventStreamParser {
    #decoder = new TextDecoder();
    #rest = "";
    #endedInReturn = false;
    #data = [];
    #length = 0;
    #type = "";

    /** The id of the latest event that had one: what to resume after. */
    lastEventId = "";

    /**
     * Takes the next bytes, cut anywhere.
     * @param {Uint8Array} bytes
     * @returns {{type: string, data: string, id: string}[]} the events they complete
     * @throws {RangeError} for an event beyond 4 MiB
     */
    push(bytes) {
        const events = [];
        let text = this.#rest + this.#decoder.decode(bytes, { stream: true });
        this.#rest = "";
        // A line may end in CR, LF or both; the LF of a CR LF can come with the next bytes.
        if (this.#endedInReturn && text.startsWith("\n")) { text = text.slice(1); this.#endedInReturn = false; }
        if (text === "") { return events; }
        this.#endedInReturn = text.endsWith("\r");
        const lines = text.split(/\r\n|\r|\n/);
        this.#rest = lines.pop();
        for (const line of lines) {
            const event = this.#take(line);
            if (event) { events.push(event); }
        }
        if (this.#length + this.#rest.length > longestEvent) { throw new RangeError("An event is too long."); }
        return events;
    }

    #take(line) {
        if (line === "") { return this.#dispatch(); }
        this.#length += line.length;
        if (this.#length > longestEvent) { throw new RangeError("An event is too long."); }
        const colon = line.indexOf(":");
        const field = colon < 0 ? line : line.slice(0, colon);
        const value = colon < 0 ? "" : line.slice(colon + (line[colon + 1] === " " ? 2 : 1));
        if (field === "data") { this.#data.push(value); }
        if (field === "event") { this.#type = value; }
        if (field === "id" && !value.includes("\0")) { this.lastEventId = value; }
        return undefined;
    }

    #dispatch() {
        const event = this.#data.length === 0
            ? undefined
            : { type: this.#type || "message", data: this.#data.join("\n"), id: this.lastEventId };
        this.#data = [];
        this.#length = 0;
        this.#type = "";
        return event;
    }
}
