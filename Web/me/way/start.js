/**
 * Keeps ready what the way needs from the server and the phone, also while another tab of the app is shown: the
 * collections that the team's tracker is linked to, the trail of the last hour, and the map's tiles around the assembly
 * points.
 */
import { bounds } from "../../console/shared/drawing.js";
import { root } from "../../console/shared/http.js";
import { assemblyPoints } from "./assembly.js";
import { withFix } from "./trail.js";

/** The time between two writings of the trail, in milliseconds; after a restart the trail's end may be missing. */
const keepEveryMs = 60_000;

/**
 * @param {{store: import("../../console/shared/store.js").Store, request: Function, serverNow: () => number,
 *     cache: {read: Function, write: Function}}} page
 * @returns {() => void} ends the part
 */
export function start({ store, request, serverNow, cache }) {
    const ended = new AbortController();
    let shown = {};
    let keptMs = serverNow();
    const isHere = () => !ended.signal.aborted;

    const readKept = async () => {
        const [linked, trail] = await Promise.all(["linked", "trail"].map((name) =>
            cache.read(name).catch(() => undefined)));
        if (!isHere()) { return; }
        store.set(({ linked: now, trail: since = [] }) => ({
            linked: now ?? linked, trail: since.reduce(withFix, Array.isArray(trail) ? trail : []),
        }));
    };
    const askLinks = async () => {
        try {
            const { items } = await (await request("trackers")).json();
            const linked = { collections: items.flatMap(({ collections }) => collections) };
            if (!isHere()) { return; }
            store.set({ linked });
            await cache.write("linked", linked);
        } catch {
            // The known values stay, and the next state of the server causes another request.
        }
    };
    const warm = async (own) => {
        if (!navigator.serviceWorker?.controller || navigator.connection?.saveData) { return; }
        const rings = assemblyPoints({ ...own, collections: store.value.linked?.collections })
            .flatMap(({ box }) => [[box.west, box.south], [box.east, box.north]]);
        const box = bounds(rings);
        if (!box || !isHere()) { return; }
        // The app needs neither to open.
        const [{ loadIndex }, { warmTiles }] = await Promise.all([
            import("../../console/map/tileindex.js"), import("../area/warm.js"),
        ]);
        await warmTiles({ box: box.flat(), index: await loadIndex(), root, signal: ended.signal });
    };
    const follow = (fix) => {
        const { trail = [] } = store.value;
        const longer = withFix(trail, fix);
        if (longer === trail) { return; }
        store.set({ trail: longer });
        if (serverNow() - keptMs < keepEveryMs) { return; }
        keptMs = serverNow();
        cache.write("trail", longer).catch(() => {});
    };
    const look = ({ own, fix, connection }) => {
        const isLive = connection?.state === "live";
        if (fix !== shown.fix) { follow(fix); }
        if (isLive && own && (own.regions !== shown.regions || !shown.isLive)) {
            askLinks().then(() => warm(own)).catch(() => {});
        }
        shown = { fix, regions: own?.regions, isLive: isLive && own !== undefined };
    };
    readKept().catch(() => {});
    const unsubscribe = store.subscribe(look);
    look(store.value);
    return () => {
        ended.abort();
        unsubscribe();
        store.set({ linked: undefined, trail: [] });
    };
}
