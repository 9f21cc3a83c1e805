/** Passwords that the page makes. Pure, but for the browser's random numbers. */

/** Letters and digits that nobody confuses when they are read out or copied by hand. */
const alphabet = "abcdefghijkmnpqrstuvwxyz23456789";
const groups = 4;
const groupLength = 5;

/**
 * A password of twenty characters in groups: 100 bits.
 * @param {(bytes: Uint8Array) => Uint8Array} [random] replaced in tests
 */
export function newPassword(random = (bytes) => crypto.getRandomValues(bytes)) {
    // 32 characters divide 256, so that each is as probable.
    const characters = Array.from(random(new Uint8Array(groups * groupLength)), (byte) => alphabet[byte % 32]);
    return Array.from({ length: groups }, (_, group) =>
        characters.slice(group * groupLength, (group + 1) * groupLength).join("")).join("-");
}

/** The server's rules for a password: why it is refused, as a key of the words; undefined where it will do. */
export function passwordFault(password) {
    if (Array.from(password).length < 8) { return "short"; }
    if (new TextEncoder().encode(password).length > 1024) { return "long"; }
    return undefined;
}
