/**
 * The app's map: the person's own place, the assembly points and the way there, on the ground of the console's map. The
 * map draws only when something has changed; while nobody moves the map or the phone, it draws no frame.
 */
import { root } from "../../console/shared/http.js";
import { t } from "../../console/shared/words.js";
import { EdgeNames } from "../../console/map/edgenames.js";
import { offerGlyphs } from "../../console/map/glyphs.js";
import { beneath, GroundTiles, loadGround, makeMap, repaint } from "../../console/map/ground.js";
import { collected, regionFeatures } from "../../console/map/mapdata.js";
import { MapMoves } from "../../console/map/mapmoves.js";
import { colours, drawPicture, groundLayers, reachPaint } from "../../console/map/mapstyle.js";
import { TileCache } from "../area/kepttiles.js";
import { offerTiles, tileRoot } from "../area/protocol.js";
import { firstView, ownFeatures, regionsOf, trailFeatures, wayFeatures } from "./mapfeatures.js";
import { Reach } from "./reach.js";

const closestZoom = 17;
const sources = ["graticule", "regions", "names", "trail", "way", "me"];
const noRegions = [];

export class OwnMap {
    #map;
    #ground;
    #tiles;
    #reach;
    #moves;
    #edges;
    #palette = colours();
    #shown = {};
    #wanted;
    #isLoaded = false;
    #hasView = false;
    #isOver = new AbortController();

    /**
     * Opens a map in an element.
     * @param {HTMLElement} container
     * @param {object} options
     * @param {import("../area/shelf.js").AreaShelf} options.shelf
     * @param {(view: {box: number[], zoom: number}) => void} options.viewed called with the part of the map in sight
     * @param {object} options.wanted the first content, as `show` takes it
     * @throws {import("../../console/map/ground.js").NoMap} when the library or WebGL is missing
     */
    static async open(container, { shelf, viewed, wanted }) {
        const ground = await loadGround();
        if (ground.index.tiles.length === 0) { ground.index = { ...ground.index, tiles: await shelf.files() }; }
        return new OwnMap(ground, container, { shelf, viewed, wanted });
    }

