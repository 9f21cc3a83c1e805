/**
 * What must not be overlooked: open incidents, and calls for help; and for whoever leads, the buttons to start and
 * close the one and to answer the other. What a button does comes back through the feed like everything else.
 */
import { marks } from "./marks.js";
import { isOnRollAlone, nameOf } from "./roll.js";
import { calls, leavingLines, tally, tallyWords } from "./safety.js";
import { latestPosition } from "./state.js";
import { legible, shortened } from "./text.js";
import { clockTime, minuteTime } from "./time.js";
import { dueWords, overdueWords } from "./timer.js";
import { openQuestion, questionWords } from "./whereabouts.js";

/** So long after it was closed an incident is told of, and can be reopened here. */
const closedShownMs = 30 * 60_000;

/** As much of a name and of a note as a banner shows, so that none pushes the next call away; the row has all of it. */
const nameLimit = 60;
const noteLimit = 80;

export class Alarms {
    #alarms;
    #leaving;
    #closed;
    #orders;
    #now;
    #send;
    #addVisitor;
    #checkIn;
    #whereabouts;
    /** Lines by what they speak of, so that one that is as it was is not touched: it may have the keyboard's focus. */
    #lines = new Map();
    #teams = "";
    /** The state that is shown: a dialog counts by it when it opens, not by that of the time when its button came. */
    #state;
    #select = document.createElement("select");

