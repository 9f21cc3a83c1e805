/** Reading, storing and removing a region of the server's. */
import { Problem } from "../shared/http.js";
import { legible } from "../shared/text.js";
import { t } from "../shared/words.js";
import { regionsPath } from "./addresses.js";

/** A shape of many vertices takes its time. */
const limitMs = 30_000;

/** The conditions under which an edit is stored: that nobody changed the region since it was read. */
export function conditionsOf(base) {
    if (!base) { return { "If-None-Match": "*" }; }
    return base.etag ? { "If-Match": base.etag } : {};
}

/**
 * A region as it is now.
 * @returns {Promise<{feature: object, etag: string|null}|undefined>} undefined where there is none
 * @throws as `request`
 */
export async function readRegion(request, collection, id) {
    try {
        const response = await request(regionsPath(collection, id));
        return { feature: await response.json(), etag: response.headers.get("ETag") };
    } catch (error) {
        if (error instanceof Problem && error.status === 404) { return undefined; }
        throw error;
    }
}

/** The order that stores a region where nobody changed it meanwhile. */
export function saveOrder(collection, id, feature, base) {
    const name = legible(feature.properties.name ?? id);
    return {
        path: regionsPath(collection, id), method: "PUT", body: feature, headers: conditionsOf(base), limitMs,
        words: t("regions.order.save", { name }),
    };
}

/** The order that removes a region. */
export function removeOrder(collection, id, base) {
    return {
        path: regionsPath(collection, id), method: "DELETE", headers: conditionsOf(base), limitMs,
        words: t("regions.order.remove", { name: legible(base.feature.properties.name ?? id) }),
    };
}
