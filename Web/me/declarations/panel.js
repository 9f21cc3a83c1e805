/** The buttons "I am safe", "I need help" and SOS, and where each declaration is now. */
import { countingOf } from "../../console/shared/deliveries.js";
import { newDeclaration } from "../../console/shared/outbox.js";
import { Note, SOSButton, speaks } from "../../console/shared/saying.js";
import { html, useNow, usePage, useSlice } from "../../console/shared/view.js";
import { t } from "../../console/shared/words.js";
import { callKind, deliveryLines } from "./deliverylines.js";

export function Panel() {
    // A new fix draws the panel anew, because `page.place` reads it.
    const { own, isLive, user, deliveries, delivery } = useSlice(
        ({ own, connection, user, deliveries, delivery, fix }) => (
            { own, isLive: connection.state === "live", user, deliveries, delivery, fix }));
    const page = usePage();
    const now = useNow();
    if (!speaks(user)) { return undefined; }
    const counting = countingOf(deliveries);
    const cancel = () => { if (counting) { page.outbox.cancel(counting.id); } };
    const say = (kind, fields = {}) => {
        if (counting && kind !== "sos") { cancel(); }
        page.outbox.add(newDeclaration(kind, page.serverNow(), { ...page.place(kind), ...fields }));
    };
    const calling = callKind(deliveries, own);
    const endCall = () => page.ask({
        title: t("me.declarations.end"), lines: [t("me.declarations.askEnd")], button: t("me.declarations.endNow"),
        act: () => say("clear"),
    });
    const isTooShort = delivery?.state === "tooShort";
    return html`<section id="declarations" class="card declarations" aria-label=${t("me.declarations.label")}>
        <div class="say">
            <button type="button" id="my-safe" data-kind="safe" onClick=${() => say("safe")}>${t("my.safe")}</button>
            <button type="button" id="my-help" data-kind="needsHelp" onClick=${() => say("needsHelp")}>${
        t("my.help")}</button>
            <${SOSButton} counting=${counting} />
        </div>
        <p id="too-short" role="status" hidden=${!isTooShort}>${isTooShort ? t("delivery.tooShort") : ""}</p>
        <${Lines} lines=${deliveryLines(deliveries, { own, isLive }, now)} />
        ${calling && !counting && html`<p id="no-place" hidden=${page.place(calling).latitude !== undefined}>${
        t("me.declarations.noPlace")}</p>
            <${Note} send=${(note) => say(calling, { note })} />
            <button type="button" id="end-call" class="plain" onClick=${endCall}>${t("me.declarations.end")}</button>`}
    </section>`;
}

function Lines({ lines }) {
    return html`<div role="status">${lines.length > 0 && html`<ul id="my-deliveries" class="deliveries"
        aria-label=${t("me.declarations.what")}>
        ${lines.map(({ key, place, words }) => html`<li key=${key} data-place=${place}>${words}</li>`)}
    </ul>`}</div>`;
}
