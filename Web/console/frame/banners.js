/**
 * What is said to everybody who looks: the page is not live, the server's disk is full, the server has a newer version,
 * an order went wrong.
 */
import { storageWords } from "../shared/storage.js";
import { clockTime, duration } from "../shared/time.js";
import { html, useSlice } from "../shared/view.js";
import { t } from "../shared/words.js";

export function Banners() {
    const { connection, storage, user, isOutdated } = useSlice(
        ({ connection, storage, user, isOutdated }) => ({ connection, storage, user, isOutdated }));
    const stored = storageWords(storage, user);
    const old = notLiveWords(connection);
    return html`
        <p id="not-live" class="not-live" role="alert" hidden=${old === ""}>${old}</p>
        <p id="storage" class="not-live" role="alert" hidden=${stored === ""}
            data-state=${storage && !storage.writable ? "unwritable" : "low"}>${stored}</p>
        <p id="new-version" class="notice" role="status" hidden=${!isOutdated}>${isOutdated && html`${
    t("version.newer")} <button type="button" class="plain control" onClick=${() => location.reload()}>${
    t("version.reload")}</button>`}</p>`;
}

/** Says large that what is shown may be old; a first attempt after a cut leaves it said. */
function notLiveWords({ state, wasLiveMs }) {
    if (state === "refused") { return t("connection.bannerRefused"); }
    if (state === "live" || wasLiveMs === undefined) { return ""; }
    return t("connection.banner", { time: clockTime(new Date(wasLiveMs).toISOString()) });
}

/** What went wrong, and what the server has. */
export function Sayings() {
    const { notice, said, live, user } = useSlice(({ notice, said, live, user }) => ({ notice, said, live, user }));
    const words = [serverClockWords(live.serverClock, user), notice].filter(Boolean).join(" ");
    return html`<p id="notice" class="notice" role="alert" hidden=${words === ""}>${words}</p>
        <p id="said" class="said" role="status">${said}</p>`;
}

/** Leaders and admins are told that the server suspects its own clock: times and silences may then be wrong. */
function serverClockWords(clock, user) {
    if (!clock?.suspect || user?.role === "member") { return ""; }
    const off = duration(Math.abs(clock.aheadSeconds));
    return t(clock.aheadSeconds < 0 ? "serverClock.behind" : "serverClock.ahead",
        { duration: off, count: clock.devices });
}
