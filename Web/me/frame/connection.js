/** Whether the app hears the server, in words. Pure. */
import { age, clockTime } from "../../console/shared/time.js";
import { t } from "../../console/shared/words.js";

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
    const heard = own?.heardAt && new Date(own.heardAt).toISOString();
    const banner = heard ? t("me.app.notLive", { time: clockTime(heard, nowMs), age: age(heard, nowMs) })
        : t("me.app.neverLive");
    return { state: "waiting", words: t("me.app.offline"), banner };
}
