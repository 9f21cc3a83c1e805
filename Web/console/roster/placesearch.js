/** Places found by their names: regions, the server's own places, and towns of the map. Nothing is asked elsewhere. */
import { drawable, labelPoint } from "../shared/drawing.js";
import { regionKey } from "../shared/state.js";
import { byName, legible, shortened } from "../shared/text.js";
import { html, useEffect, useMemo, usePage, useSlice, useState } from "../shared/view.js";
import { listed, t } from "../shared/words.js";
import { folded } from "./order.js";
import { OwnPlaces } from "./ownplaces.js";

/** From so many characters on places are looked for. */
const leastCharacters = 2;
/** As many places are offered. */
const shownLimit = 6;
const longestName = 60;
/** How near the map goes to each kind of place. */
const zooms = { region: 16, own: 16, town: 11 };

/**
 * @typedef {object} Place
 * @property {"region"|"own"|"town"} kind
 * @property {string} name
 * @property {string} [id] names a region among the regions, as `collection/id`, and an own place among those
 * @property {string} [collection] of a region
 * @property {string[]} [names] by which it is found besides
 * @property {[number, number]} place longitude and latitude
 */

/**
 * The places whose names have a text: those that begin with it first, then regions, own places and towns, then by name.
 * Pure.
 * @param {string} text as it was typed
 * @param {Place[]} places
 * @param {number} [limit]
 * @returns {Place[]} none for a text that is too short
 */
export function placesNamed(text, places, limit = shownLimit) {
    const needle = folded(text);
    if (needle.length < leastCharacters) { return []; }
    const kinds = Object.keys(zooms);
    const found = new Map();
    for (const place of places) {
        const names = [place.name, ...place.names ?? []].map((name) => folded(name));
        if (!names.some((name) => name.includes(needle))) { continue; }
        const isStart = names.some((name) => name.startsWith(needle));
        found.set(keyOf(place), { place, order: (isStart ? 0 : kinds.length) + kinds.indexOf(place.kind) });
    }
    return [...found.values()].sort((left, right) => left.order - right.order
        || byName(left.place.name, right.place.name)).slice(0, limit).map(({ place }) => place);
}

/** What names a place among those that are found. A town may lie in several tiles: it is one by its name and place. */
function keyOf({ kind, id, name, place }) {
    return `${kind} ${kind === "town" ? `${name} ${place.map((number) => number.toFixed(2))}` : id}`;
}

/** Regions as places. Pure. @param {Map<string, object>} regions as in `State.regions` @returns {Place[]} */
export function placesOfRegions(regions) {
    return [...regions.values()].flatMap((region) => {
        const { name, id, collection, geometry, radius } = region;
        const shape = drawable(geometry, radius);
        const found = { kind: "region", id: regionKey(region), collection, name: name || id };
        return shape ? [{ ...found, place: labelPoint(shape) }] : [];
    });
}

/** The places that the text of the search finds; a press on one moves the map there. @param {{text: string}} props */
export function PlaceHits({ text }) {
    const page = usePage();
    const regions = useSlice(({ live }) => live.regions);
    const isWanted = text.trim().length >= leastCharacters;
    const { places: own, isCut } = useOwnPlaces(isWanted);
    const ofRegions = useMemo(() => (isWanted ? placesOfRegions(regions) : []), [regions, isWanted]);
    const found = useMemo(() => (isWanted && page.map
        ? placesNamed(text, [...ofRegions, ...own, ...page.map.towns()]) : []), [text, ofRegions, own, isWanted]);
    const cut = isWanted && isCut
        && html`<p id="place-cut" class="quiet place-cut">${t("search.ownCut", { count: own.length })}</p>`;
    if (found.length === 0) { return cut || undefined; }
    const show = ({ place, kind }) => {
        document.getElementById("map")?.scrollIntoView({ block: "nearest" });
        page.map?.flyToPlace(place, zooms[kind]);
    };
    return html`<ul id="place-hits" class="place-hits" aria-label=${t("search.places")}>${found.map((place) => html`
        <li key=${keyOf(place)}><button type="button" class="plain"
            onClick=${() => show(place)}>${legible(shortened(place.name, longestName))} <span class="quiet">${
    listed([t(`search.${place.kind}`), place.collection && legible(place.collection)])}</span></button></li>`)}</ul>${
    cut}`;
}

/** The server's own places, read once somebody searches. */
function useOwnPlaces(isWanted) {
    const { request } = usePage();
    const own = useMemo(() => new OwnPlaces({ request }), []);
    const [found, setFound] = useState(own.found);
    useEffect(() => { if (isWanted) { own.read().then(setFound); } }, [isWanted]);
    return found;
}