    /** Called by `open` alone. */
    constructor(ground, container, { shelf, viewed, wanted }) {
        this.#ground = ground;
        this.#wanted = wanted;
        offerTiles(ground.maplibre, { shelf, root });
        offerGlyphs(ground.maplibre, startGlyphsWorker);
        const { regions = noRegions, points } = wanted;
        const box = firstView({ ...wanted, regions: regionsOf(regions, points) });
        this.#hasView = box !== undefined;
        const padding = Math.min(50, container.clientHeight / 6);
        const map = makeMap(ground, container, this.#style(),
            box && { bounds: box, fitBoundsOptions: { padding, maxZoom: closestZoom } });
        map.getCanvas().setAttribute("aria-label", t("me.way.mapLabel"));
        this.#map = map;
        this.#tiles = new GroundTiles(map, ground, () => beneath(this.#ground, this.#palette, tileRoot));
        this.#reach = new Reach(map, { shelf, cache: new TileCache({ root }) });
        this.#moves = new MapMoves(map);
        this.#edges = new EdgeNames(map, container);
        map.on("styleimagemissing", ({ id }) => this.#addPicture(id));
        // The event is not `load`, which waits for the ground: without a network the ground may never be complete.
        map.once("style.load", () => {
            this.#isLoaded = true;
            this.#drawEdges();
            this.show(this.#wanted);
        });
        const tell = () => {
            const sight = map.getBounds();
            viewed({
                box: [sight.getWest(), sight.getSouth(), sight.getEast(), sight.getNorth()], zoom: map.getZoom(),
            });
        };
        map.on("moveend", () => {
            if (this.#isLoaded) { this.#drawEdges(); }
            tell();
        });
        tell();
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#recolour(),
            { signal: this.#isOver.signal });
    }

    close() {
        this.#isOver.abort();
        this.#map.remove();
    }

    /** Requests the missing tiles of the map's ground again. */
    completeGround() {
        this.#reach.restore();
        this.#tiles.complete();
    }

    /**
     * Shows what the panel knows; unchanged parts are not drawn again.
     * @param {{regions?: object[], points: object[], fix?: object, isStale: boolean, heading: object, way?: object,
     *     trail?: object[]}} wanted
     */
    show(wanted) {
        this.#wanted = wanted;
        if (!this.#isLoaded) { return; }
        const { regions = noRegions, points, fix, isStale, heading, way, trail } = wanted;
        if (this.#shown.regions !== regions || this.#shown.points !== points) {
            this.#regions = regionsOf(regions, points);
            const { shapes, names } = regionFeatures(this.#regions);
            this.#put("regions", shapes);
            this.#put("names", names);
        }
        this.#put("me", ownFeatures(fix, heading, isStale));
        this.#put("way", wayFeatures(isStale ? undefined : way, fix));
        if (this.#shown.trail !== trail) { this.#put("trail", trailFeatures(trail)); }
        this.#shown = { ...this.#shown, regions, points, trail };
        if (!this.#hasView) { this.showAll({ animate: false }); }
    }

    #regions = new Map();

    /** Moves the view to the person's own place and the way from there. */
    showAll(options = {}) {
        const { fix, way, points } = this.#wanted;
        const box = firstView({ fix, way, points, regions: this.#regions });
        if (!box) { return; }
        this.#hasView = true;
        this.#moves.resize();
        const padding = Math.min(50, this.#map.getContainer().clientHeight / 6);
        this.#map.fitBounds(box, { padding, maxZoom: closestZoom, ...this.#moves.calm(), ...options });
    }

    /** Moves the view to contain a box: west, south, east, north. */
    showBox([west, south, east, north]) {
        this.#hasView = true;
        this.#map.fitBounds([[west, south], [east, north]], { padding: 10, ...this.#moves.calm() });
    }

    /** MapLibre's map, for tests. */
    get library() { return this.#map; }

    /** The features that the map was last given, for tests. */
    get drawn() { return this.#drawn; }

    #drawn = {};

    /** Gives a source its features, unless it already has them. */
    #put(name, features) {
        const face = JSON.stringify(features);
        if (this.#drawn[name] === face) { return; }
        this.#drawn[name] = face;
        this.#map.getSource(name)?.setData(features);
    }

    #drawEdges() { this.#put("graticule", this.#edges.lines()); }

    #style() {
        const ground = beneath(this.#ground, this.#palette, tileRoot);
        const own = Object.fromEntries(sources.map((name) => [name, { type: "geojson", data: collected([]) }]));
        return {
            ...ground, sources: { ...ground.sources, ...own },
            layers: [...ground.layers, ...groundLayers(this.#palette), ...ownLayers(this.#palette)],
        };
    }

    #addPicture(name) {
        const picture = drawPicture(name, this.#palette);
        if (picture && !this.#map.hasImage(name)) { this.#map.addImage(name, picture.image, picture.options); }
    }

    #recolour() {
        this.#palette = colours();
        for (const name of this.#map.listImages()) {
            const picture = drawPicture(name, this.#palette);
            if (picture) { this.#map.updateImage(name, picture.image); }
        }
        repaint(this.#map, this.#style());
    }
}

function startGlyphsWorker() {
    return new Worker(new URL("glyphs-worker.js", import.meta.url), { type: "module" });
}

/** The layers of the trail, the way and, on top, the person's own place. */
function ownLayers(palette) {
    const round = { "line-cap": "round", "line-join": "round" };
    return [
        {
            id: "trail", type: "line", source: "trail", layout: round,
            paint: { "line-color": palette.text, "line-width": 2.5, "line-opacity": 0.6 },
        },
        {
            id: "way", type: "line", source: "way", layout: round,
            paint: { "line-color": palette.focus, "line-width": 3, "line-dasharray": [1, 2] },
        },
        {
            id: "my-reach", type: "circle", source: "me", filter: ["has", "reach"],
            paint: reachPaint(palette.focus, 0.15),
        },
        {
            id: "my-heading", type: "symbol", source: "me", filter: ["has", "heading"],
            layout: {
                "icon-image": "heading", "icon-rotate": ["get", "heading"], "icon-rotation-alignment": "map",
                "icon-allow-overlap": true, "icon-ignore-placement": true,
            },
        },
        {
            // The mark of an old place is hollow.
            id: "me", type: "circle", source: "me",
            paint: {
                "circle-radius": 8, "circle-color": ["case", ["get", "isStale"], palette.ground, palette.focus],
                "circle-stroke-color": ["case", ["get", "isStale"], palette.focus, palette.halo],
                "circle-stroke-width": 3,
            },
        },
    ];
}
