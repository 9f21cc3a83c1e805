/** Says in words whether the server has received a person's declaration. Pure. */
import { t } from "./words.js";

/** How far the delivery of a declaration has come, in words. */
export function deliveryWords({ declaration, state, reason, isLate }, time) {
    const spoken = t(`spoken.${declaration.kind}`);
    const what = declaration.note ? `${spoken} (${declaration.note})` : spoken;
    switch (state) {
        case "sending": return t("delivery.sending", { what });
        case "failed": return t("delivery.failed", { what, reason: reason ?? t("problem.noConnection") });
        case "refused": return t("delivery.refused", { what, reason });
        case "received": return t(isLate ? "delivery.receivedLate" : "delivery.received", { what, time });
        case "cancelled": return t("delivery.cancelled");
        case "tooShort": return t("delivery.tooShort");
        default: return "";
    }
}
