/** Times as a person reads them: local on the page, UTC in the title. */
import { currentLanguage, currentLocale, listed, t } from "./words.js";

/** The formats of a language, made once: making one takes longer than using it a thousand times. */
const made = new Map();
/** The clock of the page: it decides which day today is. */
let pageNow = () => Date.now();

/**
 * Makes the page keep the time of another clock than this device's, whose day may be wrong.
 * @param {() => number} now the server's time in milliseconds
 */
export function keepTimeBy(now) { pageNow = now; }

/** The day that it is now, in the reader's time zone: a text, the same for all of that day. */
export function today() { return dayOf(pageNow()); }

function dayOf(moment) {
    return new Date(moment).toDateString();
}

function formats() {
    // A format keeps the time zone in which it was made, and a device may be carried into another one.
    const key = `${currentLanguage()} ${new Date().getTimezoneOffset()}`;
    if (!made.has(key)) {
        const locale = currentLocale();
        made.set(key, {
            clock: new Intl.DateTimeFormat(locale, {
                hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23",
            }),
            shortClock: new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
            whole: new Intl.DateTimeFormat(locale, {
                year: "numeric", month: "short", day: "numeric",
                hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23",
            }),
            day: new Intl.DateTimeFormat(locale, { day: "numeric", month: "short" }),
            zone: new Intl.DateTimeFormat(locale, { timeZoneName: "long" }),
            dayOfYear: new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", year: "numeric" }),
        });
    }
    return made.get(key);
}

/**
 * `12:03:07`, with the day before it when it is another than today's, and the year when it is another than this one; a
 * dash for no time.
 */
export function clockTime(text, nowMs = pageNow()) {
    return onItsDay(formats().clock, text, nowMs);
}

/** `21 Nov 2026, 12:03:07`: for a time that must not be taken for another day's. */
export function wholeTime(ms) {
    return formats().whole.format(new Date(ms));
}

/**
 * The time zone in which times are shown, by its name and its distance from UTC at a time: `Central European Standard
 * Time, UTC+01:00`.
 */
export function zoneWords(ms = pageNow()) {
    const moment = new Date(ms);
    const name = formats().zone.formatToParts(moment).find(({ type }) => type === "timeZoneName")?.value;
    const minutes = -moment.getTimezoneOffset();
    const two = (number) => String(Math.floor(number)).padStart(2, "0");
    const distance = Math.abs(minutes);
    const offset = minutes === 0 ? "UTC"
        : `UTC${minutes < 0 ? "−" : "+"}${two(distance / 60)}:${two(distance % 60)}`;
    // Where the browser knows no name of the zone, its name is a distance, too.
    return listed([name && !/^(UTC|GMT)/.test(name) && name, offset]);
}

/** A clock's time without seconds: `12:03`. */
export function minuteTime(text, nowMs = pageNow()) {
    return onItsDay(formats().shortClock, text, nowMs);
}

function onItsDay(format, text, nowMs) {
    const time = new Date(text ?? NaN);
    if (Number.isNaN(time.getTime())) { return "–"; }
    if (dayOf(time) === dayOf(nowMs)) { return format.format(time); }
    const { day, dayOfYear } = formats();
    const isThisYear = time.getFullYear() === new Date(nowMs).getFullYear();
    return `${(isThisYear ? day : dayOfYear).format(time)} ${format.format(time)}`;
}

/** `3 min ago`. What lies in the future, by a clock that is off, is "now". */
export function age(text, nowMs) {
    const seconds = Math.round((nowMs - Date.parse(text ?? "")) / 1000);
    if (Number.isNaN(seconds)) { return t("time.never"); }
    if (seconds < 5) { return t("time.now"); }
    if (seconds < 60) { return t("time.secondsAgo", { count: seconds }); }
    if (seconds < 3600) { return t("time.minutesAgo", { count: Math.floor(seconds / 60) }); }
    if (seconds < 48 * 3600) { return t("time.hoursAgo", { count: Math.floor(seconds / 3600) }); }
    return t("time.daysAgo", { count: Math.floor(seconds / 86_400) });
}

/** `5 min`, of seconds. */
export function duration(seconds) {
    if (seconds < 120) { return t("time.seconds", { count: Math.round(seconds) }); }
    if (seconds < 7200) { return t("time.minutes", { count: Math.round(seconds / 60) }); }
    if (seconds < 48 * 3600) { return t("time.hours", { count: Math.round(seconds / 3600) }); }
    return t("time.days", { count: Math.round(seconds / 86_400) });
}

/** A number of seconds as a running time, such as `4:07` or `1:04:07`. */
export function stopwatch(seconds) {
    const whole = Math.max(0, Math.floor(seconds));
    const two = (number) => String(number).padStart(2, "0");
    const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
    return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** A time as an `input` of the type `datetime-local` takes it, in the reader's time zone. */
export function localText(ms) {
    const date = new Date(ms);
    return new Date(ms - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** The attributes of a `<time>` element: its time by the machine, and in UTC for who points at it; none for no time. */
export function timeAttributes(text) {
    if (Number.isNaN(Date.parse(text ?? ""))) { return {}; }
    const universal = new Date(text).toISOString();
    return { dateTime: universal, title: `${universal.replace("T", " ").replace(/\.\d+Z$/, "")} UTC` };
}
