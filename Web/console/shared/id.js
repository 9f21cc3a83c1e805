/** The id that a sender gives to what it sends, so that the server takes it once, however often it comes. */
export function newID() {
    // `crypto.randomUUID` is for secure pages alone.
    const bytes = crypto.getRandomValues(new Uint8Array(12));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
