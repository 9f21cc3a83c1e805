/** A QR code on the page: black on white in every theme, for a camera. */
import { qrCode, qrPath, quietZone } from "./qr.js";
import { html, useMemo } from "./view.js";

/** @param {{content: string, label: string}} properties `label` is what it says to somebody who does not see it */
export function QRView({ content, label }) {
    const code = useMemo(() => qrCode(content), [content]);
    if (!code) { return undefined; }
    const side = code.size + 2 * quietZone;
    return html`<svg class="qr" viewBox=${`0 0 ${side} ${side}`} role="img" aria-label=${label}
        shape-rendering="crispEdges">
        <rect width=${side} height=${side} fill="#fff" /><path d=${qrPath(code)} fill="#000" />
    </svg>`;
}
