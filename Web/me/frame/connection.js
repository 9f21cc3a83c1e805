/** Whether the app hears the server, in words. Pure. */
import { age, clockTime } from "../../console/shared/time.js";
import { t } from "../../console/shared/words.js";

/** An age that is as good as none, in milliseconds. */
const justNowMs = 5000;

/**
 * @param {{state: string, wasLiveMs?: number}} connection
 * @param {import("../own.js").Own|undefined} own
 * @param {number} nowMs the server's time
 * @returns {{state: string, words: string, banner: string}} `banner` is shown large if the shown state may be old
 */
export function connectionWords({ state, wasLiveMs }, own, nowMs) {
    if (state === "live") { return { state, words: t("connection.live"), banner: "" }; }
    if (state === "refused") {
        return { state, words: t("connection.refused"), banner: t("connection.bannerRefused") };
    }
    // The first attempt after an interruption keeps the time since which the page is not live.
    if (state === "connecting" && wasLiveMs === undefined) {
        return { state, words: t("connection.connecting"), banner: "" };
    }
    return { state: "waiting", words: t("me.app.offline"), banner: bannerWords(own?.heardAt, nowMs) };
}

/** Since when there is no connection; how long that is only once it is worth telling. */
function bannerWords(heardAt, nowMs) {
    if (!heardAt) { return t("me.app.neverLive"); }
    const heard = new Date(heardAt).toISOString();
    const time = clockTime(heard, nowMs);
    return nowMs - heardAt < justNowMs ? t("me.app.notLiveNow", { time })
        : t("me.app.notLive", { time, age: age(heard, nowMs) });
}
