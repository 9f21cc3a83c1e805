/** The check-in timer of a person who works alone: its state, large when a check-in is due, and its buttons. */
import { Timer } from "../../console/shared/timer.js";
import { dueWords } from "../../console/shared/timerwords.js";
import { speaks } from "../../console/shared/saying.js";
import { html, useNow, usePage, useSlice } from "../../console/shared/view.js";
import { t } from "../../console/shared/words.js";

export function Panel() {
    const { timer, user } = useSlice(({ own, user }) => ({ timer: own?.member?.timer, user }));
    const page = usePage();
    const now = useNow();
    if (!speaks(user)) { return undefined; }
    const end = (path) => page.ask({
        title: t("timer.end"), lines: [t("timer.askEnd")], button: t("timer.end"), act: () => endTimer(page, path),
    });
    const isDue = timer?.happened === "reminded" || timer?.happened === "overdue";
    return html`<section id="timer" class="card timer" aria-label=${t("me.timer.label")}
        data-due=${isDue ? "" : undefined}>
        <p id="timer-due" role="alert" hidden=${!isDue}>${isDue ? dueWords(timer, now) : ""}</p>
        <${Timer} timer=${timer} user=${user} end=${end} />
    </section>`;
}

/** Ends the timer, and tells the person whether the server has ended it. */
async function endTimer({ pending, tell, notice }, path) {
    const words = t("timer.orderEnd");
    try {
        await pending.press({ path, method: "DELETE", words });
        tell(t("timer.received", { words }));
    } catch (error) {
        notice(t("order.refused", { words, reason: error.message }));
    }
}
