/** What somebody should know of an address before it is given to another device. */
import { ownHost } from "./ownhost.js";
import { html } from "./view.js";
import { t } from "./words.js";

/**
 * Says that no other device reaches the server at an address, and what to do. Stands beside all that names the server:
 * a link, an invitation, the address of a kiosk, the code of a phone.
 * @param {{address?: string, isTyped?: boolean}} properties `isTyped`: whether the user enters the address, which else
 *     is the one that the page was opened at
 */
export function ReachWarning({ address = "", isTyped = false }) {
    const host = ownHost(address);
    return host && html`<p class="warning" role="status">${t(isTyped ? "reach.typed" : "reach.opened", {
        host, command: "muster serve --host 0.0.0.0", option: "--public-url" })}</p>`;
}
