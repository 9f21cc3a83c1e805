/** The check sum of ISO 3309 that gzip and PNG use. */

const table = new Uint32Array(256).map((_, index) => {
    let rest = index;
    for (let bit = 0; bit < 8; bit += 1) { rest = rest & 1 ? 0xedb8_8320 ^ (rest >>> 1) : rest >>> 1; }
    return rest;
});

/** @param {Uint8Array} bytes @param {number} [before] the check sum of the bytes that precede these */
export function crc32(bytes, before = 0) {
    let sum = ~before;
    for (let index = 0; index < bytes.length; index += 1) {
        sum = table[(sum ^ bytes[index]) & 0xff] ^ (sum >>> 8);
    }
    return ~sum >>> 0;
}
