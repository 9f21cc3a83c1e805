/** The dialogs of the pages. */
import { html, useId, useLayoutEffect, useRef } from "./view.js";

/**
 * A dialog above the page, closed by Escape, by its own buttons, and by its caller. The keyboard stays in it, and
 * returns to where it was. `tone` is for the style sheet: what is real looks unlike what is a drill. `isHeld`: Escape
 * does not close it; the caller is told, and may ask.
 */
export function Dialog({ title, onClose, children, isWide = false, tone, isHeld = false }) {
    const dialog = useRef();
    const name = useId();
    // At once: keys that come before the next frame are for the dialog.
    useLayoutEffect(() => {
        const before = document.activeElement;
        dialog.current.showModal();
        return () => before?.isConnected && before.focus();
    }, []);
    // An element that is moved, as where a list before it grew, is no longer above the page, though it says it is open.
    useLayoutEffect(() => {
        const { current } = dialog;
        if (!current.open || current.matches(":modal")) { return; }
        current.removeAttribute("open");
        current.showModal();
    });
    // A browser closes a dialog against its page where Escape is pressed again and again. It is then opened anew before
    // the caller is told, so that what the caller asks stands above it.
    const cancel = (event) => {
        if (isHeld && !event.cancelable) { return; }
        if (isHeld) { event.preventDefault(); }
        onClose();
    };
    const end = () => {
        if (isHeld && dialog.current?.isConnected) { dialog.current.showModal(); }
        onClose();
    };
    return html`<dialog class=${isWide ? "dialog wide" : "dialog"} data-tone=${tone} aria-labelledby=${name}
        ref=${dialog}
        onClose=${end} onCancel=${cancel}>
        <h2 id=${name}>${title}</h2>
        ${children}
    </dialog>`;
}
