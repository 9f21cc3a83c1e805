/** The map on which regions are shown and edited. What it shows it is told; what is done on it, it tells. */
import { beneath, GroundTiles, loadGround, makeMap, repaint } from "../map/ground.js";
import { collected, regionFeatures } from "../map/mapdata.js";
import { MapSource } from "../map/mapsource.js";
import { colours } from "../map/mapstyle.js";
import { bounds, drawable, labelPoint } from "../shared/drawing.js";
import { legible, shortened } from "../shared/text.js";
import { DrawnShape, rubberLines } from "./drawnshape.js";
import { editorLayers, editorSources } from "./editorlayers.js";
import { Gestures } from "./gestures.js";
import { handlesIn } from "./handles.js";
import { edgeMetres, emptyShape } from "./shape.js";

const closestZoom = 18;
/** A place that somebody wants to see is looked at from so near. */
const placeZoom = 17;

export class RegionMap {
    #map;
    #ground;
    #isCoarse = matchMedia("(pointer: coarse)").matches;
    #isOver = new AbortController();
    #tiles;
    #draft;
    #drawn = new DrawnShape();
    #gestures;
    #edit;
    #regions = {};
    #isLoaded = false;
    /** What is shown as soon as the map is loaded. */
    #waiting = new Map();
    #hasView = false;
    /** The handles on the map now. @type {import("./handles.js").Handle[]} */
    handles = [];
    isThinned = false;

    /** @throws {import("../map/ground.js").NoMap} when the library or WebGL is missing */
    static async open(container) {
        return new RegionMap(await loadGround(), container);
    }

