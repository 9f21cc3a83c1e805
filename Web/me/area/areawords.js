/** The texts of the panel for downloaded areas. Pure. */
import { wayTo } from "../../console/shared/drawing.js";
import { lengthWords } from "../../console/shared/length.js";
import { clockTime } from "../../console/shared/time.js";
import { listed, t } from "../../console/shared/words.js";

/** For example `12 MB`. */
export function sizeWords(bytes) {
    const megabytes = bytes / 1_000_000;
    return t("me.area.megabytes", { count: megabytes < 10 ? Math.round(megabytes * 10) / 10 : Math.round(megabytes) });
}

/** For example `2.1 km × 1.4 km`. */
export function extentWords([west, south, east, north]) {
    const middle = (south + north) / 2;
    const wide = wayTo([west, middle], [west + Math.min(east - west, 179), middle]).distanceMetres;
    const high = wayTo([west, south], [west, north]).distanceMetres;
    return t("me.area.extent", { width: lengthWords(wide), height: lengthWords(high) });
}

/** A level in a list of choices, for example `15: 1,240 tiles, ≈ 18 MB`. */
export function levelWords({ topZoom, tiles, bytes }) {
    return t("me.area.level", { level: topZoom, tiles: tilesWords(tiles), size: sizeWords(bytes) });
}

export function tilesWords(count) { return t("me.area.tiles", { count }); }

/** The state of an area, and when it was downloaded. */
export function areaWords({ about, isComplete, isDamaged, count, bytes, changedMs }, nowMs) {
    if (isDamaged) { return t("me.area.damaged"); }
    if (!about.box) { return t("me.area.beingWritten"); }
    const when = clockTime(new Date(changedMs).toISOString(), nowMs);
    const how = isComplete ? t("me.area.downloaded", { time: when })
        : t("me.area.partial", { count, total: tilesWords(about.tiles) });
    return listed([how, extentWords(about.box), t("me.area.toLevel", { level: about.topZoom }), sizeWords(bytes)]);
}

/** The progress of a download. */
export function progressWords({ done, total, bytes, isWaiting }) {
    const how = t("me.area.progress", { count: done, total: tilesWords(total), size: sizeWords(bytes) });
    return isWaiting ? `${how} ${t("me.area.waits")}` : how;
}

/** How a download ended; empty for a download that was only paused. */
export function endWords({ outcome, missing = 0 }) {
    if (outcome === "complete") {
        return missing > 0 ? t("me.area.ended.completeBut", { count: missing }) : t("me.area.ended.complete");
    }
    return outcome === "paused" ? "" : t(`me.area.ended.${outcome}`);
}
