/**
 * What every map of the page has: MapLibre GL JS, the ground beneath what is drawn, and its controls. Ground, letters
 * and pictures come from this server: it works with no internet.
 */
import { root } from "../shared/http.js";
import { isImperial } from "../shared/length.js";
import { pause } from "../shared/pause.js";
import { currentLanguage, t } from "../shared/words.js";
import { basemapStyle } from "./basemap.js";
import { loadForeignStyle } from "./foreignstyle.js";
import { offerGlyphs } from "./glyphs.js";
import { loadIndex, unanswered } from "./tileindex.js";

const library = {
    script: `${root}vendor/maplibre/maplibre-gl.js`, sheet: `${root}vendor/maplibre/maplibre-gl.css`,
};

/** The time for which a map waits for its ground, in milliseconds. It is then drawn without, and gets it later. */
const patienceMs = 5000;

/** Why there is no map, in words for the person in front of it. */
export class NoMap extends Error {}

/**
 * @typedef {object} Ground what a map is made of
 * @property {object} maplibre the library
 * @property {{tiles: object[], isUnanswered?: boolean}} index the tile files
 * @property {object} [foreign] a style from elsewhere that lies beneath, where the operator chose one
 * @property {Promise<{index: object, foreign?: object}>[]} coming the ground as it comes: the tile files, and with
 *     them the style from elsewhere
 */

/**
 * Loads what a map is made of.
 * @param {() => Promise<void>} [patience] settles when the map waits no longer; replaced in tests
 * @returns {Promise<Ground>}
 * @throws {NoMap} when the library is missing
 */
export async function loadGround(patience = () => pause(patienceMs)) {
    const coming = readGround();
    const maplibre = await loadLibrary();
    const whole = await Promise.race([coming[1], patience()]);
    return { maplibre, coming, ...(whole ?? await Promise.race([coming[0], { index: unanswered }])) };
}

function readGround() {
    const list = loadIndex();
    const withStyle = async (index) => ({ index, foreign: index.style && await loadForeignStyle(index.style) });
    return [list.then((index) => ({ index })), list.then(withStyle)];
}

/**
 * The style of the ground beneath what a page draws: the operator's own style, the server's tile files, or a plain
 * ground in the page's colour.
 * @param {string} [address] the address below which the tiles lie; by default the server's own
 */
export function beneath({ index, foreign }, palette, address = root) {
    const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    const ground = foreign ?? basemapStyle({ index, isDark, language: currentLanguage(), address });
    if (foreign || index.tiles.length > 0) { return ground; }
    // Without a world the ground is the page's own.
    return { ...ground, layers: [{ id: "ground", type: "background", paint: { "background-color": palette.ground } }] };
}

/**
 * Makes a map with its controls in an element.
 * @param {object} [view] the first view, as MapLibre's options; by default the whole world
 * @returns {object} MapLibre's map
 * @throws {NoMap} when there is no WebGL
 */
export function makeMap({ maplibre }, container, style, view = { center: [0, 20], zoom: 1 }) {
    offerGlyphs(maplibre);
    let map;
    try {
        map = new maplibre.Map({
            container, style, ...view, maxZoom: 21, attributionControl: false,
            dragRotate: false, pitchWithRotate: false, touchPitch: false, fadeDuration: 0,
            locale: { "NavigationControl.ZoomIn": t("map.zoomIn"), "NavigationControl.ZoomOut": t("map.zoomOut") },
        });
    } catch (error) {
        throw new NoMap(t("map.noWebGL"), { cause: error });
    }
    map.touchZoomRotate.disableRotation();
    map.keyboard.disableRotation();
    map.addControl(new maplibre.NavigationControl({ showCompass: false }), "top-right");
    const unit = isImperial() ? "imperial" : "metric";
    map.addControl(new maplibre.ScaleControl({ maxWidth: 120, unit }), "bottom-left");
    map.addControl(new maplibre.AttributionControl({ compact: false }), "bottom-right");
    map.getCanvas().setAttribute("aria-label", t("map.label"));
    return map;
}

/** What of a map's ground did not come: MapLibre does not ask for it again by itself. */
export class GroundTiles {
    #map;
    #ground;
    #style;
    #isLoaded;
    #isGone = false;
    #isAsking = false;
    #isWanted = false;
    /** The sources of which a tile did not come. */
    #incomplete = new Set();

