/** The roll by crew: a row for each crew and each person, of which only those in sight are drawn. */
import { placesOf } from "../roster/order.js";
import { RowActions } from "../roster/row.js";
import { actionsFor } from "../roster/rowactions.js";
import { StateMark } from "../shared/mark.js";
import { noteWords, rollWords, stateWords } from "../shared/rowwords.js";
import { useWindow } from "../roster/window.js";
import { Fault } from "../shared/forms.js";
import { newID } from "../shared/id.js";
import { fullNameOf, nameOf } from "../shared/roll.js";
import { isAccounted } from "../shared/safety.js";
import { legible } from "../shared/text.js";
import { html, useMemo, useNow, usePage, useRef, useSlice, useState } from "../shared/view.js";
import { listed, t } from "../shared/words.js";
import { calledIn } from "./calledin.js";
import { callSeenWords } from "./callseen.js";
import { crewsOfRoll, rowsOfRoll, stateOnRoll } from "./crewroll.js";
import { lastSeenOnRoll } from "./lastseen.js";
import { allAfterWords, recordWords, sinceWords } from "./onrecord.js";
import { crewWords, owesReport, reportsAt, reportWords } from "./par.js";
import { askComplete, askFewer, reportPAR } from "./parasking.js";
import { usePress } from "./usepress.js";
import { wordAge } from "./wordage.js";

/** As high as a row is, in pixels: `--roll-row` in screen.css. */
const rowHeight = 104;
/** What a key says of the person whose row has the focus. */
const keys = { s: "safe", o: "offSite", c: "clear", Delete: "takeOff" };

/** @param {{incident: object, people: object[], isLed: boolean, take: Function, holdsSeconds?: number}} properties */
export function Roll({ incident, people, isLed, take, holdsSeconds }) {
    const live = useSlice(({ live }) => live);
    const now = useNow();
    const [filter, setFilter] = useState({ folded: new Set(), isOnlyWaiting: false, text: "" });
    const { press, fault } = usePress(take);
    const reports = useReports(incident.par, now);
    const crews = useMemo(() => crewsOfRoll(
        people, reports, stateOnRoll(live, incident), placesOf(membersOf(live, incident, people)),
    ), [people, reports, incident.open, live.incidents, live.alwaysShown]);
    const rows = useMemo(() => rowsOfRoll(crews, filter), [crews, filter]);
    const fold = (key) => setFilter((was) => ({ ...was, folded: toggled(was.folded, key) }));
    return html`<section class="roll" aria-labelledby="roll-title">
        <h3 id="roll-title">${t("incident.roll")}</h3>
        <${Tools} filter=${filter} change=${(parts) => setFilter((was) => ({ ...was, ...parts }))} />
        ${isLed && html`<p class="hint quiet">${t("incident.keys", {
        safe: "S", offSite: "O", clear: "C", takeOff: "Delete" })}</p>`}
        <${Fault} words=${fault} />
        <${Rows} rows=${rows} folded=${filter.folded} fold=${fold} incident=${incident} isLed=${isLed} now=${now}
            live=${live} holdsSeconds=${holdsSeconds} take=${take} press=${press} />
        ${rows.length === 0 && html`<p class="empty">${t(people.length === 0 ? "incident.emptyRoll"
        : "roster.nobody")}</p>`}
    </section>`;
}

/** The reports of a PAR, the same value until one of them changes or is overdue. */
function useReports(par, now) {
    const late = useMemo(() => reportsAt(par, now), [par, now]).filter(({ isOverdue }) => isOverdue).length;
    return useMemo(() => reportsAt(par, now), [par, late]);
}

function membersOf(live, incident, people) {
    return incident.open ? live.members : new Map(people.map((member) => [member.user, member]));
}

function toggled(set, key) {
    const next = new Set(set);
    if (!next.delete(key)) { next.add(key); }
    return next;
}

function Tools({ filter: { isOnlyWaiting, text }, change }) {
    return html`<div class="tools" role="search">
        <input type="search" id="roll-search" autocomplete="off" spellcheck=${false} maxlength="100" value=${text}
            aria-label=${t("roster.search")} placeholder=${t("roster.searchHint")}
            onInput=${({ currentTarget }) => change({ text: currentTarget.value })} />
        <button type="button" class="plain" aria-pressed=${String(isOnlyWaiting)}
            onClick=${() => change({ isOnlyWaiting: !isOnlyWaiting })}>${t("incident.onlyWaiting")}</button>
    </div>`;
}

