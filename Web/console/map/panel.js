/** The map and what stands on it. The map follows the store by itself: no component is drawn when somebody moves. */
import { Person } from "../person/person.js";
import { coveredBelow } from "../person/sheet.js";
import { firstScreen } from "../shared/route.js";
import { html, useEffect, usePage, useRef, useSlice } from "../shared/view.js";
import { t } from "../shared/words.js";
import { LiveMap } from "./map.js";
import { useMap } from "./usemap.js";

/** So long at least between two looks of the map at the state: it has more to do than the list. */
const showEveryMs = 250;

export function MapPanel() {
    const page = usePage();
    const open = (element) => LiveMap.open(element, page.chooseOnMap, () => coveredBelow(
        element.getBoundingClientRect(), document.getElementById("person")?.getBoundingClientRect()));
    const { container, map, message } = useMap(open, (opened) => {
        const end = follow(opened, page.store);
        page.setMap(opened);
        return () => {
            page.setMap(undefined);
            end();
        };
    });
    useMapInSight(container);
    return html`<section class="place" aria-labelledby="map-title">
        <h2 id="map-title" class="visually-hidden">${t("map.title")}</h2>
        <div class="map-frame">
            <div id="map" class="map" ref=${container}></div>
            ${message && html`<p id="map-message" class="map-message">${message}</p>`}
            ${map && html`<button type="button" id="fit" class="fit" onClick=${() => map.fit()}>${
        t("map.showAll")}</button>`}
        </div>
        <${Person} />
    </section>`;
}

/**
 * Brings the map in sight for somebody who asked to see a person on it: on a phone it may be far down the page. It goes
 * to the foot of the screen, because calls for help cover the upper half.
 */
function useMapInSight(container) {
    const { selection, isShown } = useSlice(({ selection, route }) => (
        { selection, isShown: route.screen === firstScreen }));
    /** The wish that the page has fulfilled: who comes back to the list later stays there. */
    const fulfilled = useRef();
    useEffect(() => {
        if (!isShown || !selection?.isMapWanted || fulfilled.current === selection) { return; }
        fulfilled.current = selection;
        container.current.scrollIntoView({ block: "end" });
    }, [selection, isShown]);
}

/** Whether the map shows a whole track. A move to the person's present place would take the track out of sight. */
export function isTrackShown({ track }) {
    return Boolean(track?.track.isLoaded) && track.track.points.length > 0;
}

/** Shows what the store holds on the map, and follows its changes. @returns {() => void} ends the following */
function follow(map, store) {
    let timer;
    let shownMs = -Infinity;
    let fitted;
    const show = () => {
        timer = undefined;
        const began = performance.now();
        const { live, selection, track } = store.value;
        map.show(live);
        map.select(selection?.user);
        map.showTrack(track?.track);
        if (track?.track.isLoaded && track.choice !== fitted) {
            fitted = track.choice;
            map.fitTrack(track.track);
        }
        shownMs = performance.now();
        cost = shownMs - began;
    };
    let cost = 0;
    let isBehind = false;
    let before = {};
    const look = (value) => {
        // Behind another screen nothing is drawn.
        if (value.route.screen !== firstScreen) { clearTimeout(timer); timer = undefined; isBehind = true; return; }
        if (isBehind) { isBehind = false; before = value; map.completeGround(); show(); return; }
        // What the person who looks chose is shown at once.
        const isChosen = value.selection !== before.selection || value.track !== before.track;
        if (value.connection !== before.connection && value.connection.state === "live") { map.completeGround(); }
        before = value;
        if (isChosen) { clearTimeout(timer); show(); return; }
        timer ??= setTimeout(show, Math.max(0, shownMs + Math.max(showEveryMs, 5 * cost) - performance.now()));
    };
    show();
    // Somebody was chosen before there was a map.
    if (!isTrackShown(store.value)) { map.flyTo(store.value.selection?.user); }
    const end = store.subscribe(look);
    return () => { end(); clearTimeout(timer); };
}
