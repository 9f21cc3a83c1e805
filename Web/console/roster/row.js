/** One person's row of the roster. */
import { StateMark } from "../shared/mark.js";
import { presenceLines } from "../shared/presence.js";
import { fullNameOf, nameOf } from "../shared/roll.js";
import { legible } from "../shared/text.js";
import { clockTime, timeAttributes } from "../shared/time.js";
import { areSame } from "../shared/store.js";
import { Component, html, usePage, useSlice, useState } from "../shared/view.js";
import { around, t } from "../shared/words.js";
import { timerWords } from "../shared/timerwords.js";
import { actionsFor } from "./rowactions.js";
import { rowHeight } from "./roster.js";
import {
    batteryOf, batteryWords, heardWords, isBatteryLow, locatedWords, noteWords, pauseWords, rollWords, stateWords,
} from "../shared/rowwords.js";
import { whereWords } from "./where.js";

/**
 * A row, drawn again only when something in it changed: the list is looked at each time somebody moves anywhere.
 *
 * Its properties: `{member, shown, regions, index, now, isCurrent, hasFocus}`; `shown` is the state that is shown of
 * the member.
 */
export class Row extends Component {
    shouldComponentUpdate(properties) { return !areSame(properties, this.props); }

    render(properties) { return html`<${DrawnRow} ...${properties} />`; }
}

function DrawnRow({ member, shown, regions, index, now, isCurrent, hasFocus }) {
    const { select } = usePage();
    const [word, place] = stateWords(member, shown);
    const name = legible(nameOf(member));
    const doubt = member.doubt ?? "none";
    const rollKind = member.takenOff ? "takenOff" : member.roll?.kind ?? "none";
    const timer = timerWords(member.timer, now);
    return html`<div class="row" role="row" aria-rowindex=${index + 1} data-user=${member.user} data-state=${shown}
        data-doubt=${doubt} data-roll=${rollKind} style=${{ transform: `translateY(${index * rowHeight}px)` }}>
        <div role="gridcell" class="cell">
        <button type="button" class="person" tabindex=${hasFocus ? 0 : -1}
            aria-current=${isCurrent ? "true" : undefined} onClick=${() => select(member.user)}>
            <${StateMark} state=${shown} />
            <span class="name" title=${legible(fullNameOf(member))}>${name}${member.crew === undefined ? ""
        : html` <span class="crew">${legible(member.crew)}</span>`}</span>
            <span class="state"><span class="word">${word}</span><span class="region">${place}</span></span>
            <span class="told">
                <span class="note">${noteWords(member)}</span>
                <span class="roll">${rollWords(member, now)}</span>
                <span class="pause">${pauseWords(member, now)}</span>
                <span class="timer" data-happened=${member.timer?.happened ?? "none"}>${timer}</span>
            </span>
            <${Presence} member=${member} regions=${regions} />
            <${Times} member=${member} now=${now} />
        </button></div>
        <${RowActions} member=${member} name=${name} hasFocus=${hasFocus} />
    </div>`;
}

/** The first line is shown; the others are counted, are in the tooltip, and are read out by a screen reader. */
function Presence({ member, regions }) {
    const [first, ...others] = presenceLines(member);
    if (!first) {
        return html`<span class="presence" data-kind="where">${whereWords(member, regions)}</span>`;
    }
    const whole = (line) => line.words.join("");
    const [before, region, after] = first.words;
    return html`<span class="presence" data-kind=${first.kind} title=${[first, ...others].map(whole).join("\n")}>
        <span class="before">${before}</span><span class="region">${region}</span><span class="after">${after}</span>
        <span class="more" aria-hidden="true">${others.length > 0 ? ` +${others.length}` : ""}</span>
        <span class="visually-hidden">${others.map((line) => `${t("between.parts")}${whole(line)}`).join("")}</span>
    </span>`;
}

function Times({ member, now }) {
    const heard = heardWords(member, now);
    const located = locatedWords(member, now);
    const [before, after] = around("row.since", "time");
    return html`<span class="times">
        ${member.since && html`<span class="since">${before}<time ...${timeAttributes(member.since)}>${
        clockTime(member.since)}</time>${after}</span>`}
        <time class="heard" ...${timeAttributes(heard.at)}>${heard.words}</time>
        <time class="located" ...${timeAttributes(located.at)}>${located.words}</time>
        <span class="battery" data-low=${isBatteryLow(batteryOf(member)) ? "" : undefined}>${
        batteryWords(member)}</span>
    </span>`;
}

/** What may be said of a person, behind a button that opens it. */
export function RowActions({ member, name, hasFocus }) {
    const { declare } = usePage();
    const user = useSlice(({ user }) => user);
    const [isOpen, setOpen] = useState(false);
    const kinds = actionsFor(member, user);
    if (kinds.length === 0) { return html`<div class="row-actions" role="gridcell" hidden />`; }
    return html`<div class="row-actions" role="gridcell"
        onKeyDown=${(event) => {
        if (event.key !== "Escape" || !isOpen) { return; }
        event.stopPropagation();
        setOpen(false);
        event.currentTarget.firstElementChild.focus();
    }}>
        <button type="button" tabindex=${hasFocus ? 0 : -1} title=${t("row.mark")}
            aria-label=${t("row.markName", { name })}
            aria-expanded=${String(isOpen)} onClick=${() => setOpen(!isOpen)}>⋯</button>
        ${isOpen && html`<span role="group" aria-label=${t("row.sayOf", { name })}>
            <span class="whose" aria-hidden="true">${name}</span>
            ${kinds.map((kind) => html`<button type="button" key=${kind}
                onClick=${() => { setOpen(false); declare(member, kind); }}>${t(`say.${kind}`)}</button>`)}
            <button type="button" class="close" aria-label=${t("close")} onClick=${() => setOpen(false)}>✕</button>
        </span>`}
    </div>`;
}