    /**
     * @param {object} map MapLibre's map, just made
     * @param {Ground} ground gets the ground that comes later
     * @param {() => object} style the style of the ground, as `beneath` makes it of `ground`
     */
    constructor(map, ground, style) {
        this.#map = map;
        this.#ground = ground;
        this.#style = style;
        this.#isLoaded = new Promise((resolve) => { map.once("style.load", resolve); });
        map.on("remove", () => { this.#isGone = true; });
        map.on("error", ({ sourceId, error }) => {
            if (sourceId) { this.#incomplete.add(sourceId); } else { console.error(error); }
        });
        this.#layAll(ground.coming);
    }

    /** Asks again: the server answers once more. */
    complete() {
        for (const name of this.#incomplete) {
            const source = this.#map.getSource(name);
            if (source?.tiles) { source.setTiles(source.tiles); }
        }
        this.#incomplete.clear();
        if (this.#isAsking) { this.#isWanted = true; return; }
        if (this.#ground.index.isUnanswered) { this.#layAll(readGround()); }
    }

    /** Lays a ground that comes later beneath what the map draws. */
    async #layAll(coming) {
        this.#isAsking = true;
        this.#isWanted = false;
        try {
            await this.#isLoaded;
            for (const part of coming) { this.#lay(await part); }
        } catch (error) {
            console.error("The ground of the map could not be laid.", error);
        } finally {
            this.#isAsking = false;
        }
        // The server answered meanwhile: what hung before it came back is asked for anew.
        if (this.#isWanted && !this.#isGone) { this.complete(); }
    }

    #lay({ index, foreign }) {
        if (this.#isGone) { return; }
        const before = this.#style();
        const isNothing = index.tiles.length === 0 && !foreign;
        // A ground that is on this phone already stays.
        Object.assign(this.#ground, isNothing ? {
            index: { ...this.#ground.index, isUnanswered: index.isUnanswered },
        } : { index, foreign });
        const after = this.#style();
        if (JSON.stringify(after) !== JSON.stringify(before)) { replaceGround(this.#map, before, after); }
    }
}

/** Puts the sources and layers of one ground in the place of another's, beneath all other layers of the map. */
export function replaceGround(map, before, after) {
    for (const { id } of before.layers) { map.removeLayer(id); }
    for (const name of Object.keys(before.sources)) { map.removeSource(name); }
    const [lowest] = map.getStyle().layers;
    for (const [name, source] of Object.entries(after.sources)) { map.addSource(name, source); }
    if (after.sprite) { map.setSprite(after.sprite); }
    for (const layer of after.layers) { map.addLayer(layer, lowest?.id); }
}

/** Gives each layer the colours that it has in a style: the page went from light to dark, or back. */
export function repaint(map, { layers }) {
    for (const { id, paint = {} } of layers) {
        for (const [property, value] of Object.entries(paint)) { map.setPaintProperty(id, property, value); }
    }
}

/** The library, or its loading; undefined until a map is first wanted, and after it could not be loaded. */
let loading;

/**
 * The library is a classic script, loaded when a map is first wanted. Two maps that open at once wait for one script:
 * a second one would be a second library, which knows nothing of the letters and tiles that the first was taught.
 */
function loadLibrary() {
    loading ??= readLibrary().catch((error) => {
        loading = undefined;
        throw error;
    });
    return loading;
}

/** Lets the browser fetch the library, which runs once a map is opened. */
export function preloadLibrary() {
    if (loading || document.head.querySelector("link[data-map]")) { return; }
    const link = document.createElement("link");
    Object.assign(link, { rel: "preload", as: "script", href: library.script });
    link.dataset.map = "";
    document.head.append(link);
}

function readLibrary() {
    return new Promise((resolve, reject) => {
        const missing = () => reject(new NoMap(t("map.noLibrary")));
        const sheet = document.createElement("link");
        sheet.rel = "stylesheet";
        sheet.href = library.sheet;
        const script = document.createElement("script");
        script.src = library.script;
        script.onload = () => (globalThis.maplibregl ? resolve(globalThis.maplibregl) : missing());
        script.onerror = missing;
        document.head.append(sheet, script);
    });
}
