/**
 * Loads the page anew, once in a tab, if the app does not begin because its files do not fit together: the server was
 * replaced by another version while they were loaded. This is a plain script, because a module that fits to no other
 * does not run.
 */
{
    const key = "muster.me.first";
    /** The time that a server which is being replaced gets until it has to answer again, in milliseconds. */
    const waitMs = 2000;

    /** Whether the app has begun: it states itself once all of its first files are loaded. */
    const hasBegun = () => Boolean(globalThis.musterMe);

    const begin = ({ target }) => {
        // An error in a script is told to the window, and a script that could not be loaded to its element.
        if (hasBegun() || (target !== globalThis && !(target instanceof HTMLScriptElement))) { return; }
        try {
            if (sessionStorage.getItem(key)) { return; }
            sessionStorage.setItem(key, "1");
        } catch {
            // Without a memory the page might be loaded anew for ever.
            return;
        }
        setTimeout(() => { if (!hasBegun()) { location.reload(); } }, waitMs);
    };
    addEventListener("error", begin, { capture: true });
}
