/** The map and what stands on it. The map follows the store by itself: no component is drawn when somebody moves. */
import { Person } from "../person/person.js";
import { coveredBelow } from "../person/sheet.js";
import { whenPainted } from "../shared/painted.js";
import { firstScreen } from "../shared/route.js";
import { emptyState } from "../shared/state.js";
import { html, useEffect, usePage, useRef, useSlice, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { preloadLibrary } from "./ground.js";
import { LiveMap } from "./map.js";
import { PileList } from "./pilelist.js";
import { useMap } from "./usemap.js";

/** So long at least between two looks of the map at the state: it has more to do than the list. */
const showEveryMs = 250;
/** The map waits for the list; where the server gives none, for no longer than this. */
const listLimitMs = 3000;

export function MapPanel() {
    const page = usePage();
    const [piles, setPiles] = useState([]);
    const [opened, setOpened] = useState();
    const open = (element) => LiveMap.open(element, page.chooseOnMap, () => coveredBelow(
        element.getBoundingClientRect(), document.getElementById("person")?.getBoundingClientRect()), {
        report: setPiles, open: (pile) => setOpened([pile]) });
    const { container, map, message } = useMap(open, (opened) => {
        const end = follow(opened, page.store);
        page.setMap(opened);
        return () => {
            page.setMap(undefined);
            end();
        };
    }, useListShown());
    useMapInSight(container);
    return html`<section class="place" aria-labelledby="map-title">
        <h2 id="map-title" class="visually-hidden">${t("map.title")}</h2>
        <div class="map-frame">
            <div id="map" class="map" ref=${container}></div>
            ${message && html`<p id="map-message" class="map-message">${message}</p>`}
            ${map && html`<button type="button" id="fit" class="fit" onClick=${() => map.fit()}>${
        t("map.showAll")}</button>`}
            ${map && html`<${PileList} piles=${piles} opened=${opened} open=${setOpened} />`}
        </div>
        <${Person} />
    </section>`;
}

/** Whether the list was seen: to open a map keeps a slow machine busy, and whom to look for stands in the list. */
function useListShown() {
    const { store } = usePage();
    const [isShown, setShown] = useState(false);
    useEffect(() => {
        preloadLibrary();
        let cancel = () => {};
        const show = () => setShown(true);
        const look = ({ live }) => {
            if (live === emptyState) { return; }
            end();
            cancel = whenPainted(show);
        };
        const end = store.subscribe(look);
        look(store.value);
        const timer = setTimeout(show, listLimitMs);
        return () => { end(); cancel(); clearTimeout(timer); };
    }, [store]);
    return isShown;
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
    /** Ends the waiting for a choice to be seen; undefined while nothing waits for one. */
    let cancel;
    let before = {};
    const stop = () => {
        clearTimeout(timer);
        timer = undefined;
        cancel?.();
        cancel = undefined;
        map.wake();
    };
    const look = (value) => {
        // Behind another screen nothing is drawn.
        if (value.route.screen !== firstScreen) { stop(); isBehind = true; return; }
        if (isBehind) { isBehind = false; before = value; map.completeGround(); show(); return; }
        const isChosen = value.selection !== before.selection || value.track?.choice !== before.track?.choice;
        if (value.connection !== before.connection && value.connection.state === "live") { map.completeGround(); }
        before = value;
        // What the person who looks chose is shown next, once it is seen in the list.
        if (isChosen) {
            stop();
            map.rest();
            cancel = whenPainted(() => { stop(); show(); });
            return;
        }
        if (cancel) { return; }
        timer ??= setTimeout(show, Math.max(0, shownMs + Math.max(showEveryMs, 5 * cost) - performance.now()));
    };
    show();
    // Somebody was chosen before there was a map.
    if (!isTrackShown(store.value)) { map.flyTo(store.value.selection?.user); }
    const end = store.subscribe(look);
    return () => { end(); stop(); };
}
