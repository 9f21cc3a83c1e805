/** The live map, by MapLibre GL JS. It asks nobody for tiles, fonts or pictures, and so works with no internet. */
import { bounds } from "./geodesy.js";
import { degreesName, graticule, graticuleFeatures } from "./graticule.js";
import { deviceFeatures, extent, regionFeatures, trackFeatures } from "./mapdata.js";
import { colours, drawPicture, layers, mapStyle } from "./mapstyle.js";
import { latestPosition } from "./state.js";

const library = "vendor/maplibre/maplibre-gl";
const closestZoom = 17;

/** Why there is no map, in words for the person in front of it. */
export class NoMap extends Error {}

export class LiveMap {
    #map;
    #palette;
    #edges;
    #state;
    #shownRegions;
    #track;
    #shownPoints;
    #hasFitted = false;
    #isLoaded = false;

    /**
     * Opens a map in an element.
     * @param {HTMLElement} container
     * @param {(user: string, device: string) => void} choose called when a device on the map is clicked
     * @throws {NoMap} when the library or WebGL is missing
     */
    static async open(container, choose) {
        const maplibre = await loadLibrary();
        return new LiveMap(maplibre, container, choose);
    }

    /** For `open` alone. */
    constructor(maplibre, container, choose) {
        this.#palette = colours();
        try {
            this.#map = new maplibre.Map({
                container,
                style: mapStyle(this.#palette),
                center: [0, 20],
                zoom: 1,
                maxZoom: 21,
                attributionControl: false,
                dragRotate: false,
                pitchWithRotate: false,
                touchPitch: false,
                fadeDuration: 0,
            });
        } catch (error) {
            throw new NoMap("The map needs WebGL, which this browser does not offer. The list shows everybody.",
                { cause: error });
        }
        const map = this.#map;
        map.touchZoomRotate.disableRotation();
        map.keyboard.disableRotation();
        map.addControl(new maplibre.NavigationControl({ showCompass: false }), "top-right");
        map.addControl(new maplibre.ScaleControl({ maxWidth: 120 }), "bottom-left");
        map.getCanvas().setAttribute("aria-label", "Map of people and regions; the list tells the same in words");
        map.on("styleimagemissing", ({ id }) => this.#addPicture(id));
        map.on("load", () => this.#begin());
        map.on("move", () => this.#nameEdges());
        map.on("moveend", () => this.#drawGraticule());
        map.on("click", "devices", ({ features: [{ properties }] }) => choose(properties.user, properties.device));
        map.on("mouseenter", "devices", () => { map.getCanvas().style.cursor = "pointer"; });
        map.on("mouseleave", "devices", () => { map.getCanvas().style.cursor = ""; });
        this.#edges = document.createElement("div");
        this.#edges.className = "graticule-names";
        this.#edges.setAttribute("aria-hidden", "true");
        container.append(this.#edges);
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#recolour());
    }

    /** Shows a state; the first with anything on it decides the view. */
    show(state) {
        this.#state = state;
        if (!this.#isLoaded) { return; }
        this.#put(deviceFeatures(state));
        if (this.#shownRegions !== state.regions) {
            this.#shownRegions = state.regions;
            const { shapes, names } = regionFeatures(state.regions);
            this.#put({ regions: shapes, names });
        }
        if (!this.#hasFitted) { this.fit({ animate: false }); }
    }

    /** Shows a track, or none. @param {import("./track.js").Track} [track] */
    showTrack(track) {
        this.#track = track;
        if (!this.#isLoaded || this.#shownPoints === track?.points) { return; }
        this.#shownPoints = track?.points;
        this.#put(trackFeatures(track));
    }

    /** Moves the view to hold a whole track, as far as it can. */
    fitTrack({ points }) {
        const box = bounds(points.map(({ longitude, latitude }) => [longitude, latitude]));
        if (!box) { return; }
        this.#hasFitted = true;
        // The bar that tells of the track has just taken its place.
        this.#map.resize();
        this.#map.fitBounds(box, { padding: this.#padding(), maxZoom: closestZoom, ...calm() });
    }

    /** Moves the view to hold all regions and people. */
    fit(options = {}) {
        const box = bounds(extent(this.#state));
        if (!box) { return; }
        this.#hasFitted = true;
        this.#map.fitBounds(box, { padding: this.#padding(), maxZoom: closestZoom, ...calm(), ...options });
    }

    /** Moves the view to where a person was last; does nothing where nobody knows. */
    flyTo(user) {
        const member = this.#state?.members.get(user);
        const position = member && latestPosition(member);
        if (!position) { return; }
        this.#hasFitted = true;
        this.#map.flyTo({
            center: [position.longitude, position.latitude],
            zoom: Math.max(this.#map.getZoom(), 16),
            ...calm(),
        });
    }

    /** What is drawn of a person's devices, as the map has it: for tests. */
    drawn(user) {
        return this.#map.queryRenderedFeatures({ layers: ["devices"] })
            .filter((feature) => feature.properties.user === user)
            .map((feature) => ({ coordinates: feature.geometry.coordinates, state: feature.properties.state,
                isChecking: feature.properties.isChecking }));
    }

    /** Where fixes that are not believed seem to be, as the map has it: for tests. */
    drawnSeeming(user) {
        return this.#map.queryRenderedFeatures({ layers: ["seeming"] })
            .filter((feature) => feature.properties.user === user)
            .map((feature) => feature.geometry.coordinates);
    }

    /** The points of the track that are in sight, as the map has them: for tests. */
    drawnTrack() {
        const drawn = new Map();
        // A point at the edge of two tiles is found in both.
        for (const { properties, geometry } of this.#map.queryRenderedFeatures({ layers: ["track-points"] })) {
            drawn.set(properties.index, { isHollow: properties.isHollow, coordinates: geometry.coordinates });
        }
        return [...drawn].sort(([left], [right]) => left - right).map(([, point]) => point);
    }

    /** [longitude, latitude] of the view's middle: for tests. */
    centre() {
        return this.#map.getCenter().toArray();
    }

    #begin() {
        this.#isLoaded = true;
        this.#drawGraticule();
        if (this.#state) { this.show(this.#state); }
        this.showTrack(this.#track);
    }

    #padding() {
        return Math.min(60, this.#map.getContainer().clientHeight / 6);
    }

    #put(data) {
        for (const [source, features] of Object.entries(data)) { this.#map.getSource(source)?.setData(features); }
    }

    #addPicture(name) {
        const picture = drawPicture(name, this.#palette);
        if (picture && !this.#map.hasImage(name)) { this.#map.addImage(name, picture.image, picture.options); }
    }

    /** The page went from light to dark or back: pictures are drawn again, and each layer gets its new colours. */
    #recolour() {
        this.#palette = colours();
        for (const name of this.#map.listImages()) {
            const picture = drawPicture(name, this.#palette);
            if (picture) { this.#map.updateImage(name, picture.image); }
        }
        for (const { id, paint = {} } of layers(this.#palette)) {
            for (const [property, value] of Object.entries(paint)) { this.#map.setPaintProperty(id, property, value); }
        }
    }

    #view() {
        const box = this.#map.getBounds();
        return {
            west: box.getWest(), south: box.getSouth(), east: box.getEast(), north: box.getNorth(),
            width: this.#map.getContainer().clientWidth,
        };
    }

    #drawGraticule() {
        this.#put({ graticule: graticuleFeatures(this.#view()) });
        this.#nameEdges();
    }

    #nameEdges() {
        const { meridians, parallels, step } = graticule(this.#view());
        const centre = this.#map.getCenter();
        const names = [
            ...meridians.map((longitude) => {
                const { x } = this.#map.project([longitude, centre.lat]);
                return edgeName(degreesName(longitude, step, false), "left", x);
            }),
            ...parallels.map((latitude) => {
                const { y } = this.#map.project([centre.lng, latitude]);
                return edgeName(degreesName(latitude, step, true), "top", y);
            }),
        ];
        this.#edges.replaceChildren(...names);
    }
}

function edgeName(text, side, offset) {
    const name = document.createElement("span");
    name.textContent = text;
    name.className = side === "left" ? "meridian" : "parallel";
    name.style[side] = `${Math.round(offset)}px`;
    return name;
}

/** No movement for whoever asked for less of it. */
function calm() {
    return matchMedia("(prefers-reduced-motion: reduce)").matches ? { animate: false } : { duration: 900 };
}

/** The library is a classic script: it is loaded once, when a map is first wanted. */
function loadLibrary() {
    return new Promise((resolve, reject) => {
        const missing = () => reject(new NoMap(
            "The map’s library is not installed on this server (Scripts/web-vendor puts it there). "
            + "The list shows everybody."));
        if (globalThis.maplibregl) { resolve(globalThis.maplibregl); return; }
        const sheet = document.createElement("link");
        sheet.rel = "stylesheet";
        sheet.href = `${library}.css`;
        const script = document.createElement("script");
        script.src = `${library}.js`;
        script.onload = () => (globalThis.maplibregl ? resolve(globalThis.maplibregl) : missing());
        script.onerror = missing;
        document.head.append(sheet, script);
    });
}
