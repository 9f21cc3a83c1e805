/** The roster: everybody in words, those to look for first. It says all that the map says. */
import { FirstSteps, isServerEmpty } from "../frame/firststeps.js";
import { StateMark } from "../shared/mark.js";
import { markOrder, usualMarks } from "../shared/marks.js";
import { counts, showsSafety, shownState } from "../shared/safety.js";
import { emptyState } from "../shared/state.js";
import { t } from "../shared/words.js";
import { html, useMemo, useNow, usePage, useRef, useSlice } from "../shared/view.js";
import { Groups } from "./groups.js";
import { InNoTeam } from "./innoteam.js";
import { regionChoices } from "./inside.js";
import { orderedMembers, sortings } from "./order.js";
import { PlaceHits } from "./placesearch.js";
import { Row } from "./row.js";
import { useWindow } from "./window.js";

/** As high as a row is, in pixels: `--row` in roster.css. */
export const rowHeight = 104;

export function Roster() {
    const { live, filter, selection, isEmpty, isLoading } = useSlice((value) => {
        const { live, filter, selection } = value;
        return { live, filter, selection, isEmpty: isServerEmpty(value), isLoading: live === emptyState };
    });
    const now = useNow();
    const members = useMemo(
        () => orderedMembers(live, filter), [live.members, live.incidents, live.alwaysShown, filter]);
    const list = useRef();
    const { deselect } = usePage();
    const onEscape = (event) => { if (event.key === "Escape" && selection) { deselect(); } };
    const keys = useMemo(() => members.map(({ user }) => user), [members]);
    const { rows, tabStop, onScroll, onKeyDown, onFocusIn } = useWindow({
        list, keys, rowHeight, wanted: selection?.scrollsTo ? selection.user : undefined,
        // The map is what somebody looks at who chose a person there, or asked to see them there.
        isPageHeld: selection?.isMapWanted || selection?.isOnMap,
    });
    return html`<section class="people" aria-labelledby="people-title">
        <h2 id="people-title" class="visually-hidden">${t("roster.title")}</h2>
        ${!isLoading && html`<${Counts} live=${live} only=${filter.only} />`}
        <${Groups} live=${live} filter=${filter} />
        ${live.members.size > 1 && html`<${Tools} live=${live} filter=${filter} shown=${members.length}
            now=${now} />`}
        ${live.members.size > 1 && html`<${PlaceHits} text=${filter.text ?? ""} />`}
        <${InNoTeam} />
        ${isEmpty && html`<${FirstSteps} />`}
        <div id="list" class="list" role="grid" aria-labelledby="people-title" aria-rowcount=${members.length}
            ref=${list} onScroll=${onScroll} onFocusIn=${onFocusIn}
            onKeyDown=${(event) => { onEscape(event); onKeyDown(event); }}>
            <div class="list-space" role="presentation" style=${{ height: `${members.length * rowHeight}px` }}>
                ${rows.map((index) => html`<${Row} key=${members[index].user} member=${members[index]} index=${index}
                    shown=${shownState(live, members[index])} regions=${live.regions} now=${now}
                    isCurrent=${selection?.user === members[index].user} hasFocus=${index === tabStop} />`)}
            </div>
        </div>
        ${members.length === 0 && !isEmpty && html`<p id="list-empty" class="empty" role="status">${
        t(isLoading ? "list.loading" : "roster.nobody")}</p>`}
    </section>`;
}

/** How many are in each state: a button each, which shows only those. */
function Counts({ live, only }) {
    const { store } = usePage();
    const numbers = useMemo(() => counts(live), [live.members, live.incidents, live.alwaysShown]);
    const isCalm = useMemo(() => ![...live.members.values()].some(({ team }) => showsSafety(live, team)), [live]);
    const choose = (state) => store.set(({ filter }) => (
        { filter: { ...filter, only: filter.only === state ? undefined : state } }));
    return html`<div id="counts" class="counts" role="group" aria-label=${t("counts.label")}>
        ${markOrder.map((state) => {
        const isUsual = usualMarks.has(state === "located" && isCalm ? "unsafe" : state)
            && !(state === "unsafe" && isCalm);
        return html`<button type="button" class="count" key=${state} data-state=${state}
            aria-pressed=${String(state === only)} hidden=${!isUsual && numbers[state] === 0 && only !== state}
            onClick=${() => choose(state)}>
            <${StateMark} state=${state} /><span class="number">${numbers[state]}</span>
            <span>${t(`state.${state}`)}</span>
        </button>`;
    })}
    </div>`;
}

/** Search and sort. */
function Tools({ live, filter, shown, now }) {
    const { store } = usePage();
    // As often as ages are told, and not with each move of somebody.
    const { choices, more } = useMemo(
        () => regionChoices(live, filter.inside), [now, live.regions, live.members.size, filter.inside]);
    const change = (parts) => store.set(({ filter: was }) => ({ filter: { ...was, ...parts } }));
    const isFiltered = filter.text || filter.only || filter.crew || filter.region || filter.inside;
    return html`<div class="tools" role="search">
        <input id="search" type="search" autocomplete="off" spellcheck=${false} value=${filter.text ?? ""}
            aria-label=${t("roster.search")} placeholder=${t("roster.searchHint")} maxlength="100"
            onInput=${({ currentTarget }) => change({ text: currentTarget.value })} />
        <select id="sorting" aria-label=${t("roster.sort")} value=${filter.sorting}
            onChange=${({ currentTarget }) => change({ sorting: currentTarget.value })}>
            ${sortings.map((name) => html`<option key=${name} value=${name}>${t(`sort.${name}`)}</option>`)}
        </select>
        ${choices.length > 0 && html`<select id="inside-region" aria-label=${t("roster.where")}
            value=${filter.inside ?? ""}
            onChange=${({ currentTarget }) => change({ inside: currentTarget.value || undefined })}>
            <option value="">${t("roster.anywhere")}</option>
            ${choices.map(([key, words]) => html`<option key=${key} value=${key}>${words}</option>`)}
            ${more > 0 && html`<option disabled>${t("roster.moreRegions", { count: more })}</option>`}
        </select>`}
        <p class="visually-hidden" role="status">${isFiltered ? t("roster.shown", { count: shown }) : ""}</p>
    </div>`;
}
