/**
 * What must not be overlooked: open incidents, and calls for help; and for whoever leads, the buttons to start and
 * close the one and to answer the other. What a button does comes back through the feed like everything else.
 */
import { marks } from "./marks.js";
import { calls, tally } from "./state.js";
import { clockTime } from "./time.js";

export class Alarms {
    #alarms;
    #orders;
    #send;
    /** Lines by what they speak of, so that one that is as it was is not touched: it may have the keyboard's focus. */
    #lines = new Map();
    #teams = "";
    #select = document.createElement("select");

    /**
     * @param {{alarms: HTMLElement, orders: HTMLElement}} elements
     * @param {(path: string, body: object) => Promise<void>} send posts to the API
     */
    constructor({ alarms, orders }, send) {
        this.#alarms = alarms;
        this.#orders = orders;
        this.#send = send;
        this.#select.setAttribute("aria-label", "Team");
        const [evacuate, drill] = [["Evacuate…", "real"], ["Drill…", "drill"]].map(
            ([name, kind]) => button(name, () => this.#start(kind)));
        orders.append(this.#select, evacuate, drill);
    }

    /**
     * Shows a state.
     * @param {import("./state.js").State} state
     * @param {{name: string, role: string, team?: string} | undefined} user who looks
     */
    show(state, user) {
        const seen = new Set();
        for (const incident of state.incidents.values()) {
            this.#line(seen, `incident ${incident.number}`, incident.kind, incidentWords(state, incident, user),
                leads(user, incident.team) ? [["Close…", () => this.#close(incident)]] : []);
        }
        for (const member of calls(state)) {
            this.#line(seen, `call ${member.user}`, member.state, callWords(member), this.#answers(member, user));
        }
        for (const [key, line] of this.#lines) {
            if (!seen.has(key)) {
                line.element.remove();
                this.#lines.delete(key);
            }
        }
        this.#alarms.hidden = seen.size === 0;
        this.#showOrders(state, user);
    }

    #answers(member, user) {
        const answers = [];
        const isOwn = member.user === user?.name;
        if (!isOwn && leads(user, member.team) && !member.acknowledgedBy) {
            answers.push(["Acknowledge", () => this.#declare(member.user, "acknowledge")]);
        }
        if (isOwn || leads(user, member.team)) {
            answers.push(["Clear", () => this.#declare(member.user, "clear")]);
        }
        return answers;
    }

    #line(seen, key, kind, words, answers) {
        seen.add(key);
        const face = JSON.stringify([kind, words, answers.map(([name]) => name)]);
        const known = this.#lines.get(key);
        if (known?.face === face) { return; }
        const element = known?.element ?? document.createElement("p");
        element.className = "alarm";
        element.dataset.kind = kind;
        const what = document.createElement("span");
        what.className = "what";
        what.textContent = words;
        element.replaceChildren(what, ...answers.map(([name, act]) => button(name, act)));
        if (!known) { this.#alarms.append(element); }
        this.#lines.set(key, { element, face });
    }

    #showOrders(state, user) {
        const open = new Set([...state.incidents.values()].map(({ team }) => team));
        const teams = new Set([...state.members.values()].map(({ team }) => team));
        const led = [...teams].filter((team) => team && !open.has(team) && leads(user, team)).sort();
        this.#orders.hidden = led.length === 0;
        this.#select.hidden = led.length < 2;
        if (this.#teams === led.join("\n")) { return; }
        this.#teams = led.join("\n");
        this.#select.replaceChildren(...led.map((team) => new Option(team)));
    }

    #start(kind) {
        const team = this.#select.value;
        const question = kind === "drill"
            ? `Start a drill for ${team}? Everyone is asked where they are.`
            : `Evacuate ${team}? This is not a drill.`;
        if (team && confirm(question)) { this.#send(`teams/${encodeURIComponent(team)}/incidents`, { kind }); }
    }

    #close({ number, team }) {
        const reason = prompt(`Close the incident of ${team}, though not all are accounted for? Why:`);
        if (reason) { this.#send(`incidents/${number}/close`, { reason }); }
    }

    #declare(user, kind) {
        this.#send(`users/${encodeURIComponent(user)}/declarations`, { kind });
    }
}

function leads(user, team) {
    return user?.role === "admin" || (user?.role === "leader" && team !== undefined && user.team === team);
}

function incidentWords(state, incident, user) {
    const what = `${incident.kind === "drill" ? "DRILL – evacuation" : "Evacuation"} of ${incident.team}`;
    const since = `since ${clockTime(incident.startedAt)}`;
    if (user?.role === "member") { return `${what}, ${since}`; }
    const { accounted, people } = tally(state, incident);
    return `${what}, ${accounted} of ${people} accounted for, ${since}`;
}

function callWords({ user, state, since, acknowledgedBy }) {
    const words = state === "sos" ? `SOS from ${user}` : `${user} ${marks.needsHelp.word.toLowerCase()}`;
    return `${words}, ${clockTime(since)}${acknowledgedBy ? `, heard by ${acknowledgedBy}` : ""}`;
}

function button(name, act) {
    const element = document.createElement("button");
    element.type = "button";
    element.textContent = name;
    element.addEventListener("click", act);
    return element;
}
