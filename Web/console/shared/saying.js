/** The buttons and forms by which a person declares their own state, shared by all pages for that person. */
import { newDeclaration } from "./outbox.js";
import { html, useEffect, usePage, useRef, useSlice, useState } from "./view.js";
import { around, t } from "./words.js";

/** The time for which the SOS button is held, and the time in which an SOS can then be cancelled. */
const holdMs = 1000;
const cancelMs = 5000;

/**
 * A button that starts the countdown of an SOS when it is held for a second. Assistive technology clicks without
 * holding; then only the countdown guards against a mistake.
 * @param {{counting: import("./outbox.js").Declaration|undefined}} properties `counting`: the SOS whose countdown runs
 */
export function SOSButton({ counting }) {
    const page = usePage();
    const [isHeld, setHeld] = useState(false);
    const hold = useRef();
    const wasHeld = useRef(false);
    const pressedMs = useRef(0);
    const isCounting = useRef(false);
    isCounting.current = counting !== undefined;
    const arm = () => {
        clearTimeout(hold.current);
        hold.current = undefined;
        setHeld(false);
        if (isCounting.current) { return; }
        // The SOS is stored when its countdown starts, so that a reload neither loses it nor stops the countdown.
        page.outbox.add(newDeclaration("sos", page.serverNow(), {
            ...page.place?.("sos"), dueAt: Date.now() + cancelMs,
        }));
    };
    const press = ({ timeStamp }) => {
        if (isCounting.current || hold.current) { return; }
        wasHeld.current = true;
        pressedMs.current = timeStamp;
        setHeld(true);
        hold.current = setTimeout(arm, holdMs);
    };
    const release = ({ type, timeStamp }) => {
        setHeld(false);
        if (!hold.current) { return; }
        // A busy device may tell that the button is released before the timer of the hold runs.
        if (/up$/.test(type) && timeStamp - pressedMs.current >= holdMs) { arm(); return; }
        clearTimeout(hold.current);
        hold.current = undefined;
        if (!isCounting.current) { page.store.set({ delivery: { declaration: { kind: "sos" }, state: "tooShort" } }); }
    };
    useEffect(() => () => clearTimeout(hold.current), []);
    return html`<button type="button" id="my-sos" data-kind="sos" aria-describedby="my-sos-how"
        data-held=${isHeld ? "" : undefined} aria-disabled=${counting ? "true" : undefined}
        onPointerDown=${(event) => { if (event.button === 0) { press(event); } }}
        onPointerUp=${release} onPointerCancel=${release} onPointerLeave=${release} onBlur=${release}
        onContextMenu=${(event) => event.preventDefault()} onKeyUp=${release}
        onKeyDown=${(event) => { if ([" ", "Enter"].includes(event.key) && !event.repeat) { press(event); } }}
        onClick=${() => { if (!wasHeld.current) { arm(); } wasHeld.current = false; }}>${t("my.sos")}
        <small id="my-sos-how">${t("my.sosHow")}</small></button>`;
}

/** Shows how long the SOS can still be cancelled, and what becomes of it then: without a connection it is not sent. */
export function Countdown({ declaration, cancel }) {
    const page = usePage();
    const [left, setLeft] = useState(secondsTo(declaration.dueAt));
    useEffect(() => {
        const timer = setInterval(() => setLeft(secondsTo(declaration.dueAt)), 200);
        return () => clearInterval(timer);
    }, [declaration.id]);
    const isLive = useSlice(({ connection }) => connection.state === "live");
    const [before, after] = around(isLive ? "my.sentIn" : "my.waitsIn", "time");
    const stop = () => { cancel(); document.getElementById("my-sos")?.focus(); };
    return html`<div id="my-countdown" class="my-countdown" role="alert">
        <p>${left > 0 ? html`${before}<span id="my-seconds" aria-live="off">${
        t("time.seconds", { count: left })}</span>${after}` : t(isLive ? "my.sentNow" : "my.waitsNow")}</p>
        <button type="button" id="my-cancel" onClick=${stop}>${t("cancel")}</button>
        <button type="button" id="my-now" onClick=${() => page.outbox.sendNow(declaration.id)}>${
        t("my.sendNow")}</button>
    </div>`;
}

function secondsTo(dueAt) {
    return Math.max(0, Math.ceil((dueAt - Date.now()) / 1000));
}

/** A field in which the caller describes what has happened. */
export function Note({ send }) {
    const submit = (event) => {
        event.preventDefault();
        const { note } = event.currentTarget.elements;
        if (note.value.trim() === "") { return; }
        send(note.value.trim());
        note.value = "";
    };
    return html`<form id="my-note-form" class="my-note" onSubmit=${submit}>
        <label for="my-note">${t("my.note")}</label>
        <input id="my-note" name="note" maxlength="500" autocomplete="off" />
        <button type="submit">${t("my.sendNote")}</button>
    </form>`;
}

/** Whether a user can declare their own state: members and leaders can, and admins who belong to a team. Pure. */
export function speaks(user) {
    return user !== undefined
        && (user.role === "member" || user.role === "leader" || (user.role === "admin" && user.team !== undefined));
}
