/** What somebody should know of an address before it is given to another device. */
import { html } from "./view.js";
import { t } from "./words.js";

/** As a URL writes them: by name, IPv4, IPv6, and IPv4 within IPv6. */
const ownHosts = /^((.+\.)?localhost\.?|127(\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]+\])$/;

/** The host of an address that names each device itself, so that no other one finds a server there; else undefined. */
export function ownHost(server) {
    let host;
    try { host = new URL(server.trim()).hostname; } catch { return undefined; }
    return ownHosts.test(host) ? host : undefined;
}

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
