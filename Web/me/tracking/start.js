/** Tracking as a part of the app, which works also while its tab is not open. */
import { start as startTracking } from "./tracking.js";

/**
 * Tracks the signed-in user.
 * @param {{store: object, request: Function, serverNow: Function, ownRead?: Promise, tracking?: object}} page the
 *     actions that a person can take are added as `tracking`
 * @returns {() => Promise<void>} ends tracking; settles once nothing more is written
 */
export function start(page) {
    const { store, request, serverNow, ownRead } = page;
    page.tracking = startTracking({ store, request, serverNow, ownRead, user: store.value.user.name });
    return page.tracking;
}
