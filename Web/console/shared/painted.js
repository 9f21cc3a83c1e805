/** What waits until a person sees what they just chose. */

/** A page that is hidden draws no frame: what waits does not wait for longer than this. */
const longestMs = 500;

/**
 * Calls once what the page shows now is on the screen: a frame later than the one that draws it, and after what that
 * frame calls.
 * @param {() => void} act
 * @returns {() => void} ends the waiting
 */
export function whenPainted(act) {
    let isDone = false;
    const once = () => {
        if (isDone) { return; }
        isDone = true;
        act();
    };
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => setTimeout(once))));
    setTimeout(once, longestMs);
    return () => { isDone = true; };
}
