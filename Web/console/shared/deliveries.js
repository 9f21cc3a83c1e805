/** The list of a person's own declarations, each with how far its delivery has come, as the outbox reports it. Pure. */

/** The states of a delivery that is over: it does not change any more. */
const over = new Set(["received", "refused", "cancelled"]);
/** The number of finished deliveries that stay in the list, the newest ones. */
const keptOver = 3;

/**
 * Adds or updates a delivery after a report of the outbox.
 * @param {import("./outbox.js").Delivery[]} deliveries in the order in which they were declared
 * @param {import("./outbox.js").Delivery & {at: number}} delivery
 */
export function withDelivery(deliveries, delivery) {
    const { id } = delivery.declaration;
    const isKnown = deliveries.some(({ declaration }) => declaration.id === id);
    const all = isKnown ? deliveries.map((each) => (each.declaration.id === id ? delivery : each))
        : [...deliveries, delivery];
    const surplus = all.filter(({ state }) => over.has(state)).length - keptOver;
    let dropped = 0;
    return all.filter(({ state }) => !over.has(state) || ++dropped > surplus);
}

/** The call that is being counted down and can still be cancelled; undefined if there is none. */
export function countingOf(deliveries) {
    return deliveries.findLast(({ state }) => state === "counting")?.declaration;
}

/** The deliveries that the server has not received yet. */
export function waitingOf(deliveries) {
    return deliveries.filter(({ state }) => !over.has(state));
}
