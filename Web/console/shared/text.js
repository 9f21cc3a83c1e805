/** Names and notes as others wrote them, made fit to stand in a sentence. Pure. */

/** Characters that turn the direction of the text after them, and those that end or hide a line. */
const turning = /[\u0000-\u001F\u007F-\u009F\u200E\u200F\u2028-\u202E\u2066-\u2069]+/gu;
const rightToLeft = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

/** The beginning of a long text. Where one is shown so, the whole stands elsewhere. */
export function shortened(text, limit) {
    const characters = Array.from(String(text ?? ""));
    return characters.length > limit ? `${characters.slice(0, limit - 1).join("")}…` : characters.join("");
}

/** The text without such characters; one written from right to left is kept from turning the words around it. */
export function legible(text) {
    const plain = String(text ?? "").replace(turning, " ");
    return rightToLeft.test(plain) ? `\u2068${plain}\u2069` : plain;
}

const collator = new Intl.Collator(undefined, { numeric: true });

/** The order of names as people expect it: `unit 9` before `unit 10`. */
export function byName(left, right) {
    return collator.compare(left, right);
}
