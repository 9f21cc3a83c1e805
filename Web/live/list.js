/** The list of people: counts at the top, those who are not safe first. */
import { changeMark, markElement, markOrder, marks, usualMarks } from "./marks.js";
import { presenceLines } from "./presence.js";
import { RowActions } from "./rowactions.js";
import { nameOf } from "./roll.js";
import { counts, shownState, showsSafety } from "./safety.js";
import { isCoarse, latestPosition } from "./state.js";
import { legible } from "./text.js";
import { age, clockTime, duration, showTime } from "./time.js";
import { timerWords } from "./timer.js";
import { batteryOf, batteryWords, heardOf, isBatteryLow, locatedOf, rollWords, stateWords } from "./rowwords.js";

export class List {
    #list;
    #empty;
    #choose;
    #declare;
    #user;
    #rows = new Map();
    #buttons = new Map();
    /** The one state to show; undefined shows everybody. */
    #only;
    #state;
    #now = Date.now;

    /**
     * @param {{list: HTMLElement, counts: HTMLElement, empty: HTMLElement}} elements
     * @param {(user: string) => void} choose called when a person is clicked
     * @param {(user: string, kind: string) => void} declare says something of a person, as whoever leads them
     */
    constructor({ list, counts: group, empty }, choose, declare) {
        this.#list = list;
        this.#empty = empty;
        this.#choose = choose;
        this.#declare = declare;
        for (const state of markOrder) { group.append(this.#countButton(state)); }
    }

    /**
     * Shows a state.
     * @param {import("./state.js").State} state
     * @param {() => number} now the server's time in milliseconds
     * @param {{name: string, role: string, team?: string} | undefined} user who looks
     */
    show(state, now, user) {
        this.#state = state;
        this.#now = now;
        this.#user = user;
        const numbers = counts(state);
        const isCalm = ![...state.members.values()].some(({ team }) => showsSafety(state, team));
        for (const [name, { button, number }] of this.#buttons) {
            number.textContent = String(numbers[name]);
            const isUsual = usualMarks.has(name === "located" && isCalm ? "unsafe" : name)
                && !(name === "unsafe" && isCalm);
            button.hidden = !isUsual && numbers[name] === 0 && this.#only !== name;
        }
        this.#showRows();
    }

    /** Marks whose track is shown; nobody's where there is no such name. */
    mark(user) {
        for (const [name, { item }] of this.#rows) {
            if (name === user) {
                item.firstElementChild.setAttribute("aria-current", "true");
            } else {
                item.firstElementChild.removeAttribute("aria-current");
            }
        }
    }

    /** Brings the ages up to date. */
    tick() {
        for (const row of this.#rows.values()) { this.#showHeard(row); }
    }

    #countButton(state) {
        const button = document.createElement("button");
        button.type = "button";
        button.className = "count";
        button.dataset.state = state;
        button.setAttribute("aria-pressed", "false");
        const number = document.createElement("span");
        number.className = "number";
        number.textContent = "0";
        const word = document.createElement("span");
        word.textContent = marks[state].word;
        button.append(markElement(state), number, word);
        button.addEventListener("click", () => this.#toggle(state));
        this.#buttons.set(state, { button, number });
        return button;
    }

    #toggle(state) {
        this.#only = this.#only === state ? undefined : state;
        for (const [name, { button }] of this.#buttons) {
            button.setAttribute("aria-pressed", String(name === this.#only));
        }
        if (this.#state) { this.#showRows(); }
    }

    #showRows() {
        const shown = [...this.#state.members.values()]
            .map((member) => ({ member, shown: shownState(this.#state, member) }))
            .filter(({ member, shown: how }) => !this.#only || (how === this.#only && !member.takenOff))
            .sort(inOrder);
        const gone = new Set(this.#rows.keys());
        let before = this.#list.firstElementChild;
        for (const { member, shown: how } of shown) {
            gone.delete(member.user);
            const row = this.#row(member, how);
            // A row that is where it should be is not touched: it may have the keyboard's focus.
            if (row.item === before) { before = before.nextElementSibling; } else { this.#insert(row.item, before); }
        }
        for (const user of gone) {
            this.#rows.get(user).item.remove();
            this.#rows.delete(user);
        }
        this.#empty.hidden = shown.length > 0;
    }

    #insert(item, before) {
        const hadFocus = item.contains(document.activeElement);
        this.#list.insertBefore(item, before);
        if (hadFocus) { item.firstElementChild.focus(); }
    }

    #row(member, shown) {
        let row = this.#rows.get(member.user);
        if (!row) {
            row = newRow(member, this.#choose, this.#declare);
            this.#rows.set(member.user, row);
        }
        row.actions.show(member, this.#user);
        if (row.member !== member || row.shown !== shown) {
            row.member = member;
            row.shown = shown;
            row.item.dataset.state = shown;
            row.item.dataset.doubt = member.doubt ?? "none";
            changeMark(row.mark, shown);
            [row.word.textContent, row.place.textContent] = stateWords(member, shown);
            showNote(row, member);
            row.roll.textContent = rollWords(member, this.#now());
            row.timer.textContent = timerWords(member.timer, this.#now());
            row.timer.dataset.happened = member.timer?.happened ?? "none";
            row.item.dataset.roll = member.takenOff ? "takenOff" : member.roll?.kind ?? "none";
            row.sinceGroup.hidden = !member.since;
            showTime(row.since, member.since, clockTime(member.since));
            showPresences(row, member);
            this.#showHeard(row);
        }
        return row;
    }

    #showHeard(row) {
        const clock = latestClock(row.member);
        if (clock) {
            const told = age(clock.receivedTime, this.#now());
            const way = clock.aheadSeconds < 0 ? "behind" : "ahead";
            this.#showLocated(row);
            const off = `clock ${duration(Math.abs(clock.aheadSeconds))} ${way}, told ${told}`;
            showTime(row.heard, clock.receivedTime, off);
            return;
        }
        const { member } = row;
        const heard = heardOf(member);
        const isVisitor = member.roll?.kind === "visitor";
        const told = heard ? `heard ${age(heard, this.#now())}` : "never heard";
        showTime(row.heard, heard, isVisitor ? "visitor, no phone" : told);
        this.#showLocated(row);
    }

    #showLocated({ member, located, battery }) {
        const position = latestPosition(member);
        const rough = position && isCoarse(position) ? `, ±${(position.accuracy / 1000).toFixed(1)} km` : "";
        const at = locatedOf(member);
        showTime(located, at, at ? `located ${age(at, this.#now())}${rough}` : "");
        battery.textContent = batteryWords(member);
        battery.toggleAttribute("data-low", isBatteryLow(batteryOf(member)));
    }
}

/** The note of a call for help stands where the call is. */
function showNote({ note: element }, { state, call, note }) {
    const isCall = state === "sos" || state === "needsHelp";
    const words = note ?? (isCall ? call?.note : undefined);
    element.textContent = words ? `“${legible(words)}”` : "";
}

/** The wrong clock that was told of last; undefined where a device with a right one was heard since. */
function latestClock(member) {
    const clocks = [...member.clocks.values()].map((clock) => ({ ...clock, ms: Date.parse(clock.receivedTime) }));
    const latest = clocks.sort((left, right) => right.ms - left.ms)[0];
    const position = latestPosition(member);
    return latest && !(position && Date.parse(position.sampleTime) > latest.ms) ? latest : undefined;
}

/** The first line is shown; the others are counted, are in the tooltip, and are read out by a screen reader. */
function showPresences({ presence }, member) {
    const [first, ...others] = presenceLines(member);
    const whole = (line) => line.words.join("");
    presence.element.dataset.kind = first?.kind ?? "none";
    presence.parts.forEach((part, index) => { part.textContent = first?.words[index] ?? ""; });
    presence.more.textContent = others.length > 0 ? ` +${others.length}` : "";
    presence.others.textContent = others.map((line) => `, ${whole(line)}`).join("");
    presence.element.title = first ? [first, ...others].map(whole).join("\n") : "";
}

function newRow(member, choose, declare) {
    const { user } = member;
    const item = document.createElement("li");
    item.dataset.user = user;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "person";
    button.addEventListener("click", () => choose(user));
    const mark = markElement("unknown");
    const [name, state, word, place, note, roll, timer, times, sinceGroup, battery] =
        ["name", "state", "word", "region", "note", "roll", "timer", "times", "since", "battery"].map(spanNamed);
    const presence = newPresence();
    const since = document.createElement("time");
    const heard = document.createElement("time");
    const located = document.createElement("time");
    name.textContent = legible(nameOf(member));
    name.title = name.textContent;
    state.append(word, place);
    sinceGroup.append("since ", since);
    heard.className = "heard";
    located.className = "located";
    times.append(sinceGroup, heard, located, battery);
    button.append(mark, name, state, note, roll, timer, presence.element, times);
    const actions = new RowActions(member, declare);
    item.append(button, actions.element);
    return {
        item, mark, word, place, note, roll, timer, presence, sinceGroup, since, heard, located, battery, actions,
        member: undefined,
    };
}

function newPresence() {
    const [element, before, region, after, more, others] =
        ["presence", "before", "region", "after", "more", "visually-hidden"].map(spanNamed);
    more.setAttribute("aria-hidden", "true");
    element.append(before, region, after, more, others);
    return { element, parts: [before, region, after], more, others };
}

function spanNamed(name) {
    const span = document.createElement("span");
    span.className = name;
    return span;
}

function inOrder(left, right) {
    return markOrder.indexOf(left.shown) - markOrder.indexOf(right.shown)
        || nameOf(left.member).localeCompare(nameOf(right.member), undefined, { numeric: true });
}
