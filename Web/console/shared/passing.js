/** Shows words for a while: what the server has got is no news any more after a minute, beside what happens then. */

/** So long the words are shown, in milliseconds. */
const shownMs = 60_000;

/**
 * @param {(words: string) => void} show takes the words, and "" when their time is over
 * @param {object} [timers] replaced in tests
 * @returns {(words: string) => void} shows words in place of the former ones
 */
export function passing(show, { later = (act, ms) => setTimeout(act, ms), cancel = clearTimeout } = {}) {
    let timer;
    return (words) => {
        cancel(timer);
        show(words);
        timer = words === "" ? undefined : later(() => show(""), shownMs);
    };
}