function Rows({ rows, folded, fold, incident, isLed, now, live, holdsSeconds, take, press }) {
    const page = usePage();
    const user = useSlice(({ user }) => user);
    const list = useRef();
    const rowKeys = useMemo(() => rows.map(({ key }) => key), [rows]);
    const sight = useWindow({ list, keys: rowKeys, rowHeight });
    const onKeyDown = (event) => {
        const row = event.target.closest?.("[data-user]");
        const { member } = rows[rowKeys.indexOf(row?.dataset.user)] ?? {};
        const kind = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
        const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
        if (isLed && kind && isPlain && member && actionsFor(member, user).includes(kind)) {
            event.preventDefault();
            page.declare(member, kind);
            return;
        }
        sight.onKeyDown(event);
    };
    return html`<div class="roll-list list" id="roll" role="grid" aria-labelledby="roll-title"
        aria-rowcount=${rows.length} ref=${list} onScroll=${sight.onScroll} onFocusIn=${sight.onFocusIn}
        onKeyDown=${onKeyDown}>
        <div class="list-space" role="presentation" style=${{ height: `${rows.length * rowHeight}px` }}>
            ${sight.rows.map((index) => {
        const { key, crew, member } = rows[index];
        const common = { key, index, hasFocus: index === sight.tabStop, now, incident, isLed };
        return crew ? html`<${CrewRow} ...${common} crew=${crew} isFolded=${folded.has(key)} fold=${() => fold(key)}
                take=${take} press=${press} />`
            : html`<${PersonRow} ...${common} member=${member} live=${live} holdsSeconds=${holdsSeconds} />`;
    })}
        </div>
    </div>`;
}

const placed = (index) => ({ transform: `translateY(${index * rowHeight}px)` });

function CrewRow({ crew: group, index, hasFocus, now, incident, isLed, isFolded, fold, take, press }) {
    const page = usePage();
    const { key, isOff, people, waiting, checking, report } = group;
    const accounted = people.length - waiting - checking;
    const name = isOff ? t("incident.takenOff") : crewWords(group);
    const counts = isOff ? String(people.length) : listed([
        t("groups.crew", { accounted, people: people.length }),
        waiting > 0 && t("tally.unaccounted", { count: waiting }),
        checking > 0 && t("tally.checking", { count: checking }), allAfterWords(people, incident),
    ]);
    const isOwed = isLed && report && owesReport(report);
    const missing = people.filter((member) => !isAccounted(member));
    const complete = () => (missing.length > 0 ? page.ask(askComplete(incident, report, missing, take))
        : press(reportPAR(incident, report, { present: report.people, id: newID() })));
    return html`<div class="roll-row crew-row" role="row" aria-rowindex=${index + 1} data-user=${key}
        data-overdue=${report?.isOverdue ? "" : undefined} data-waiting=${waiting + checking > 0 ? "" : undefined}
        style=${placed(index)}>
        <div role="gridcell" class="cell"><button type="button" class="person" tabindex=${hasFocus ? 0 : -1}
            aria-expanded=${String(!isFolded)} onClick=${fold}>
            <span class="crew-name">${name}</span><span class="crew-counts">${counts}</span>
            <span class="crew-par">${report ? reportWords(report, now, calledIn(incident)) : ""}</span>
        </button></div>
        <div role="gridcell" class="crew-acts">${isLed && report && html`
            ${isOwed && html`<button type="button" class="primary" tabindex=${hasFocus ? 0 : -1} onClick=${complete}
                aria-label=${t("incident.completeOf", { crew: name, count: report.people })}>${
        t("incident.complete")} (${report.people})</button>`}
            <button type="button" class="plain" tabindex=${hasFocus ? 0 : -1}
                aria-label=${t(isOwed ? "incident.fewerOf" : "incident.changeOf", { crew: name })}
                onClick=${() => page.ask(askFewer(incident, report, take))}>${
        t(isOwed ? "incident.fewer" : "incident.change")}</button>`}</div>
    </div>`;
}

function PersonRow({ member, index, hasFocus, now, incident, isLed, live, holdsSeconds }) {
    const page = usePage();
    const shown = stateOnRoll(live, incident)(member);
    const [word, known] = stateWords(member, shown);
    const name = legible(nameOf(member));
    const whole = legible(fullNameOf(member));
    const said = incident.open ? wordAge(member, now, holdsSeconds) : { words: "", isEnding: false };
    const rollKind = member.takenOff ? "takenOff" : member.roll?.kind ?? "none";
    const told = listed([
        said.words, callSeenWords(member, incident, now), rollWords(member, now),
        noteWords(member), recordWords(member, incident, now),
    ]);
    const seen = isAccounted(member) ? "" : lastSeenOnRoll(member, live.regions, now);
    const isSelectable = incident.open && member.positions.size > 0;
    return html`<div class="roll-row person-row" role="row" aria-rowindex=${index + 1} data-user=${member.user}
        data-state=${shown} data-roll=${rollKind} data-ending=${said.isEnding ? "" : undefined} style=${placed(index)}>
        <div role="gridcell" class="cell"><button type="button" class="person" tabindex=${hasFocus ? 0 : -1}
            title=${isSelectable ? t("incident.show", { name: whole }) : whole}
            onClick=${() => { if (isSelectable) { page.showPerson(member.user); } }}>
            <${StateMark} state=${shown} />
            <span class="name">${name}</span>
            <span class="state"><span class="word">${word}</span>${said.words ? "" : known}${member.since
        ? html` · <time>${sinceWords(member, incident, now)}</time>` : ""}</span>
            <span class="told">${told}</span>
            <span class="seen">${seen}</span>
        </button></div>
        ${isLed && html`<${RowActions} member=${member} name=${name} hasFocus=${hasFocus} />`}
    </div>`;
}
