/** A secret that is shown once: to be copied, scanned or saved. */
import { CopyField } from "../shared/copyfield.js";
import { QRView } from "../shared/qrview.js";
import { html } from "../shared/view.js";
import { t } from "../shared/words.js";

/**
 * @param {{secret: string, label: string, code?: string, codeLabel?: string, onCopied?: () => void}} properties `code`:
 *     what a QR code holds, where there shall be one
 */
export function Secret({ secret, label, code, codeLabel, onCopied }) {
    return html`<div class="secret">
        <p class="warning">${t("administration.secret.once")}</p>
        ${code && html`<${QRView} content=${code} label=${codeLabel} />`}
        <${CopyField} id="secret" content=${secret} label=${label} onCopied=${onCopied} />
    </div>`;
}
