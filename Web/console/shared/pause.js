/** Resolves after a time, or as soon as the signal aborts. @param {AbortSignal} [signal] */
export function pause(ms, signal) {
    return new Promise((resolve) => {
        if (signal?.aborted) { resolve(); return; }
        const timer = setTimeout(resolve, ms);
        signal?.addEventListener("abort", () => { clearTimeout(timer); resolve(); }, { once: true });
    });
}
