/** Shows who can see the person and since when, and a pause if the team allows one. */
import { GivenUp } from "../../console/shared/pending.js";
import { faultWords } from "../../console/shared/faults.js";
import { clockTime, minuteTime } from "../../console/shared/time.js";
import { html, useEffect, useNow, usePage, useSlice, useState } from "../../console/shared/view.js";
import { t } from "../../console/shared/words.js";
import { troubled } from "../tracking/trackingwords.js";
import { isUrgent } from "../tracking/urgency.js";
import { pauseMinutes, runningPause, viewerLines } from "./viewers.js";

export function Panel({ visible }) {
    const { user, member, isLive, viewers, pauseWords } = useSlice((state) => ({
        user: state.user, member: state.own?.member, isLive: state.connection.state === "live", viewers: state.viewers,
        pauseWords: pauseWordsOf(state),
    }));
    const now = useNow();
    // Somebody may have received a link since the last answer.
    useEffect(() => { if (isLive && viewers.items) { visible?.look(); } }, []);
    const pause = runningPause(member?.pause, now);
    return html`
        <section class="card visible" aria-label=${t("me.visible.label")}>
            <h2>${t("me.visible.label")}</h2>
            ${!isLive && viewers.items && html`<p id="viewers-before">${t("me.visible.before")}</p>`}
            <${Viewers} found=${viewers} isLive=${isLive} now=${now} />
            ${viewers.fault && html`<p class="fault" role="alert">${viewers.fault} <button type="button" class="plain"
                onClick=${() => visible?.look()}>${t("list.again")}</button></p>`}
        </section>
        ${(viewers.allowsPause || pause) && html`<${Pause} user=${user} pause=${pause}
            words=${pauseWords} now=${now} />`}`;
}

/** What a pause does to the reports of this app: where they go on all the same, it must be true that they do. */
function pauseWordsOf({ own, deliveries, tracking }) {
    if (!isUrgent(own, deliveries)) { return "me.visible.paused"; }
    return tracking?.isOn && !troubled.has(tracking.state) ? "me.visible.pausedUrgent" : "me.visible.pausedSilent";
}

function Viewers({ found: { items: viewers, isBusy, isUnknown, fault }, isLive, now }) {
    if (viewers?.length === 0) { return html`<p>${t("me.visible.nobody")}</p>`; }
    if (viewers) {
        return html`<ul id="viewers" class="viewers">${viewerLines(viewers, now).map(({ key, who, details }) => html`<li
            key=${key}><strong>${who}</strong>${details && html` <span class="quiet">${details}</span>`}</li>`)}</ul>`;
    }
    if (isUnknown) { return html`<p id="viewers-old">${t("me.visible.old")}</p>`; }
    if (fault) { return undefined; }
    return html`<p role="status" class="quiet">${t(isLive || isBusy ? "list.loading" : "me.visible.offline")}</p>`;
}

function Pause({ user, pause, words, now }) {
    const { pending, serverNow, notice, tell, tracking } = usePage();
    const [isBusy, setBusy] = useState(false);
    const [note, setNote] = useState("");
    const path = `users/${encodeURIComponent(user.name)}/pause`;
    const press = async ({ until, ...order }) => {
        setBusy(true);
        try {
            await pending.press({ path, ...order });
            tracking?.takePause(until);
            notice("");
            tell(t("order.received", {
                time: clockTime(new Date(serverNow()).toISOString()), words: order.words }));
        } catch (error) {
            notice(t("order.refused", {
                words: order.words, reason: error instanceof GivenUp ? t("fault.givenUp") : faultWords(error),
            }));
        }
        setBusy(false);
    };
    const begin = (minutes) => {
        const until = new Date(serverNow() + minutes * 60_000).toISOString();
        const words = t("me.visible.orderPause", { time: minuteTime(until, now) });
        press({ until, method: "PUT", body: { until, note: note.trim() || undefined }, words });
    };
    return html`<section id="pause" class="card pause" aria-label=${t("me.visible.pause")}>
        <h2>${t("me.visible.pause")}</h2>
        ${pause ? html`<p>${t(words, { time: minuteTime(pause.until, now) })}</p>
            <button type="button" id="pause-end" class="plain" disabled=${isBusy} onClick=${() => press({
        method: "DELETE", words: t("me.visible.orderEnd") })}>${t("me.visible.end")}</button>`
        : html`<p>${t("me.visible.what")}</p>
            <div class="field"><label for="pause-note">${t("me.visible.note")}</label>
                <input id="pause-note" maxlength="200" autocomplete="off" value=${note}
                    onInput=${({ currentTarget }) => setNote(currentTarget.value)} /></div>
            <div class="choices" role="group" aria-label=${t("me.visible.pause")}>${
        pauseMinutes.map((minutes) => html`<button type="button" key=${minutes} class="plain" disabled=${isBusy}
            onClick=${() => begin(minutes)}>${
        t(`me.visible.minutes${minutes}`)}</button>`)}</div>`}
    </section>`;
}
