/** Resolves after a time, or as soon as the signal aborts. @param {AbortSignal} [signal] */
export function pause(ms, signal) {
    return new Promise((resolve) => {
        if (signal?.aborted) { resolve(); return; }
        const end = () => {
            clearTimeout(timer);
            // A signal may outlive thousands of pauses.
            signal?.removeEventListener("abort", end);
            resolve();
        };
        const timer = setTimeout(end, ms);
        signal?.addEventListener("abort", end);
    });
}
