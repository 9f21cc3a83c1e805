/** The page of a share link: one person, or one incident, to be read. */
import { whatWords } from "../incident/alarmwords.js";
import { openLinkPage } from "../links/linkpage.js";
import { StateMark } from "../shared/mark.js";
import { stateWords } from "../shared/rowwords.js";
import { placeWords } from "../roster/where.js";
import { shownState, tallyWords } from "../shared/safety.js";
import { legible } from "../shared/text.js";
import { age, clockTime, stopwatch, timeAttributes } from "../shared/time.js";
import { Time } from "../shared/timeview.js";
import { html, useMemo, useNow, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { SharedMap } from "./sharedmap.js";
import { groupsOf, memberOf, namedPeople, stateOf } from "./sharedstate.js";

/** The most people of a group that are shown at first. */
const shownFirst = 100;

function Shared({ answer }) {
    const state = useMemo(() => stateOf(answer), [answer]);
    if (answer.person) { return html`<${SharedPerson} person=${answer.person} state=${state} />`; }
    if (answer.incident) { return html`<${SharedIncident} answer=${answer} state=${state} />`; }
    return undefined;
}

function SharedPerson({ person, state }) {
    const now = useNow();
    const member = state.members.get(person.name);
    const shown = shownState(state, member);
    const { position } = person;
    const place = position && placeWords(position);
    return html`<section class="shared-person" data-state=${shown} aria-labelledby="who">
        <h2 id="who">${legible(person.displayName ?? person.name)}</h2>
        <p class="shared-state"><${StateMark} state=${shown} />
            <span class="state">${stateWords(member, shown).join("")}</span></p>
        ${person.since && html`<p><time ...${timeAttributes(person.since)}>${
            t("row.since", { time: clockTime(person.since) })}</time></p>`}
        <p class="quiet">${person.lastHeard ? t("row.heard", { age: age(person.lastHeard, now) })
            : t("row.neverHeard")}</p>
        <${SharedMap} state=${state} />
        ${position ? html`<p id="place">${t("share.place", {
            place, time: clockTime(position.sampleTime), age: age(position.sampleTime, now) })}</p>`
        : html`<p id="place">${t("nowhere.unknown", { name: legible(person.displayName ?? person.name) })}</p>`}
    </section>`;
}

function SharedIncident({ answer: { team, incident }, state }) {
    const now = useNow(1000);
    const [wanted, setWanted] = useState("");
    const { kind, note, startedTime, closedTime, counts, roll } = incident;
    const groups = useMemo(() => {
        const search = wanted.trim().toLowerCase();
        return groupsOf(namedPeople(roll).filter(
            ({ name, called }) => `${called}\n${name}`.toLowerCase().includes(search)));
    }, [roll, wanted]);
    const sinceMs = (closedTime ? Date.parse(closedTime) : now) - Date.parse(startedTime);
    return html`<section class="shared-incident" data-kind=${kind} aria-labelledby="what">
        <h2 id="what">${whatWords({ kind, team: team ?? "" })}</h2>
        ${note && html`<p>${t("text.quoted", { text: legible(note) })}</p>`}
        <p class="shared-clock"><span class="stopwatch" role="timer">${stopwatch(sinceMs / 1000)}</span> <span>${
            t(closedTime ? "share.ran" : "share.running", {
                since: clockTime(startedTime), until: clockTime(closedTime) })}</span></p>
        <p id="tally" class="shared-tally" role="status">${tallyWords(counts)}</p>
        <${SharedMap} state=${state} isHidden=${state.regions.size === 0} />
        ${roll.length > 20 && html`<p class="field"><label for="find">${t("share.find")}</label>
            <input id="find" type="search" autocomplete="off" value=${wanted}
                onInput=${({ currentTarget }) => setWanted(currentTarget.value)} /></p>`}
        ${groups.map((group) => html`<${Group} key=${group.kind} group=${group} state=${state} />`)}
        ${groups.length === 0 && html`<p class="quiet">${t(wanted ? "share.noneFound" : "share.empty")}</p>`}
    </section>`;
}

function Group({ group: { kind, people }, state }) {
    const [limit, setLimit] = useState(shownFirst);
    return html`<section class="shared-group" aria-labelledby=${`group-${kind}`}>
        <h3 id=${`group-${kind}`}>${t(`share.${kind}`, { count: people.length })}</h3>
        <ul>${people.slice(0, limit).map((person, index) => html`<${Row} key=${index} person=${person}
            state=${state} />`)}</ul>
        ${people.length > limit && html`<button type="button" class="plain"
            onClick=${() => setLimit(limit + 5 * shownFirst)}>${t("list.more")}</button>`}
    </section>`;
}

function Row({ person, state }) {
    const member = memberOf(person);
    const shown = shownState(state, member);
    return html`<li data-state=${shown}><${StateMark} state=${shown} />
        <span class="name">${legible(person.called)}${person.crew
            && html` <small>${legible(person.crew)}</small>`}</span>
        <span class="how"><span class="state">${stateWords(member, shown).join("")}</span>
            ${person.since && html` <${Time} at=${person.since} />`}</span>
    </li>`;
}

await openLinkPage("share", Shared);
