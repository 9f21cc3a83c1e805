/** Check-in timers: of one person, and of everybody in a team. */
import { useAskFirst } from "../shared/forms.js";
import { ReadingFoot } from "../shared/reading.js";
import { hrefOf } from "../shared/route.js";
import { legible } from "../shared/text.js";
import { clockTime, duration, timeAttributes } from "../shared/time.js";
import { html, useSlice } from "../shared/view.js";
import { listed, t } from "../shared/words.js";
import { Form, rangeFaults } from "./form.js";
import { changed, presentMs, useOne } from "./reading.js";

/** A timer in words: when the next word is due, how often, what it is about. */
function TimerWords({ timer }) {
    const rest = [t("administration.timer.every", { duration: duration(timer.intervalSeconds) }), legible(timer.note)];
    return html`<span><time ...${timeAttributes(timer.dueAt)}>${t("administration.timer.due", {
        time: clockTime(timer.dueAt) })}</time>${t("between.parts")}${listed(rest)}</span>`;
}

/** @param {{user: object}} properties */
export function Timer({ user }) {
    const path = `users/${encodeURIComponent(user.name)}/check-in-timer`;
    // The feed tells of it, so that nobody is asked about people without one.
    const timer = useSlice(({ live }) => live.members.get(user.name)?.timer);
    const askFirst = useAskFirst();
    const end = () => askFirst({
        title: t("administration.timer.endTitle", { name: user.name }), button: t("administration.timer.end"),
        lines: [t("administration.timer.lost")],
        order: { path, method: "DELETE", words: t("administration.order.timerEnd", { name: user.name }) },
        done: changed,
    });
    const first = { minutes: "30", leaderAfter: "2", sosAfter: "10", note: "", opensIncident: false };
    const fields = [
        {
            key: "minutes", label: t("administration.timer.minutes"), kind: "number", isRequired: true, least: 1,
            most: 1440,
        },
        {
            key: "leaderAfter", label: t("administration.timer.leaderAfter"), kind: "number", isRequired: true,
            least: 0, most: 60,
        },
        {
            key: "sosAfter", label: t("administration.timer.sosAfter"), kind: "number", isRequired: true, least: 0,
            most: 60,
        },
        { key: "note", label: t("administration.timer.note") },
        ...(user.team ? [{ key: "opensIncident", label: t("administration.opensIncident"), kind: "check" }] : []),
    ];
    return html`<section aria-labelledby="timer-title"><h3 id="timer-title">${t("administration.timer.title")}</h3>
        ${timer ? html`<p><${TimerWords} timer=${timer} /></p>
            <p><button type="button" class="plain danger" onClick=${end}>${
        t("administration.timer.end")}</button></p>`
        : html`<p class="quiet">${t("administration.timer.none")}</p>`}
        <details><summary>${t(timer ? "administration.timer.replace" : "administration.timer.start")}</summary>
            <${Form} name=${`timer ${user.name}`} first=${first} fields=${fields}
                submit=${t("administration.timer.startDo")} faultsOf=${minuteFaults}
                order=${(values) => ({
        path, method: "PUT", body: timerBody(values), words: t("administration.order.timer", { name: user.name }),
    })} /></details>
    </section>`;
}

const minuteRanges = { minutes: [1, 1440], leaderAfter: [0, 60], sosAfter: [0, 60] };

/** What is no number of minutes as the server takes it, by field. */
export function minuteFaults(values) {
    return rangeFaults(values, minuteRanges);
}

/** A timer as the API takes it, of the minutes that were typed. */
function timerBody({ minutes, leaderAfter, sosAfter, note, opensIncident }) {
    return {
        intervalSeconds: Number(minutes) * 60, leaderAfterSeconds: Number(leaderAfter) * 60,
        sosAfterSeconds: Number(sosAfter) * 60, ...(note.trim() ? { note: note.trim() } : {}),
        ...(opensIncident ? { opensIncident } : {}),
    };
}

/** Who of a team has a timer, those who are due first. @param {{team: string}} properties */
export function TeamTimers({ team }) {
    const one = useOne(`teams/${encodeURIComponent(team)}/safety`, presentMs);
    const timed = timedMembers(one.value?.members ?? []);
    return html`<section aria-labelledby="timers-title"><h3 id="timers-title">${t("administration.timer.all")}</h3>
        <p>${t("administration.timer.allWhat")}</p>
        <${ReadingFoot} reading=${one} />
        ${one.value && timed.length === 0 && html`<p class="quiet">${t("administration.timer.nobody")}</p>`}
        <ul class="rows">${timed.map(({ user, checkInTimer }) => html`<li key=${user}><a
            href=${hrefOf("administration", "people", user)}><strong>${user}</strong> <span class="quiet"><${TimerWords}
            timer=${checkInTimer} /></span></a></li>`)}</ul>
    </section>`;
}

/** The people who have a timer that runs, by when their word is due. Pure. */
export function timedMembers(members) {
    return members.filter(({ checkInTimer }) => checkInTimer && checkInTimer.happened !== "ended")
        .sort((left, right) => Date.parse(left.checkInTimer.dueAt) - Date.parse(right.checkInTimer.dueAt));
}
