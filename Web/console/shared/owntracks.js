/**
 * The configuration with which an OwnTracks app reports to this server, as a file and as the link of a QR code. It is
 * the same that `muster device token --owntracks` makes. Pure.
 *
 * Source: OwnTracks Booklet, "Remote configuration".
 */

/** The largest number of bytes of an address whose link fits into a QR code. */
const longestAddress = 1000;

/**
 * The address to which OwnTracks apps post, made from the server's address.
 * @returns {string|undefined} undefined if `server` is no http or https address, or is too long
 */
export function phoneAddress(server) { return serverAddress(server, "owntracks"); }

/**
 * The server's address with the path that an app posts to. It may have the path of this or of another app already.
 * @returns {string|undefined} undefined if `server` is no http or https address, or is too long
 */
export function serverAddress(server, path) {
    let url;
    try { url = new URL(server); } catch { return undefined; }
    const isPlain = ["http:", "https:"].includes(url.protocol) && url.host !== "" && url.search === ""
        && url.hash === "" && url.username === "" && !server.includes("#") && !server.includes("?");
    if (!isPlain || new TextEncoder().encode(server).length > longestAddress) { return undefined; }
    const base = server.trim().replace(/\/$/, "").replace(/\/(?:osmand|overland|owntracks|ulogger)$/, "");
    return `${base}/${path}`;
}

/** Whether a token would be sent to this address unencrypted, readable to anyone on the way. */
export function isInTheClear(server) {
    return /^http:/i.test(server.trim());
}

/**
 * The content of the app's configuration file (`.otrc`).
 * @param {{address: string, user: string, device: string, token: string}} of `address` as `phoneAddress` returns it
 */
export function configuration({ address, user, device, token }) {
    const letters = user.replace(/[^A-Za-z0-9]/g, "").slice(0, 2);
    return JSON.stringify({
        _type: "configuration", mode: 3, url: address, auth: true, usePassword: true, username: user, password: token,
        deviceId: device, ...(letters ? { tid: letters } : {}),
    });
}

/** The link that an app on the phone opens. The app reads `+` as a space, so it is encoded. */
export function configurationLink(content) {
    const bytes = new TextEncoder().encode(content);
    return `owntracks:///config?inline=${encodeURIComponent(btoa(String.fromCharCode(...bytes)))}`;
}
