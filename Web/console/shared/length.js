/** Lengths as a person reads them, in the units of their country. Pure. */
import { currentLocale, t } from "./words.js";

/** The countries whose signs show feet and miles. */
const imperialRegions = new Set(["US", "LR", "MM"]);
const metresPerFoot = 0.3048;
const metresPerMile = 1609.344;

/** Whether people of a locale read feet and miles. */
export function isImperial(locale = currentLocale()) {
    try {
        return imperialRegions.has(new Intl.Locale(locale).maximize().region) && locale.includes("-");
    } catch {
        return false;
    }
}

/** `340 m`, `2.1 km`; `1,100 ft`, `1.3 mi` where those are read. */
export function lengthWords(metres, locale = currentLocale()) {
    if (isImperial(locale)) {
        const feet = metres / metresPerFoot;
        return feet < 3000 ? t("length.feet", { count: rounded(feet) })
            : t("length.miles", { count: tenth(metres / metresPerMile) });
    }
    // 995 m rounds to 1 km.
    return metres < 995 ? t("length.metres", { count: rounded(metres) })
        : t("length.kilometres", { count: tenth(metres / 1000) });
}

/** Two digits that count: 7, 43, 340, 1100. */
function rounded(length) {
    const step = length < 100 ? 1 : length < 1000 ? 10 : 100;
    return Math.round(length / step) * step;
}

function tenth(length) {
    return length < 100 ? Math.round(length * 10) / 10 : Math.round(length);
}
