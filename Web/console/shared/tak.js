/** The link by which ATAK enrolls at this server. It is the same that `muster tak enroll --code` makes. Pure. */

/** The port that ATAK takes where the host names none. */
export const usualPort = 8089;

/**
 * Whether a text is a name or an address of a host, as the command line takes it: without a scheme, a port or a path,
 * and an IPv6 address without brackets.
 */
export function isHost(text) {
    return /^(?:[A-Za-z0-9._-]{1,253}|[0-9A-Fa-f]*:[0-9A-Fa-f]*:[0-9A-Fa-f:.]{0,45})$/.test(text);
}

/** The host of an address as `location` has it: without the brackets of an IPv6 address. */
export function withoutBrackets(hostname) {
    return hostname.replace(/^\[(.*)\]$/, "$1");
}

/** @param {{host: string, port?: number, device: string, token: string}} of `device`: with its user, `alice/phone` */
export function enrollmentLink({ host, port = usualPort, device, token }) {
    // Without brackets the port would be a part of an IPv6 address.
    const bracketed = host.includes(":") ? `[${host}]` : host;
    const address = port === usualPort ? host : `${bracketed}:${port}`;
    const parts = [["host", address], ["username", device], ["token", token]];
    return `tak://com.atakmap.app/enroll?${
        parts.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&")}`;
}
