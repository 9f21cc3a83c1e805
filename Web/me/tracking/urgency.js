/** The urgent times, in which each fix counts because somebody may be looking for this person. Pure. */
import { callKind, isCalling } from "../declarations/deliverylines.js";

/**
 * @param {import("../own.js").Own|undefined} own the store's part `own`: what the server last said
 * @param {import("../../console/shared/outbox.js").Delivery[]} [deliveries] what the person declared here; a call for
 *     help counts also while it waits on the phone
 */
export function isUrgent(own, deliveries = []) {
    // Whose check-in is overdue is looked for as well.
    return (own?.incidents?.length ?? 0) > 0 || isCalling(own?.member) || callKind(deliveries, own) !== undefined
        || own?.member?.timer?.happened === "overdue";
}
