/** A person's own check-in timer, shared by all pages for that person. */
import { Problem } from "./http.js";
import { timerWords } from "./timerwords.js";
import { html, useNow, usePage } from "./view.js";
import { t } from "./words.js";

/**
 * The timer of the signed-in user: its state, the button to check in, and the ways to start and end it.
 * @param {object} properties
 * @param {import("./timerwords.js").Timer} [properties.timer]
 * @param {{name: string}} properties.user
 * @param {(path: string) => void} properties.end asks the user, then ends the timer with a DELETE of that path
 */
export function Timer({ timer, user, end }) {
    const page = usePage();
    const now = useNow();
    const path = `users/${encodeURIComponent(user.name)}/check-in-timer`;
    const start = async (event) => {
        event.preventDefault();
        const form = event.currentTarget;
        const { minutes, note } = form.elements;
        const body = { intervalSeconds: Number(minutes.value) * 60, note: note.value.trim() || undefined };
        if (await orderTimer(page, path, body, t("timer.orderStart"))) { form.reset(); }
    };
    return html`<div id="my-timer" class="my-timer" data-happened=${timer?.happened ?? "none"}>
        <p id="my-timer-words" role="status">${timer ? t("timer.yours", { words: timerWords(timer, now) }) : ""}</p>
        ${timer && html`<button type="button" id="my-check-in" onClick=${page.checkIn}>${t("timer.checkIn")}</button>
            <button type="button" id="my-timer-end" onClick=${() => end(path)}>${t("timer.end")}</button>`}
        ${!timer && html`<details id="my-timer-start">
            <summary>${t("timer.alone")}</summary>
            <form id="my-timer-form" onSubmit=${start}>
                <label for="my-timer-minutes">${t("timer.every")}</label>
                <select id="my-timer-minutes" name="minutes">
                    ${[15, 30, 60, 120].map((minutes) => html`<option key=${minutes} value=${minutes}
                        selected=${minutes === 30}>${t(`timer.minutes${minutes}`)}</option>`)}
                </select>
                <label for="my-timer-note">${t("timer.what")}</label>
                <input id="my-timer-note" name="note" maxlength="200" autocomplete="off" />
                <button type="submit">${t("timer.start")}</button>
            </form>
        </details>`}
    </div>`;
}

/**
 * Sends an order about the timer, and tells the user the result.
 * @returns {Promise<boolean>} whether the server took it
 */
async function orderTimer({ request, tell, notice }, path, body, words) {
    tell(t("order.sending", { words }));
    try {
        await request(path, { method: "PUT", body });
        notice("");
        tell(t("timer.received", { words }));
        return true;
    } catch (error) {
        tell("");
        const reason = error instanceof Problem ? error.message : t("problem.noAnswer");
        notice(t("order.refused", { words, reason }));
        return false;
    }
}
