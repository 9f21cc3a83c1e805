/**
 * Shows the call of an open incident on the whole screen until the person says that they have seen it. The button says
 * no more than that; it does not say that the person is safe. Afterwards a line stays above all else, with the way and
 * the buttons below it.
 */
import { newDeclaration } from "../../console/shared/outbox.js";
import { hrefOf } from "../../console/shared/route.js";
import { legible } from "../../console/shared/text.js";
import { html, useLayoutEffect, useNow, usePage, useRef, useSlice } from "../../console/shared/view.js";
import { t } from "../../console/shared/words.js";
import { announcedWords, callLine, callsOf, callTitle, seenWords } from "./calls.js";
import { writeSeen } from "./seen.js";

/** The line that stays while an incident is open. */
export function Panel() {
    const { own, seen, deliveries, route, isLive } = useSlice(({ own, seen, deliveries, route, connection }) => (
        { own, seen, deliveries, route, isLive: connection.state === "live" }));
    const now = useNow();
    const calls = callsOf(own, seen).filter(({ seenAt }) => seenAt !== undefined);
    const asked = announcedWords({ route, own, isLive });
    if (calls.length === 0) {
        return asked && html`<p id="call-asked" class="card" role="status">${asked}</p>`;
    }
    return html`<section id="called" class="called" aria-label=${t("me.call.label")}>
        ${calls.map((call) => html`<div key=${call.key} data-kind=${call.incident.kind}>
            <h2>${callTitle(call.incident)}</h2>
            <div class="called-words" tabindex="0" role="group" aria-label=${callTitle(call.incident)}>
                <p>${callLine(call.incident, now)}</p>
                ${call.incident.note && html`<p class="call-note">${legible(call.incident.note)}</p>`}
                <p class="call-seen">${seenWords(call, deliveries, now)}</p>
            </div>
            <a class="to-way" href=${hrefOf("way")}>${t("me.call.way")}</a>
        </div>`)}
    </section>`;
}

/** The call itself, above all else. */
export function Call() {
    const { own, seen } = useSlice(({ own, seen }) => ({ own, seen }));
    const call = callsOf(own, seen).find(({ seenAt }) => seenAt === undefined);
    return call && html`<${Calling} key=${call.key} call=${call} />`;
}

function Calling({ call: { incident, key } }) {
    const page = usePage();
    const now = useNow();
    const dialog = useRef();
    const button = useRef();
    useLayoutEffect(() => {
        dialog.current.showModal();
        button.current.focus();
        navigator.vibrate?.([600, 300, 600, 300, 600]);
    }, []);
    const acknowledge = () => {
        const at = new Date(page.serverNow()).toISOString();
        navigator.vibrate?.(0);
        page.outbox.add(newDeclaration("callSeen", page.serverNow(), { incident: incident.number }));
        page.store.set(({ seen, user }) => ({ seen: writeSeen(user.name, seen, key, at) }));
        location.hash = "#/";
    };
    // Escape does not acknowledge: the call stays until the person says that they have seen it.
    return html`<dialog id="call" class="call" data-kind=${incident.kind} aria-labelledby="call-title" ref=${dialog}
        onCancel=${(event) => event.preventDefault()} onClose=${() => dialog.current?.showModal()}>
        <div class="call-words">
            <h2 id="call-title">${callTitle(incident)}</h2>
            <p>${callLine(incident, now)}</p>
            ${incident.note && html`<p class="call-note">${legible(incident.note)}</p>`}
            <p>${t(incident.kind === "drill" ? "me.call.doDrill" : "me.call.do")}</p>
        </div>
        <div class="call-answer">
            <button type="button" id="call-seen" ref=${button} onClick=${acknowledge}>${
        t("me.call.acknowledge")}</button>
            <p>${t("me.call.means")}</p>
        </div>
    </dialog>`;
}
