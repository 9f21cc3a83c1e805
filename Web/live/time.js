/** Times as a person reads them: local on the page, UTC in the title. */

const clock = new Intl.DateTimeFormat(undefined, {
    hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23",
});
const shortClock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });

/** `12:03:07`, with the day before it when it is another than today's; a dash for no time. */
export function clockTime(text, nowMs = Date.now()) {
    return onItsDay(clock, text, nowMs);
}

/** The same without seconds: `12:03`. */
export function minuteTime(text, nowMs = Date.now()) {
    return onItsDay(shortClock, text, nowMs);
}

function onItsDay(format, text, nowMs) {
    const time = new Date(text ?? NaN);
    if (Number.isNaN(time.getTime())) { return "–"; }
    const isToday = time.toDateString() === new Date(nowMs).toDateString();
    return isToday ? format.format(time) : `${day.format(time)} ${format.format(time)}`;
}

/** `3 min ago`. What lies in the future, by a clock that is off, is "now". */
export function age(text, nowMs) {
    const seconds = Math.round((nowMs - Date.parse(text ?? "")) / 1000);
    if (Number.isNaN(seconds)) { return "never"; }
    if (seconds < 5) { return "now"; }
    if (seconds < 60) { return `${seconds} s ago`; }
    if (seconds < 3600) { return `${Math.floor(seconds / 60)} min ago`; }
    if (seconds < 48 * 3600) { return `${Math.floor(seconds / 3600)} h ago`; }
    return `${Math.floor(seconds / 86_400)} days ago`;
}

/** `5 min`, of seconds. */
export function duration(seconds) {
    if (seconds < 120) { return `${Math.round(seconds)} s`; }
    if (seconds < 7200) { return `${Math.round(seconds / 60)} min`; }
    if (seconds < 48 * 3600) { return `${Math.round(seconds / 3600)} h`; }
    return `${Math.round(seconds / 86_400)} days`;
}

/** Shows a time in a `<time>` element. */
export function showTime(element, text, shown) {
    element.textContent = shown;
    if (Number.isNaN(Date.parse(text ?? ""))) {
        element.removeAttribute("datetime");
        element.removeAttribute("title");
        return;
    }
    const universal = new Date(text).toISOString();
    element.dateTime = universal;
    element.title = `${universal.replace("T", " ").replace(/\.\d+Z$/, "")} UTC`;
}
