/** The place of the map in the panel. The map is loaded when the person wants it, and then follows the store. */
import { html, useEffect, usePage, useRef, useSlice, useState } from "../../console/shared/view.js";
import { t } from "../../console/shared/words.js";
import { shelf } from "../area/shelf.js";
import { headingNow } from "./heading.js";
import { isOld } from "./waywords.js";

/** The shortest time between two drawings of the phone's turns, in milliseconds. */
const showEveryMs = 250;

/** @param {{points: object[], way?: object, fix?: object}} properties */
export function MapFrame({ points, way, fix }) {
    const { isMapShown } = useSlice(({ isMapShown = false }) => ({ isMapShown }));
    const { store } = usePage();
    const toggle = () => store.set({ isMapShown: !isMapShown });
    return html`<button type="button" class="plain" id="way-map-button" aria-expanded=${String(isMapShown)}
            onClick=${toggle}>${t(isMapShown ? "me.way.hideMap" : "me.way.showMap")}</button>
        ${isMapShown && html`<${OpenMap} points=${points} way=${way} fix=${fix} />`}`;
}

function OpenMap({ points, way, fix }) {
    const { store, serverNow } = usePage();
    const { own, trail, compass, connection, wantedBox } = useSlice(
        ({ own, trail, compass, connection, wantedBox }) => ({ own, trail, compass, connection, wantedBox }));
    const container = useRef();
    const [map, setMap] = useState();
    const [message, setMessage] = useState(t("me.way.mapLoads"));
    const wanted = useRef();
    wanted.current = {
        regions: own?.regions, points, fix, way, trail, heading: headingNow({ compass, fix }),
        isStale: fix !== undefined && isOld(fix, serverNow()),
    };
    useEffect(() => {
        let isGone = false;
        let opened;
        openMap(container.current, wanted.current, (mapView) => store.set({ mapView })).then((found) => {
            if (isGone) { found.close(); return; }
            opened = found;
            globalThis.musterMap = found;
            found.show(wanted.current);
            setMap(found);
            setMessage("");
        }).catch((error) => { if (!isGone) { setMessage(error.message || t("me.way.mapFailed")); } });
        return () => { isGone = true; opened?.close(); store.set({ mapView: undefined }); };
    }, []);
    useEffect(() => { if (connection?.state === "live") { map?.completeGround(); } }, [map, connection?.state]);
    useEffect(() => {
        if (!map || !wantedBox) { return; }
        map.showBox(wantedBox);
        store.set({ wantedBox: undefined });
        container.current.scrollIntoView({ block: "center" });
    }, [map, wantedBox]);
    const timer = useRef();
    useEffect(() => {
        if (!map || timer.current !== undefined) { return; }
        timer.current = setTimeout(() => {
            timer.current = undefined;
            map.show(wanted.current);
        }, showEveryMs);
    }, [map, own?.regions, points, fix, way?.point.key, way?.metres, trail, compass]);
    useEffect(() => () => clearTimeout(timer.current), [map]);
    return html`<div class="map-frame way-map">
        <div class="map" ref=${container}></div>
        ${message && html`<p class="map-message" role="status">${message}</p>`}
        ${map && html`<button type="button" class="fit" id="way-fit" onClick=${() => map.showAll()}>${
            t("me.way.showMe")}</button>`}
    </div>`;
}

/** Loads the map's code, which the app does not need to open. */
async function openMap(container, wanted, viewed) {
    let OwnMap;
    try {
        ({ OwnMap } = await import("./map.js"));
    } catch (error) {
        throw new Error(t("me.way.mapFailed"), { cause: error });
    }
    return OwnMap.open(container, { shelf, wanted, viewed });
}
