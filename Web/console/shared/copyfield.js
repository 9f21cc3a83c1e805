/** A text with a button to copy it. It also works without TLS, where browsers give pages no clipboard. */
import { html, useId, useRef, useState } from "./view.js";
import { t } from "./words.js";

/** @param {{content: string, label: string, id?: string, onCopied?: () => void}} properties */
export function CopyField({ content, label, id: given, onCopied }) {
    const made = useId();
    const id = given ?? made;
    const field = useRef();
    const [said, setSaid] = useState("");
    const copy = async () => {
        setSaid("");
        field.current.select();
        try {
            if (navigator.clipboard) { await navigator.clipboard.writeText(content); } else { copySelected(); }
            setSaid(t("copy.copied"));
            onCopied?.();
        } catch {
            setSaid(t("copy.selected"));
        }
    };
    return html`<div class="field copy-field">
        <label for=${id}>${label}</label>
        <input id=${id} ref=${field} readonly autocomplete="off" spellcheck=${false} value=${content}
            onFocus=${({ currentTarget }) => currentTarget.select()} />
        <button type="button" class="plain" aria-label=${t("copy.copyWhat", { name: label })} onClick=${copy}>${
        t("copy.copy")}</button>
        <span class="quiet" role="status">${said}</span>
    </div>`;
}

function copySelected() {
    if (!document.execCommand("copy")) { throw new DOMException("not allowed", "NotAllowedError"); }
}
