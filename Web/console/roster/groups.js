/** How many are safe at each assembly point, and accounted for in each crew: in sight without the map. */
import { showsSafety } from "../shared/safety.js";
import { byName, legible } from "../shared/text.js";
import { html, useMemo, usePage } from "../shared/view.js";
import { t } from "../shared/words.js";
import { crewsOf, sheltered } from "./order.js";

/** As many of either kind as are shown; of more, those with people. */
const shownLimit = 60;

export function Groups({ live, filter }) {
    const { store } = usePage();
    const points = useMemo(() => pointsOf(live), [live.members, live.regions, live.incidents, live.alwaysShown]);
    const crews = useMemo(() => crewsOf(live), [live.members]);
    if (points.length + crews.length === 0) { return undefined; }
    const choose = (part, key) => store.set(({ filter: was }) => (
        { filter: { ...was, [part]: was[part] === key ? undefined : key } }));
    return html`<ul id="groups" class="groups" aria-label=${t("groups.label")}>
        ${points.map(({ key, name, count }) => html`<${Chip} key=${`point ${key}`} kind="point" name=${name}
            words=${t("groups.safe", { count })} isChosen=${filter.region === key}
            choose=${() => choose("region", key)} />`)}
        ${crews.slice(0, shownLimit).map(({ key, crew, people, accounted, checking }) => html`<${Chip}
            key=${`crew ${key}`} kind="crew" name=${crew} isWhole=${accounted === people}
            words=${checking > 0 ? t("groups.crewChecking", { accounted, people, count: checking })
        : t("groups.crew", { accounted, people })}
            isChosen=${filter.crew === key} choose=${() => choose("crew", key)} />`)}
    </ul>`;
}

function Chip({ kind, name, words, isChosen, isWhole, choose }) {
    return html`<li><button type="button" class="chip" data-kind=${kind} data-whole=${isWhole ? "" : undefined}
        aria-pressed=${String(isChosen)} onClick=${choose}><span class="chip-name">${legible(name)}</span>
        <span class="chip-count">${words}</span></button></li>`;
}

/** The muster regions, those with most people first; none while nobody's safety is shown. */
function pointsOf(live) {
    let isShown = false;
    for (const { team } of live.members.values()) { if (showsSafety(live, team)) { isShown = true; break; } }
    if (!isShown) { return []; }
    const counts = sheltered(live);
    const points = [];
    for (const [key, { name, muster }] of live.regions) {
        if (muster) { points.push({ key, name, count: counts.get(key) ?? 0 }); }
    }
    points.sort((left, right) => right.count - left.count || byName(left.name, right.name));
    return points.slice(0, shownLimit);
}
