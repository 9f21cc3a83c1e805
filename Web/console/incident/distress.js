/** An SOS takes the screen of everybody who leads, until somebody acknowledges it. */
import { nameOf } from "../shared/roll.js";
import { leads } from "../shared/safety.js";
import { latestPosition } from "../shared/state.js";
import { legible, shortened } from "../shared/text.js";
import { age, clockTime, timeAttributes } from "../shared/time.js";
import {
    html, useEffect, useLayoutEffect, useMemo, useNow, usePage, useRef, useSlice, useState,
} from "../shared/view.js";
import { t } from "../shared/words.js";
import { calledAgainWords, callerPlaceWords } from "./alarmwords.js";

/** The largest number of calls shown at once; of further calls only the number is shown. */
const shownLimit = 10;
/** The largest number of characters of a name in the page's title. */
const nameLimit = 40;
/** The calls found in each map of members, for the user who asked last. */
const lastCalls = new WeakMap();

/**
 * The people whom the user leads and whose SOS nobody has acknowledged, the newest call first. The user's own call is
 * left out. Pure.
 */
export function unheardCalls(live, user) {
    // The title, the siren and the screen ask of each state.
    const known = lastCalls.get(live.members);
    if (known && known.user === user) { return known.calls; }
    const calls = findCalls(live, user);
    lastCalls.set(live.members, { user, calls });
    return calls;
}

function findCalls(live, user) {
    const found = [];
    for (const member of live.members.values()) {
        if (member.state !== "sos" || member.acknowledgedBy || member.user === user?.name) { continue; }
        if (leads(user, member.team)) { found.push(member); }
    }
    return found.sort((left, right) => (Date.parse(right.since) || 0) - (Date.parse(left.since) || 0));
}

/** What names one call: the next of the same person is another. */
export function callKey({ user, since }) {
    return `${user} ${since}`;
}

/** What the page is called while these calls were heard by nobody. Pure. */
export function distressTitle(calls, words) {
    if (calls.length === 0) { return words; }
    const name = legible(shortened(nameOf(calls[0], nameLimit), nameLimit));
    return `${t("sos.from", { name })} · ${words}`;
}

export function Distress() {
    const { live, user } = useSlice(({ live, user }) => ({ live, user }));
    const calls = useMemo(() => unheardCalls(live, user), [live.members, user]);
    // The server may not have received this page's acknowledgement yet; its user can go on meanwhile.
    const [pressed, setPressed] = useState(new Set());
    const [isLeft, setLeft] = useState(false);
    const keys = calls.map(callKey);
    const mayLeave = keys.every((key) => pressed.has(key));
    // If a person calls again after an acknowledged call, that is a new call.
    useEffect(() => {
        setPressed((was) => new Set(keys.filter((key) => was.has(key))));
        if (!mayLeave || keys.length === 0) { setLeft(false); }
    }, [keys.join("\n")]);
    if (calls.length === 0 || (mayLeave && isLeft)) { return undefined; }
    const press = (call, isPressed) => setPressed((was) => {
        const next = new Set(was);
        if (isPressed) { next.add(callKey(call)); } else { next.delete(callKey(call)); }
        return next;
    });
    const leave = () => setLeft(true);
    return html`<${Overlay} calls=${calls} pressed=${pressed} press=${press} leave=${mayLeave ? leave : undefined} />`;
}

function Overlay({ calls, pressed, press, leave }) {
    const page = usePage();
    const dialog = useRef();
    const heading = useRef();
    const isSilent = useSlice(({ isSilent }) => isSilent);
    useLayoutEffect(() => {
        const element = dialog.current;
        element.showModal();
        // The focus goes to the heading, not to a button: a user who is typing must not acknowledge with the next
        // space.
        heading.current.focus();
        return () => element.close();
    }, []);
    const refuse = (event) => { if (!leave) { event.preventDefault(); } };
    const onClose = () => {
        if (leave) { leave(); } else if (dialog.current?.isConnected) { dialog.current.showModal(); }
    };
    const more = calls.length - shownLimit;
    return html`<dialog id="distress" class="distress" role="alertdialog" aria-labelledby="distress-title"
        aria-describedby="distress-how" ref=${dialog} onCancel=${refuse} onClose=${onClose}
        onKeyDown=${(event) => { if (event.key === "Escape") { refuse(event); } }}>
        <h2 id="distress-title" tabindex="-1" ref=${heading}>${t("sos.title", { count: calls.length })}</h2>
        <ul>${calls.slice(0, shownLimit).map((call) => html`<${Call} key=${callKey(call)} call=${call}
            isPressed=${pressed.has(callKey(call))} press=${(isPressed) => press(call, isPressed)} />`)}</ul>
        ${more > 0 && html`<p>${t("sos.more", { count: more })}</p>`}
        <p id="distress-how" role="status">${t(leave ? "sos.waits" : "sos.how")}</p>
        <p class="answers">
            ${leave && html`<button type="button" class="plain" onClick=${leave}>${t("sos.goOn")}</button>`}
            ${!isSilent && html`<button type="button" class="plain" onClick=${() => page.siren.silence()}>${
        t("sos.silence")}</button>`}
        </p>
    </dialog>`;
}

function Call({ call, isPressed, press }) {
    const page = usePage();
    const { regions, events } = useSlice(({ live: { regions, events } }) => ({ regions, events }));
    const now = useNow();
    const again = calledAgainWords(call, events);
    /** Why the server refused that this call is acknowledged; empty if it did not. */
    const [refusal, setRefusal] = useState("");
    const name = legible(nameOf(call));
    const note = call.note ?? call.call?.note;
    const acknowledge = async () => {
        press(true);
        setRefusal("");
        // If the server refused the acknowledgement, or a newer state stands, nobody has acknowledged this call yet.
        if (await page.orders.declare(call.user, "acknowledge")) { return; }
        press(false);
        setRefusal(page.store.value.notice);
    };
    const show = () => { page.showPerson(call.user); acknowledge(); };
    return html`<li data-user=${call.user}>
        <p class="caller">${t("sos.from", { name })}<span> ${legible(call.team)}${call.crew === undefined ? ""
        : ` · ${legible(call.crew)}`}</span></p>
        ${note && html`<p class="note">${t("text.quoted", { text: legible(note) })}</p>`}
        <p><time ...${timeAttributes(call.since)}>${t("sos.since", {
        time: clockTime(call.since, now), age: age(call.since, now) })}</time></p>
        ${again && html`<p class="again">${t("text.sentence", { words: again })}</p>`}
        <p class="where">${callerPlaceWords(call, regions, now)}</p>
        ${call.phone && html`<p><a href=${`tel:${call.phone.replace(/[^+\d]/g, "")}`}>${
        t("sos.call", { phone: legible(call.phone) })}</a></p>`}
        ${refusal && html`<p class="refused" role="alert">${refusal}</p>`}
        <p class="answers">${isPressed ? html`<span>${t("sos.sent")}</span>` : html`
            <button type="button" class="loud" onClick=${acknowledge}>${t("sos.acknowledge", { name })}</button>
            ${latestPosition(call) && html`<button type="button" class="loud" onClick=${show}>${
        t("sos.acknowledgeShow")}</button>`}`}</p>
    </li>`;
}
