/** Everything that is known of the selected person, and the bar of their track. */
import { lengthWords } from "../shared/length.js";
import { StateMark } from "../shared/mark.js";
import { presenceLines } from "../shared/presence.js";
import { isOnRollAlone, nameOf } from "../shared/roll.js";
import { leads, shownState } from "../shared/safety.js";
import { legible } from "../shared/text.js";
import { clockTime } from "../shared/time.js";
import { html, useEffect, useLayoutEffect, useNow, usePage, useRef, useSlice, useState } from "../shared/view.js";
import { listedClauses, t } from "../shared/words.js";
import { timerWords } from "../shared/timerwords.js";
import { actionsFor } from "../roster/rowactions.js";
import {
    batteryWords, heardWords, locatedWords, noteWords, nowhereWords, rollWords, stateWords,
} from "../shared/rowwords.js";
import { lastPlace, placeAtWords } from "../roster/where.js";
import { isOverMap } from "./sheet.js";
import { spans, trackWords } from "./track.js";

export function Person() {
    const { live, selection, user } = useSlice(({ live, selection, user }) => ({ live, selection, user }));
    const { declare, deselect, share } = usePage();
    const now = useNow();
    const panel = useRef();
    // On a phone the panel is a sheet over the lower part of the map, with the first facts until more are wanted.
    const [opened, setOpened] = useState();
    const member = selection && live.members.get(selection.user);
    useFocusOnSheet(panel, selection);
    if (!member) { return undefined; }
    const shown = shownState(live, member);
    const name = legible(nameOf(member));
    const kinds = actionsFor(member, user);
    const isOpen = opened === selection;
    const close = () => { deselect(panel.current.contains(document.activeElement)); };
    return html`<aside id="person" class="person-panel" tabindex="-1" aria-labelledby="person-name"
        aria-describedby="person-state person-first" ref=${panel} data-state=${shown}
        data-open=${isOpen ? "" : undefined} onKeyDown=${(event) => { if (event.key === "Escape") { close(); } }}>
        <div class="person-head">
            <${StateMark} state=${shown} />
            <h3 id="person-name">${name}</h3>
            <button type="button" id="person-more" class="person-more" aria-expanded=${String(isOpen)}
                aria-controls="person-rest" onClick=${() => setOpened(isOpen ? undefined : selection)}>${
        t("person.more")}</button>
            <button type="button" id="person-close" onClick=${close}>${t("close")}</button>
        </div>
        <p id="person-state" class="person-state">${stateSince(member, shown)}</p>
        <p class="person-note">${noteWords(member)}</p>
        <${Facts} id="person-first" facts=${firstFacts(member, live, now)} />
        <div id="person-rest" class="person-rest">
        <${Facts} facts=${otherFacts(member, live, now)} />
        ${kinds.length > 0 && html`<p class="person-actions" role="group" aria-label=${t("row.sayOf", { name })}>
            ${kinds.map((kind) => html`<button type="button" key=${kind} onClick=${() => declare(member, kind)}>${
            t(`say.${kind}`)}</button>`)}
        </p>`}
        ${leads(user, member.team) && !isOnRollAlone(member) && html`<p class="control"><button type="button"
            id="share-person" onClick=${() => share({ kind: "person", user: member.user })}>${
        t("sharing.one")}</button></p>`}
        <${Track} />
        </div>
    </aside>`;
}

/** Takes the focus to the sheet of a person who was tapped on the map, so that it is read out and closed by Escape. */
function useFocusOnSheet(panel, selection) {
    useLayoutEffect(() => {
        if (selection?.isOnMap && isOverMap(panel.current)) { panel.current.focus({ preventScroll: true }); }
    }, [selection]);
}

function stateSince(member, shown) {
    const state = stateWords(member, shown).join("");
    return member.since ? t("person.stateSince", { state, time: clockTime(member.since) }) : state;
}

/** What is wanted first of somebody: where they are, and how to call them. */
function firstFacts(member, live, now) {
    const place = lastPlace(member, live.regions);
    return [
        ["person.where", place ? placeAtWords(place, now) : nowhereWords(member)],
        ["person.place", place && place.words !== place.coordinates && place.coordinates],
        ["person.phone", member.phone
            && html`<a href=${`tel:${member.phone.replace(/[^+\d]/g, "")}`}>${member.phone}</a>`],
    ];
}

function otherFacts(member, live, now) {
    const accuracy = lastPlace(member, live.regions)?.fix.accuracy;
    return [
        ["person.signIn", nameOf(member) !== member.user && !isOnRollAlone(member) && legible(member.user)],
        ["person.team", member.team && legible(member.team)],
        ["person.crew", member.crew === undefined ? "" : legible(member.crew)],
        ["person.presence", listedClauses(presenceLines(member).map((line) => line.words.join("")))],
        ["person.located", locatedWords(member, now).words],
        ["person.accuracy", accuracy > 0 && `±${lengthWords(accuracy)}`],
        ["person.heard", heardWords(member, now).words],
        ["person.battery", batteryWords(member)],
        ["person.timer", timerWords(member.timer, now)],
        ["person.roll", rollWords(member, now)],
    ];
}

/** What is known, name by name; what is not known is left out. */
function Facts({ facts, id }) {
    return html`<dl id=${id} class="facts">${facts.filter(([, words]) => words).map(([key, words]) => html`
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
