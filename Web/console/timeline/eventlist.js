/** What happened, the latest first, as far back as somebody looks: filtered, and reminders in one line. */
import { useDraft } from "../shared/forms.js";
import { hrefOf } from "../shared/route.js";
import { regionKey } from "../shared/state.js";
import { byName, legible, shortened } from "../shared/text.js";
import { clockTime } from "../shared/time.js";
import { Time } from "../shared/timeview.js";
import { html, useMemo, usePage, useSlice } from "../shared/view.js";
import { t } from "../shared/words.js";
import { Sign } from "./events.js";
import { eventWords, lateWords, subjectWords } from "./eventwords.js";
import { folded, groupValue, isWanted, kinds, noFilter } from "./listedevents.js";
import { restOf } from "./range.js";
import { useDirectory } from "./usedirectory.js";
import { useEventLog } from "./useeventlog.js";

/** The most characters of a name in a list to choose from. */
const longest = 30;
/** The most lines that are drawn; a filter finds what is further back. */
const shownLimit = 500;

export function EventList({ incidents }) {
    const members = useDirectory();
    const [filter, change] = useDraft("timeline filter", noFilter);
    const wanted = (event) => isWanted(event, filter, members);
    const log = useEventLog(incidents, wanted);
    const day = useSlice((page) => page.day);
    const lines = useMemo(() => folded(log.events.filter(wanted)).slice(0, shownLimit).map((event) => html`
        <${Line} key=${event.sequence} event=${event} members=${members} />`), [log.events, filter, members, day]);
    return html`<section class="timeline-events" aria-labelledby="timeline-events-title">
        <h2 id="timeline-events-title">${t("events.title")}</h2>
        <${Filters} filter=${filter} change=${change} events=${log.events} />
        <div id="timeline-events" role="log" aria-live=${log.isBusy ? "off" : "polite"} aria-relevant="additions"
            tabindex="0" aria-labelledby="timeline-events-title"><ol>
            ${lines}
        </ol></div>
        <${Foot} log=${log} isEmpty=${lines.length === 0} isCut=${lines.length === shownLimit} />
    </section>`;
}

function Filters({ filter, change, events }) {
    const members = useDirectory();
    const groups = useMemo(() => groupsOf(members), [members]);
    const regions = useMemo(() => regionsOf(events), [events]);
    const set = (part) => ({ currentTarget }) => change({ ...filter, [part]: currentTarget.value });
    return html`<form class="filters" role="search" aria-label=${t("timeline.filters")}
        onSubmit=${(event) => event.preventDefault()}>
        <${Choice} name="kind" value=${filter.kind} onChange=${set("kind")} all=${t("timeline.allKinds")}
            options=${Object.keys(kinds).map((kind) => [kind, t(`timeline.kind.${kind}`)])} />
        <input id="filter-person" type="search" autocomplete="off" aria-label=${t("timeline.person")}
            placeholder=${t("timeline.person")} value=${filter.person} onInput=${set("person")} />
        <${Choice} name="group" value=${filter.group} onChange=${set("group")} all=${t("timeline.allGroups")}
            options=${groups} />
        <${Choice} name="region" value=${filter.region} onChange=${set("region")} all=${t("timeline.allRegions")}
            options=${regions} />
        ${Object.values(filter).some(Boolean) && html`<button type="button" class="plain"
            onClick=${() => change(undefined)}>${t("timeline.noFilter")}</button>`}
    </form>`;
}

/** A list to choose from, of which the first means all. */
function Choice({ name, value, all, options, onChange }) {
    if (options.length === 0) { return undefined; }
    return html`<select id=${`filter-${name}`} aria-label=${all} value=${value} onChange=${onChange}>
        <option value="">${all}</option>
        ${options.map(([key, words]) => html`<option key=${key} value=${key}>${shortened(words, longest)}</option>`)}
    </select>`;
}

/** The teams, where there are several, and the crews, with the values by which they are chosen. */
export function groupsOf(members) {
    const crews = new Map();
    for (const { team, crew } of members.values()) {
        if (team === undefined) { continue; }
        if (!crews.has(team)) { crews.set(team, new Set()); }
        if (crew !== undefined) { crews.get(team).add(crew); }
    }
    const isOne = crews.size === 1;
    return [...crews].sort(([left], [right]) => byName(left, right)).flatMap(([team, its]) => [
        ...(isOne ? [] : [[groupValue(team), legible(team)]]),
        ...[...its].sort(byName).map((crew) => [groupValue(team, crew),
            isOne ? legible(crew) : t("timeline.crewOf", { team: legible(team), crew: legible(crew) })]),
    ]);
}

function regionsOf(events) {
    const names = new Map(events.filter(({ region }) => region).map(({ region }) => (
        [regionKey(region), legible(region.name || region.id)])));
    return [...names].sort(([, left], [, right]) => byName(left, right));
}

function Line({ event, members }) {
    const { sequence, kind, user, at, delayMs } = event;
    const team = kind === "incident" ? user : members.get(user)?.team;
    return html`<li data-sequence=${sequence} data-kind=${kind} data-past=${delayMs ? "" : undefined}>
        <${Sign} event=${event} />
        <${What} event=${event} members=${members} />
        <a class="when" href=${hrefOf("timeline", ...restOf({ kind: "at", ms: Date.parse(at), span: "hour", team }))}
            title=${t("timeline.replayFrom")}><${Time} at=${at} /></a>
    </li>`;
}

/** An event in words: the way to the person, or the incident, that it is about. */
function What({ event, members }) {
    const { select } = usePage();
    const { kind, user, number, delayMs, count, call, at } = event;
    const said = count > 1
        ? t(call === "sos" ? "timeline.remindedSOS" : "timeline.remindedHelp", { count, time: clockTime(at) })
        : eventWords(event);
    const words = html`<strong>${subjectWords(event)}</strong> ${said}${delayMs ? listedAfter(lateWords(event)) : ""}`;
    if (kind === "incident" && number !== undefined) {
        return html`<a class="what" href=${hrefOf("incident", number)}>${words}</a>`;
    }
    if (!members.has(user)) { return html`<span class="what">${words}</span>`; }
    return html`<a class="what" href=${hrefOf("people")} onClick=${() => select(user)}>${words}</a>`;
}

function listedAfter(words) {
    return `${t("between.parts")}${words}`;
}

/** How far back the list reaches, and the way further. */
function Foot({ log, isEmpty, isCut }) {
    const { isBusy, fault, isWhole, isTrimmed, lookedBackMs, older } = log;
    const back = lookedBackMs === undefined ? ""
        : t("timeline.lookedBack", { time: clockTime(new Date(lookedBackMs).toISOString()) });
    const end = isTrimmed ? t("timeline.trimmed") : isWhole ? t("timeline.whole") : "";
    return html`<div class="timeline-foot">
        <p class="quiet" role="status">${isBusy ? t("list.loading") : [
            isEmpty && t("timeline.none"), isCut && t("timeline.cut"), back, end].filter(Boolean).join(" ")}</p>
        ${fault && html`<p class="fault" role="alert">${fault}</p>`}
        ${!isWhole && html`<button type="button" class="plain" disabled=${isBusy} onClick=${older}>${
            t(fault ? "list.again" : "timeline.earlier")}</button>`}
    </div>`;
}
