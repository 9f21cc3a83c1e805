/** What a person can say of themselves: "I am safe", "I need help", SOS; whether the server has it; and their timer. */
import { countingOf } from "../shared/deliveries.js";
import { newDeclaration } from "../shared/outbox.js";
import { Countdown, Note, SOSButton, speaks } from "../shared/saying.js";
import { shownState } from "../shared/safety.js";
import { clockTime } from "../shared/time.js";
import { Timer } from "../shared/timer.js";
import { html, usePage, useSlice } from "../shared/view.js";
import { listed, t } from "../shared/words.js";
import { deliveryWords } from "../shared/deliverywords.js";

export function Myself() {
    const { live, user, delivery, deliveries } = useSlice(
        ({ live, user, delivery, deliveries }) => ({ live, user, delivery, deliveries }));
    const page = usePage();
    const own = user && live.members.get(user.name);
    const counting = countingOf(deliveries);
    if (!speaks(user)) { return undefined; }
    const cancel = () => { if (counting) { page.outbox.cancel(counting.id); } };
    const say = (kind, fields = {}) => {
        if (counting && kind !== "sos") { cancel(); }
        page.outbox.add(newDeclaration(kind, page.serverNow(), fields));
    };
    const isCalling = own?.state === "sos" || own?.state === "needsHelp";
    const shown = own && shownState(live, own);
    return html`<section id="myself" class="myself" aria-label=${t("myself.label")} data-state=${shown ?? "unknown"}>
        <p id="my-state" class="my-state">${own ? stateWords(own, shown) : ""}</p>
        <div class="my-buttons">
            <button type="button" id="my-safe" data-kind="safe" onClick=${() => say("safe")}>${t("my.safe")}</button>
            <button type="button" id="my-help" data-kind="needsHelp" onClick=${() => say("needsHelp")}>${
        t("my.help")}</button>
            <${SOSButton} counting=${counting} />
        </div>
        ${counting && html`<${Countdown} declaration=${counting} cancel=${cancel} />`}
        <p id="my-delivery" class="my-delivery" role="status" data-state=${delivery?.state}>${
        delivery ? deliveryWords(delivery, clockTime(new Date(delivery.at ?? page.serverNow()).toISOString())) : ""}</p>
        ${isCalling && html`<${Note} send=${(note) => say(own.state, { note })} />`}
        <${Timer} timer=${own?.timer} user=${user} end=${(path) => page.ask(() => askTimerEnd(path))} />
    </section>`;
}

function stateWords({ since, acknowledgedBy }, shown) {
    const state = t(`state.${shown}`);
    const words = since ? t("my.stateSince", { state, time: clockTime(since) }) : t("my.state", { state });
    return listed([words, acknowledgedBy && t("known.heardBy", { name: acknowledgedBy })]);
}

function askTimerEnd(path) {
    return {
        draft: "timer", title: t("timer.end"), lines: [t("timer.askEnd")], fields: [], button: t("timer.end"),
        order: () => ({ path, method: "DELETE", words: t("timer.orderEnd") }),
    };
}
