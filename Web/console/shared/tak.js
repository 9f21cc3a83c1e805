/** The link by which ATAK enrolls at this server. It is the same that `muster tak enroll --code` makes. Pure. */

/** The port that ATAK takes where the host names none. */
export const usualPort = 8089;

/** Whether a text is a name or an address of a host, as the command line takes it: without a scheme or a path. */
export function isHost(text) {
    return /^[A-Za-z0-9._\-:]{1,253}$/.test(text);
}

/** @param {{host: string, port?: number, device: string, token: string}} of `device`: with its user, `alice/phone` */
export function enrollmentLink({ host, port = usualPort, device, token }) {
    const parts = [["host", port === usualPort ? host : `${host}:${port}`], ["username", device], ["token", token]];
    return `tak://com.atakmap.app/enroll?${
        parts.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&")}`;
}
