/** Addresses that name each device itself. Pure. */

/** As a URL writes them: by name, IPv4, IPv6, and IPv4 within IPv6. */
const ownHosts = /^((.+\.)?localhost\.?|127(\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]+\])$/;

/** The host of an address that names each device itself, so that no other one finds a server there; else undefined. */
export function ownHost(server) {
    let host;
    try { host = new URL(server.trim()).hostname; } catch { return undefined; }
    return ownHosts.test(host) ? host : undefined;
}
