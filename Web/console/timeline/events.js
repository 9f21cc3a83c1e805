/** What happened, the latest first: "alice entered Assembly point A 12:03:07". */
import { StateMark } from "../shared/mark.js";
import { marks } from "../shared/marks.js";
import { Time } from "../shared/timeview.js";
import { Component, html, useMemo, useSlice } from "../shared/view.js";
import { t } from "../shared/words.js";
import { arrows, eventWords, lateWords, subjectWords } from "./eventwords.js";

/** As many events as are shown: the state keeps more. */
const shownLimit = 100;

/** Only new lines are added, so that a screen reader reads those alone. */
export function Events() {
    const events = useSlice(({ live }) => live.events);
    const shown = useMemo(() => events.slice(0, shownLimit).map(lineOf), [events]);
    return html`<section class="happened" aria-labelledby="events-title">
        <h2 id="events-title">${t("events.title")}</h2>
        <div id="events" class="events" role="log" aria-live="polite" aria-relevant="additions" tabindex="0"
            aria-labelledby="events-title"><ol>${shown}</ol></div>
    </section>`;
}

function lineOf(event) {
    return html`<${Line} key=${event.sequence} event=${event} />`;
}

/**
 * What an event looks like. An event never changes, and neither does its line. The line is not kept as an element that
 * is drawn again: such a one would hold the list as it was, and so every line before it.
 */
class Line extends Component {
    shouldComponentUpdate({ event }) {
        return event !== this.props.event;
    }

    render({ event }) {
        const { sequence, kind, user, at, delayMs } = event;
        return html`<li data-sequence=${sequence} data-kind=${kind} data-past=${delayMs ? "" : undefined}>
            <${Sign} event=${event} /><span class="what"><strong>${
            subjectWords(event)}</strong> ${eventWords(event)}</span>
            ${delayMs ? html`<span class="late">${t("between.parts")}${lateWords(event)}</span>` : ""}
            <${Time} at=${at} />
        </li>`;
    }
}

/** What stands before an event: the mark of a state, or an arrow. */
export function Sign({ event: { kind, call } }) {
    if (kind in marks) { return html`<${StateMark} state=${kind} />`; }
    if (kind === "reminder" || kind === "said") { return html`<${StateMark} state=${call} />`; }
    return html`<span class="arrow" aria-hidden="true">${arrows[kind] ?? "•"}</span>`;
}