    /**
     * @param {{alarms: HTMLElement, leaving: HTMLElement, closed: HTMLElement, orders: HTMLElement}} elements
     * @param {(path: string, body: object) => Promise<void>} send posts to the API
     * @param {() => number} now the server's time in milliseconds
     * @param {(incident: object) => void} addVisitor asks for a visitor to put on an incident's roll
     * @param {() => void} checkIn checks in the person who looks
     * @param {import("./whereabouts.js").Whereabouts} whereabouts answers where the person who looks is
     */
    constructor({ alarms, leaving, closed, orders }, send, now, addVisitor, checkIn, whereabouts) {
        this.#whereabouts = whereabouts;
        this.#addVisitor = addVisitor;
        this.#checkIn = checkIn;
        this.#alarms = alarms;
        this.#leaving = leaving;
        this.#closed = closed;
        this.#now = now;
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
     * @param {boolean} isLive whether the page follows the server: else it says neither all clear nor all accounted
     */
    show(state, user, isLive = true) {
        this.#state = state;
        const seen = new Set();
        for (const member of calls(state)) {
            this.#line(seen, this.#alarms, `call ${member.user}`, member.state, callWords(member, this.#now()),
                this.#answers(member, user));
        }
        this.#showQuestion(seen, state, user);
        this.#showTimers(seen, state, user);
        for (const incident of state.incidents.values()) {
            this.#line(seen, this.#alarms, `incident ${incident.number}`, incident.kind,
                incidentWords(state, incident, user, isLive),
                leads(user, incident.team) ? [
                    ["Add visitor…", () => this.#addVisitor(incident)],
                    // Nobody ends an incident from what may be old.
                    ...(isLive ? [["All clear…", () => this.#close(incident)]] : []),
                ] : []);
        }
        this.#alarms.hidden = seen.size === 0;
        for (const { key, words } of leavingLines(state, user?.name)) {
            this.#line(seen, this.#leaving, `left ${key}`, "left", words, []);
        }
        const lately = isLive ? closedLately(state, this.#now()) : [];
        for (const incident of lately) {
            this.#line(seen, this.#closed, `closed ${incident.number}`, "closed", closedWords(incident),
                leads(user, incident.team) ? [["Reopen…", () => this.#reopen(incident)]] : []);
        }
        this.#closed.hidden = lately.length === 0;
        for (const [key, line] of this.#lines) {
            if (!seen.has(key)) {
                line.element.remove();
                this.#lines.delete(key);
            }
        }
        this.#showOrders(state, user);
    }

    /** That a leader asks where the person who looks is. */
    #showQuestion(seen, state, user) {
        const question = openQuestion(state, user?.name, this.#now());
        if (!question) { return; }
        const { canLocate } = this.#whereabouts;
        this.#line(seen, this.#alarms, "asked", "asked", questionWords(question, canLocate, this.#now()),
            canLocate ? [["Send where I am", () => this.#whereabouts.answer()]] : []);
    }

    /** The check-in that the person who looks owes, and for leaders the overdue ones; an SOS has its line above. */
    #showTimers(seen, state, user) {
        for (const member of state.members.values()) {
            const { timer, team, user: name } = member;
            const isOwn = name === user?.name;
            if (isOwn && (timer?.happened === "reminded" || timer?.happened === "overdue")) {
                this.#line(seen, this.#alarms, `due ${name}`, "overdue", dueWords(timer, this.#now()),
                    [["Check in", this.#checkIn]]);
            } else if (timer?.happened === "overdue" && leads(user, team)) {
                this.#line(seen, this.#alarms, `overdue ${name}`, "overdue",
                    overdueWords(name, timer, whereWords(member, this.#now()), this.#now()),
                    [["Heard from them", () => this.#heardFrom(name)]]);
            }
        }
    }

    #heardFrom(user) {
        if (!confirm(`Have you heard from ${user} yourself? The check-in time starts again.`)) { return; }
        this.#send(`users/${encodeURIComponent(user)}/check-ins`, {}, `${user} has checked in`);
    }

    #answers(member, user) {
        if (isOnRollAlone(member)) { return []; }
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

    #line(seen, section, key, kind, words, answers) {
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
        if (!known && kind === "sos") { section.prepend(element); } else if (!known) { section.append(element); }
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
        const reason = prompt(closingQuestion(this.#state, { team }));
        if (reason?.trim()) { this.#send(`incidents/${number}/close`, { reason: reason.trim() }); }
    }

    #reopen({ number, team }) {
        const reason = prompt(`Reopen the incident of ${team}, on the same roll? Why:`);
        if (reason?.trim()) { this.#send(`incidents/${number}/reopen`, { reason: reason.trim() }); }
    }

    #declare(user, kind) {
        this.#send(`users/${encodeURIComponent(user)}/declarations`, { kind });
    }
}

/** Whether a user leads a team. */
export function leads(user, team) {
    return user?.role === "admin" || (user?.role === "leader" && team !== undefined && user.team === team);
}

/** An open incident in words: that all are accounted for is a state of it, and no all clear. Pure. */
export function incidentWords(state, incident, user, isLive = true) {
    const what = `${incident.kind === "drill" ? "DRILL – evacuation" : "Evacuation"} of ${incident.team}`;
    const since = `since ${clockTime(incident.startedAt)}`;
    if (user?.role === "member") { return `${what}, ${since}`; }
    if (!isLive) { return `${what}, ${since}. Who is accounted for now is not known: this page is not live`; }
    const all = incident.allAccounted
        ? `. All accounted for since ${clockTime(incident.allAccountedAt)} — not closed` : "";
    return `${what}, ${tallyWords(tally(state, incident), true)}, ${since}${all}`;
}

/** What is asked before an incident is closed: it says how many are accounted for at this moment. Pure. */
export function closingQuestion(state, { team }) {
    const left = leavingLines(state, undefined, team).map(({ words }) => `${words}.`);
    return [
        `All clear for ${team}?`, `${tallyWords(tally(state, { team }))}.`, ...left,
        "This closes the incident, in your name. Why:",
    ].join("\n");
}

/** A call for help in words: who, since when, with which note, where last seen, and whether it was heard. Pure. */
export function callWords(member, nowMs) {
    const { state, since, acknowledgedBy, call } = member;
    const user = legible(shortened(nameOf(member), nameLimit));
    const words = state === "sos" ? `SOS from ${user}` : `${user} ${marks.needsHelp.word.toLowerCase()}`;
    const said = member.note ?? call?.note;
    const note = said ? `: “${legible(shortened(said, noteLimit))}”` : "";
    if (isOnRollAlone(member)) {
        return `${words}, ${clockTime(since)}${note}${member.markedBy ? `, marked by ${member.markedBy}` : ""}`;
    }
    const heard = acknowledgedBy ? `heard by ${acknowledgedBy}` : "nobody has heard it";
    return `${words}, ${clockTime(since)}${note}, ${whereWords(member, nowMs)}, ${heard}`;
}

function whereWords(member, nowMs) {
    const position = latestPosition(member);
    if (!position) { return "nobody knows where"; }
    const names = [...member.presences.get(position.device)?.values() ?? []]
        .filter(({ standing }) => standing === "inside")
        .map(({ region }) => legible(region.name || region.id));
    const place = `${position.latitude.toFixed(5)}, ${position.longitude.toFixed(5)}`;
    const where = names.length > 0 ? `in ${names.join(", ")} (${place})` : `at ${place}`;
    // In minutes: the banner is read out when it changes.
    return `last seen ${where} at ${minuteTime(position.sampleTime, nowMs)}`;
}

/** The newest incident of each team without an open one, where a person or the server closed it lately. Pure. */
export function closedLately(state, nowMs) {
    const open = new Set([...state.incidents.values()].map(({ team }) => team));
    const newest = new Map();
    for (const incident of state.closed.values()) {
        if (!(newest.get(incident.team)?.number > incident.number)) { newest.set(incident.team, incident); }
    }
    return [...newest.values()].filter(({ team, closedAt, closedHow }) =>
        !open.has(team) && closedHow !== "teamGone" && closedHow !== "takenOver"
        && nowMs - Date.parse(closedAt) < closedShownMs);
}

function closedWords({ team, kind, closedAt, closedBy, reason }) {
    const what = `${kind === "drill" ? "DRILL – evacuation" : "Evacuation"} of ${team}`;
    if (!closedBy) { return `${what}: closed by itself at ${clockTime(closedAt)}`; }
    const why = reason ? `: “${legible(reason)}”` : "";
    return `${what}: all clear said by ${closedBy} at ${clockTime(closedAt)}${why}`;
}

function button(name, act) {
    const element = document.createElement("button");
    element.type = "button";
    element.textContent = name;
    element.addEventListener("click", act);
    return element;
}
