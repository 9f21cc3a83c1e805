/** Everything that is known of the selected person, and the bar of their track. */
import { lengthWords } from "../shared/length.js";
import { StateMark } from "../shared/mark.js";
import { presenceLines } from "../shared/presence.js";
import { isOnRollAlone, nameOf } from "../shared/roll.js";
import { leads, shownState } from "../shared/safety.js";
import { latestPosition } from "../shared/state.js";
import { legible } from "../shared/text.js";
import { clockTime } from "../shared/time.js";
import { html, useEffect, useNow, usePage, useRef, useSlice } from "../shared/view.js";
import { listedClauses, t } from "../shared/words.js";
import { timerWords } from "../shared/timerwords.js";
import { actionsFor } from "../roster/rowactions.js";
import {
    batteryWords, heardWords, locatedWords, noteWords, nowhereWords, rollWords, stateWords,
} from "../shared/rowwords.js";
import { coordinateWords, whereWords } from "../roster/where.js";
import { spans, trackWords } from "./track.js";

export function Person() {
    const { live, selection, user } = useSlice(({ live, selection, user }) => ({ live, selection, user }));
    const { declare, deselect, share } = usePage();
    const now = useNow();
    const panel = useRef();
    const member = selection && live.members.get(selection.user);
    if (!member) { return undefined; }
    const shown = shownState(live, member);
    const name = legible(nameOf(member));
    const kinds = actionsFor(member, user);
    const close = () => { deselect(panel.current.contains(document.activeElement)); };
    return html`<aside id="person" class="person-panel" aria-labelledby="person-name" ref=${panel} data-state=${shown}
        onKeyDown=${(event) => { if (event.key === "Escape") { close(); } }}>
        <div class="person-head">
            <${StateMark} state=${shown} />
            <h3 id="person-name">${name}</h3>
            <button type="button" id="person-close" onClick=${close}>${t("close")}</button>
        </div>
        <p class="person-state">${stateSince(member, shown)}</p>
        <p class="person-note">${noteWords(member)}</p>
        <${Facts} member=${member} live=${live} now=${now} />
        ${kinds.length > 0 && html`<p class="person-actions" role="group" aria-label=${t("row.sayOf", { name })}>
            ${kinds.map((kind) => html`<button type="button" key=${kind} onClick=${() => declare(member, kind)}>${
            t(`say.${kind}`)}</button>`)}
        </p>`}
        ${leads(user, member.team) && !isOnRollAlone(member) && html`<p class="control"><button type="button"
            id="share-person" onClick=${() => share({ kind: "person", user: member.user })}>${
        t("sharing.one")}</button></p>`}
        <${Track} />
    </aside>`;
}

function stateSince(member, shown) {
    const state = stateWords(member, shown).join("");
    return member.since ? t("person.stateSince", { state, time: clockTime(member.since) }) : state;
}

/** What is known, name by name; what is not known is left out. */
function Facts({ member, live, now }) {
    const position = latestPosition(member);
    const facts = [
        ["person.team", member.team && legible(member.team)],
        ["person.crew", member.crew === undefined ? "" : legible(member.crew)],
        ["person.phone", member.phone
            && html`<a href=${`tel:${member.phone.replace(/[^+\d]/g, "")}`}>${member.phone}</a>`],
        ["person.where", position ? whereWords(member, live.regions) : nowhereWords(member)],
        ["person.place", position && coordinateWords(position)],
        ["person.presence", listedClauses(presenceLines(member).map((line) => line.words.join("")))],
        ["person.located", locatedWords(member, now).words],
        ["person.accuracy", position?.accuracy > 0 && `±${lengthWords(position.accuracy)}`],
        ["person.heard", heardWords(member, now).words],
        ["person.battery", batteryWords(member)],
        ["person.timer", timerWords(member.timer, now)],
        ["person.roll", rollWords(member, now)],
    ];
    return html`<dl class="facts">${facts.filter(([, words]) => words).map(([key, words]) => html`
        <div key=${key}><dt>${t(key)}</dt><dd>${words}</dd></div>`)}</dl>`;
}

/** The track in words, and which device's and span's it is. */
function Track() {
    const selected = useSlice(({ track }) => track);
    const { track: follower } = usePage();
    const said = useRef();
    const track = selected?.track;
    // Once it was read, and not with every point that follows: a screen reader reads it.
    useEffect(() => {
        if (said.current && track?.isLoaded) { said.current.textContent = trackWords(track); }
    }, [track?.device, track?.span, track?.isLoaded]);
    if (!track) { return undefined; }
    const { devices } = selected;
    return html`<div id="track" class="track" role="group" aria-labelledby="track-title">
        <h4 id="track-title">${devices.length > 1 ? t("track.of") : t("track.ofDevice", { device: track.device })}</h4>
        ${devices.length > 1 && html`<select id="track-device" aria-label=${t("track.device")} value=${track.device}
            onChange=${({ currentTarget }) => follower.choose({ device: currentTarget.value })}>
            ${devices.map((name) => html`<option key=${name} value=${name}>${name}</option>`)}
        </select>`}
        <select id="track-span" aria-label=${t("track.span")} value=${track.span}
            onChange=${({ currentTarget }) => follower.choose({ span: currentTarget.value })}>
            ${Object.keys(spans).map((name) => html`<option key=${name} value=${name}>${t(`span.${name}`)}</option>`)}
        </select>
        <p id="track-words">${trackWords(track)}</p>
        <p id="track-said" class="visually-hidden" role="status" ref=${said}></p>
    </div>`;
}
