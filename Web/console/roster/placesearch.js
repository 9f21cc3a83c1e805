/** Places found by their names: regions, the server's own places, and towns of the map. Nothing is asked elsewhere. */
import { drawable, labelPoint } from "../shared/drawing.js";
import { byName, legible, shortened } from "../shared/text.js";
import { html, useEffect, useMemo, usePage, useSlice, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { folded } from "./order.js";

/** From so many characters on places are looked for. */
const leastCharacters = 2;
/** As many places are offered. */
const shownLimit = 6;
/** As many of the server's own places are read: `lt_places` may have millions. */
const ownLimit = 2000;
const longestName = 60;
/** How near the map goes to each kind of place. */
const zooms = { region: 16, own: 16, town: 11 };

/**
 * @typedef {object} Place
 * @property {"region"|"own"|"town"} kind
 * @property {string} name
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
        // A town may lie in several tiles.
        const key = `${place.kind} ${place.name} ${place.place.map((number) => number.toFixed(2))}`;
        found.set(key, { place, order: (isStart ? 0 : kinds.length) + kinds.indexOf(place.kind) });
    }
    return [...found.values()].sort((left, right) => left.order - right.order
        || byName(left.place.name, right.place.name)).slice(0, limit).map(({ place }) => place);
}

/** Regions as places. Pure. @param {Map<string, object>} regions as in `State.regions` @returns {Place[]} */
export function placesOfRegions(regions) {
    return [...regions.values()].flatMap(({ name, id, geometry, radius }) => {
        const shape = drawable(geometry, radius);
        return shape ? [{ kind: "region", name: name || id, place: labelPoint(shape) }] : [];
    });
}

/** The documents of `lt_places` as places; those without a name or a point are left out. Pure. @returns {Place[]} */
export function placesOfDocuments({ rows }) {
    return (rows ?? []).flatMap(({ doc }) => {
        const { name, geometry, properties } = doc ?? {};
        const called = [name, properties?.name].find((each) => typeof each === "string" && each.trim() !== "");
        const [longitude, latitude] = geometry?.type === "Point" ? geometry.coordinates : [];
        const isPlace = called !== undefined && Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90;
        return isPlace ? [{ kind: "own", name: called, place: [longitude, latitude] }] : [];
    });
}

/** The places that the text of the search finds; a press on one moves the map there. @param {{text: string}} props */
export function PlaceHits({ text }) {
    const page = usePage();
    const regions = useSlice(({ live }) => live.regions);
    const isWanted = text.trim().length >= leastCharacters;
    const own = useOwnPlaces(isWanted);
    const found = useMemo(() => (isWanted && page.map ? placesNamed(text, [
        ...placesOfRegions(regions), ...own, ...page.map.towns()]) : []), [text, regions, own, isWanted]);
    if (found.length === 0) { return undefined; }
    const show = ({ place, kind }) => {
        document.getElementById("map")?.scrollIntoView({ block: "nearest" });
        page.map?.flyToPlace(place, zooms[kind]);
    };
    return html`<ul id="place-hits" class="place-hits" aria-label=${t("search.places")}>${found.map((place) => html`
        <li key=${`${place.kind} ${place.name} ${place.place}`}><button type="button" class="plain"
            onClick=${() => show(place)}>${legible(shortened(place.name, longestName))} <span class="quiet">${
    t(`search.${place.kind}`)}</span></button></li>`)}</ul>`;
}

/** The server's own places, read once somebody searches; none where it has none, or does not answer. */
function useOwnPlaces(isWanted) {
    const { request } = usePage();
    const [places, setPlaces] = useState(none);
    useEffect(() => {
        if (!isWanted || places !== none) { return; }
        request(`../../couchdb/lt_places/_all_docs?include_docs=true&limit=${ownLimit}`)
            .then((response) => response.json()).then((answer) => setPlaces(placesOfDocuments(answer)), () => {});
    }, [isWanted]);
    return places;
}

const none = [];
