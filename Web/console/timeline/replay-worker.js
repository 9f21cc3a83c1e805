/** Reads answers of the history in a worker: they have hundreds of thousands of numbers. */
import { buffersOf, chunkOf } from "./columns.js";

addEventListener("message", ({ data: { number, buffer } }) => {
    try {
        const chunk = chunkOf(JSON.parse(new TextDecoder().decode(buffer)));
        postMessage({ number, chunk }, buffersOf(chunk));
    } catch {
        postMessage({ number });
    }
});
