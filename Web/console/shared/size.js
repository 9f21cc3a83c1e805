/** Sizes of files and memory, in words. Pure. */
import { t } from "./words.js";

/** For example `1.4 GB`, `57.3 GB`, `350 MB`, `12 kB`; in decimal units, as makers of disks count. */
export function sizeWords(bytes) {
    if (bytes >= 1e9) { return t("size.gigabytes", { count: rounded(bytes / 1e9) }); }
    if (bytes >= 1e6) { return t("size.megabytes", { count: rounded(bytes / 1e6) }); }
    return t("size.kilobytes", { count: Math.max(bytes > 0 ? 1 : 0, Math.round(bytes / 1e3)) });
}

function rounded(number) {
    return number < 100 ? Math.round(number * 10) / 10 : Math.round(number);
}