    /** For `open` alone. */
    constructor(ground, container) {
        this.#ground = ground;
        const map = makeMap(ground, container, this.#style());
        this.#map = map;
        this.#tiles = new GroundTiles(map, ground, () => beneath(this.#ground, colours()));
        this.#draft = new MapSource(map, "draft", { key: "id" });
        this.#gestures = new Gestures(map, this);
        map.once("style.load", () => {
            this.#isLoaded = true;
            for (const [name, data] of this.#waiting) { map.getSource(name).setData(data); }
            if (this.#edit) { this.show(this.#edit); }
        });
        map.on("moveend", () => this.#showHandles());
        matchMedia("(prefers-color-scheme: dark)").addEventListener(
            "change", () => repaint(map, this.#style()), { signal: this.#isOver.signal });
        const resizing = new ResizeObserver(() => map.resize());
        resizing.observe(container);
        this.#isOver.signal.addEventListener("abort", () => resizing.disconnect());
    }

    close() {
        this.#isOver.abort();
        this.#gestures.end();
        this.#map.remove();
    }

    /** Asks again for what did not come of the map's ground. */
    completeGround() { this.#tiles.complete(); }

    /** MapLibre's map: for tests. */
    get library() { return this.#map; }

    /**
     * Who is told of what is done on the map, or nobody.
     * @param {{edit?: () => object, act?: (action: object, isMoving?: boolean) => void, settle?: () => void,
     *     snap?: (at: number[], reachDegrees: number) => number[], choose?: (region: object) => void}} [target]
     */
    set target(target) { this.#gestures.target = target; }

    /** The regions that there are, but for one that is edited. */
    showRegions(regions, except) {
        if (this.#regions.all === regions && this.#regions.except === except) { return; }
        this.#regions = { all: regions, except };
        const others = except === undefined ? regions : new Map([...regions].filter(([key]) => key !== except));
        const { shapes, names } = regionFeatures(others);
        this.#put("regions", shapes);
        this.#put("names", names);
        if (!this.#hasView) { this.fit(extentOf([...regions.values()])); }
    }

    /** The shape that is edited, and its handles; nothing where there is no edit. */
    show(edit, isMoving = false) {
        this.#edit = edit;
        if (!this.#isLoaded) { return; }
        this.#draft.apply(this.#drawn.update(edit?.shape ?? emptyShape, isMoving));
        this.#showHandles();
        this.showRubber();
    }

    /** The edit that is shown now. */
    get shown() { return this.#edit; }

    /** What is being drawn, on to where the pointer is. */
    showRubber(pointer) {
        const { drawing } = this.#edit ?? {};
        const radius = drawing?.kind === "circle" && pointer && drawing.points[0]
            ? edgeMetres(drawing.points[0], pointer) : 0;
        this.#put("rubber", collected(rubberLines(drawing, pointer, radius)));
    }

    #showHandles() {
        const { drawing } = this.#edit ?? {};
        const isQuiet = !this.#edit || drawing;
        const { handles, isThinned } = isQuiet ? { handles: [], isThinned: false } : handlesIn(this.#edit, this.view());
        const shown = drawing
            ? drawing.points.map((at, index) => ({ kind: "vertex", at, isSelected: index === 0 })) : handles;
        this.handles = handles;
        if (this.isThinned !== isThinned) {
            this.isThinned = isThinned;
            this.onThinned?.(isThinned);
        }
        this.#put("handles", collected(shown.map(({ kind, at, isSelected }) =>
            ({ type: "Feature", geometry: { type: "Point", coordinates: at }, properties: { kind, isSelected } }))));
    }

    /** Where faults are: [longitude, latitude] each. */
    showFaults(places) {
        this.#put("faults", collected(places.map((coordinates) =>
            ({ type: "Feature", properties: {}, geometry: { type: "Point", coordinates } }))));
    }

    /** The shape of somebody else, or nothing. */
    showOther(feature) {
        this.#put("other", collected(drawn(feature ? [feature] : []).shapes));
    }

    /** What a file would bring. */
    showPreview(features) {
        const { shapes, names } = drawn(features);
        this.#put("preview", collected(shapes));
        this.#put("previewNames", collected(names));
    }

    /** Moves the view to hold all these points; does nothing where there are none. */
    fit(points) {
        const box = bounds(points);
        if (!box) { return; }
        this.#hasView = true;
        const padding = Math.min(60, this.#map.getContainer().clientHeight / 6);
        this.#map.fitBounds(box, { padding, maxZoom: closestZoom, animate: false });
    }

    /** Moves the view to hold these points where they are out of sight, or a speck. */
    fitIfSmall(points) {
        const [from, to] = (bounds(points) ?? []).map((corner) => this.#map.project(corner));
        if (!from) { return; }
        const { clientWidth, clientHeight } = this.#map.getContainer();
        const isSpeck = Math.hypot(to.x - from.x, to.y - from.y) < 40;
        const isOut = from.x < 0 || to.y < 0 || to.x > clientWidth || from.y > clientHeight;
        if (isSpeck || isOut) { this.fit(points); }
    }

    /** Moves the view to a place. */
    flyTo(at) {
        this.#hasView = true;
        this.#map.jumpTo({ center: at, zoom: Math.max(this.#map.getZoom(), placeZoom) });
    }

    /** Moves the view no further than it must to hold a place. */
    keepInSight(at) {
        const { x, y } = this.#map.project(at);
        const { clientWidth, clientHeight } = this.#map.getContainer();
        if (x < 20 || y < 20 || x > clientWidth - 20 || y > clientHeight - 20) {
            this.#map.jumpTo({ center: at });
        }
    }

    /** The middle of the view, [longitude, latitude]; and how wide the view is, in metres. */
    centre() { return this.#map.getCenter().wrap().toArray(); }

    widthMetres() {
        const { west, east } = this.view();
        const [, latitude] = this.centre();
        return edgeMetres([west, latitude], [Math.min(east, west + 1), latitude]) * Math.max(1, east - west);
    }

    view() {
        const box = this.#map.getBounds();
        return { west: box.getWest(), south: box.getSouth(), east: box.getEast(), north: box.getNorth() };
    }

    #style() {
        const palette = colours();
        const ground = beneath(this.#ground, palette);
        return {
            ...ground, sources: { ...ground.sources, ...editorSources() },
            layers: [...ground.layers, ...editorLayers(palette, this.#isCoarse)],
        };
    }

    #put(name, data) {
        if (this.#isLoaded) { this.#map.getSource(name).setData(data); } else { this.#waiting.set(name, data); }
    }
}

/** The points that a view of regions must hold. */
export function extentOf(regions) {
    return regions.flatMap(({ geometry, radius, properties }) => {
        const shape = drawable(geometry, radius ?? properties?.radius);
        const parts = !shape ? [] : shape.type === "Polygon" ? [shape.coordinates] : shape.coordinates;
        return parts.flatMap((rings) => rings[0] ?? []);
    });
}

/** GeoJSON features as the map draws them, with their names. */
function drawn(features) {
    const shapes = [];
    const names = [];
    for (const { geometry, properties, id } of features) {
        const shape = drawable(geometry, properties?.radius);
        if (!shape || !(shape.coordinates[0]?.length > 0)) { continue; }
        shapes.push({ type: "Feature", properties: {}, geometry: shape });
        const label = shortened(legible(properties?.name ?? id ?? ""), 40);
        names.push({
            type: "Feature", properties: { label }, geometry: { type: "Point", coordinates: labelPoint(shape) },
        });
    }
    return { shapes, names };
}
