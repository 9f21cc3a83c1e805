/** The live map, by MapLibre GL JS. Ground, letters and pictures come from this server: it works with no internet. */
import { bounds } from "../shared/drawing.js";
import { pointsInView } from "../person/track.js";
import { sheltered } from "../roster/order.js";
import { today } from "../shared/time.js";
import { DrawnPeople } from "./drawn.js";
import { EdgeNames } from "./edgenames.js";
import { beneath, GroundTiles, loadGround, makeMap, repaint } from "./ground.js";
import { collected, drawnPlace, extent, regionFeatures, trackFeatures } from "./mapdata.js";
import { MapFrames } from "./mapframes.js";
import { MapMoves } from "./mapmoves.js";
import { MapPiles } from "./mappiles.js";
import { MapSource } from "./mapsource.js";
import { townsOf } from "./maptowns.js";
import { clusterZoom, colours, dataSources, drawPicture, layers, shelteredZoom } from "./mapstyle.js";

const closestZoom = 17;
/** As far as a person's mark reaches around their place, about. */
const markPixels = 24;
/** The layers by which a person is drawn. */
const deviceLayers = ["devices", "sheltered-devices"];

export class LiveMap {
    #map;
    #choose;
    #coveredPixels;
    #ground;
    #tiles;
    #palette;
    #edges;
    #moves;
    #frames;
    #live;
    #day;
    #people = new DrawnPeople();
    #piles;
    #openPile;
    #sources = {};
    #shownRegions;
    #shownCounts;
    #track;
    #shownPoints;
    #selected = "";
    #shownSelected;
    #hasFitted = false;
    #isLoaded = false;
    #isOver = new AbortController();

    /**
     * Opens a map in an element.
     * @param {HTMLElement} container
     * @param {(user: string, device: string) => void} choose called when a device on the map is clicked
     * @param {() => number} [coveredPixels] how much at the foot of the map a sheet covers now
     * @param {{report: (piles: import("./piles.js").Pile[]) => void,
     *     open: (pile: import("./piles.js").Pile) => void}} [piles] `report` takes the piles in sight, `open` one that
     *     was pressed; without it, a press on a pile chooses the person who lies on top
     * @throws {NoMap} when the library or WebGL is missing
     */
    static async open(container, choose, coveredPixels = () => 0, piles = {}) {
        return new LiveMap(await loadGround(), container, choose, coveredPixels, piles);
    }

    /** For `open` alone. */
    constructor(ground, container, choose, coveredPixels, piles) {
        this.#choose = choose;
        this.#openPile = piles.open;
        this.#coveredPixels = coveredPixels;
        this.#ground = ground;
        this.#palette = colours();
        this.#map = makeMap(ground, container, this.#style());
        this.#tiles = new GroundTiles(this.#map, ground, () => beneath(this.#ground, this.#palette));
        this.#moves = new MapMoves(this.#map);
        this.#frames = new MapFrames(this.#map);
        this.#edges = new EdgeNames(this.#map, container);
        this.#piles = new MapPiles(this.#map, (kind) => this.#people.all(kind), piles.report ?? (() => {}));
        for (const name of ["people", "sheltered", "seeming", "doubts"]) {
            this.#sources[name] = new MapSource(this.#map, name);
        }
        this.#listen();
    }

    #listen() {
        const map = this.#map;
        map.on("styleimagemissing", ({ id }) => this.#addPicture(id));
        // People are drawn as soon as the style has loaded. They do not wait for the tiles of the ground, which may
        // never come.
        map.once("style.load", () => this.#begin());
        map.on("moveend", () => this.#put({ graticule: this.#edges.lines() }));
        map.on("click", "piles", (event) => {
            if (!this.#openPile) { return; }
            event.preventDefault();
            const pile = this.#piles.named(event.features[0].properties.pile);
            if (pile) { this.#openPile(pile); }
        });
        for (const layer of deviceLayers) {
            map.on("click", layer, (event) => {
                const [{ properties, geometry }] = event.features;
                // The number of a pile lies over other marks.
                if (event.defaultPrevented) { return; }
                const pile = this.#openPile && this.#piles.of(properties.user);
                if (pile) { event.preventDefault(); this.#openPile(pile); return; }
                this.#choose(properties.user, properties.device);
                this.#uncover(geometry.coordinates);
            });
        }
        map.on("click", "clusters", ({ features: [feature] }) => this.#openCluster(feature));
        for (const layer of [...deviceLayers, "clusters", "piles"]) {
            map.on("mouseenter", layer, () => { map.getCanvas().style.cursor = "pointer"; });
            map.on("mouseleave", layer, () => { map.getCanvas().style.cursor = ""; });
        }
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#recolour(),
            { signal: this.#isOver.signal });
    }

    /** Asks again for what did not come of the map's ground. */
    completeGround() { this.#tiles.complete(); }

    /** Ends the map. */
    close() {
        this.#isOver.abort();
        this.#map.remove();
    }

    /** Shows a state; the first with anything on it decides the view. */
    show(live) {
        const day = today();
        if (live === this.#live && day === this.#day) { return; }
        this.#live = live;
        this.#day = day;
        if (!this.#isLoaded) { return; }
        const differences = this.#people.update(live);
        for (const [name, source] of Object.entries(this.#sources)) { source.apply(differences[name]); }
        this.#piles.refresh();
        this.#showSelected();
        this.#showRegions(live);
        if (!this.#hasFitted) { this.fit({ animate: false }); }
    }

    #showRegions(live) {
        const counts = sheltered(live);
        const face = [...counts].join();
        if (this.#shownRegions === live.regions && this.#shownCounts === face) { return; }
        this.#shownCounts = face;
        const { shapes, names } = regionFeatures(live.regions, counts);
        this.#put(this.#shownRegions === live.regions ? { names } : { regions: shapes, names });
        this.#shownRegions = live.regions;
    }

    /** Shows a track, or none. @param {import("../person/track.js").Track} [track] */
    showTrack(track) {
        this.#track = track;
        if (!this.#isLoaded || this.#shownPoints === track?.points) { return; }
        this.#shownPoints = track?.points;
        this.#put(trackFeatures(track));
    }

    /** Rings a person's devices; nobody's where there is no name. */
    select(user = "") {
        if (this.#selected === user) { return; }
        this.#selected = user;
        if (this.#isLoaded) { this.#showSelected(); }
    }

    /** The selected person's devices have a source of their own: whoever is selected, nobody else is drawn anew. */
    #showSelected() {
        const features = this.#people.featuresOf(this.#selected);
        if (this.#shownSelected === features) { return; }
        this.#shownSelected = features;
        this.#put({ selected: collected([...features?.people ?? [], ...features?.sheltered ?? []]) });
    }

    /** Draws nothing until `wake`, as what a person chose in the list must be seen there first. */
    rest() { this.#frames.rest(); }

    wake() { this.#frames.wake(); }

    /** Moves the view to hold a track without its wild fixes, as far as it can. */
    fitTrack({ points }) {
        const box = bounds(pointsInView(points).map(({ longitude, latitude }) => [longitude, latitude]));
        if (!box) { return; }
        this.#hasFitted = true;
        this.resize();
        this.#map.fitBounds(box, { padding: this.#padding(), maxZoom: closestZoom, ...this.#moves.calm() });
    }

    /** Moves the view to hold all regions and people. */
    fit(options = {}) {
        const box = this.#live && bounds(extent(this.#live));
        if (!box) { return; }
        this.#hasFitted = true;
        this.resize();
        this.#map.fitBounds(box, { padding: this.#padding(), maxZoom: closestZoom, ...this.#moves.calm(), ...options });
    }

    /** Moves the view to where a person is drawn; does nothing where nobody knows. */
    flyTo(user) {
        const member = this.#live?.members.get(user);
        const place = member && drawnPlace(member);
        if (!place) { return; }
        this.#hasFitted = true;
        this.resize();
        this.#map.flyTo({
            center: place, zoom: Math.max(this.#map.getZoom(), shelteredZoom),
            offset: [0, -this.#coveredPixels() / 2], ...this.#moves.calm(),
        });
    }

    /** Moves the view to a place. @param {[number, number]} place longitude and latitude */
    flyToPlace(place, zoom) {
        this.#hasFitted = true;
        this.resize();
        this.#map.flyTo({ center: place, zoom, ...this.#moves.calm() });
    }

    /**
     * The towns that the ground around the view names, by the tiles that are here.
     * @returns {import("../roster/placesearch.js").Place[]} a town that lies in several tiles more than once
     */
    towns() { return townsOf(this.#map); }

    /** Moves a place up that the sheet of who was just chosen there covers. */
    #uncover(place) {
        const free = this.#map.getContainer().clientHeight - this.#coveredPixels();
        const { y } = this.#map.project(place);
        if (y > free - markPixels) { this.#map.panBy([0, y - free / 2], this.#moves.calm()); }
    }

    /** Gives the map the keyboard's focus, without scrolling the page. */
    focus() { this.#map.getCanvas().focus({ preventScroll: true }); }

    /** Makes the map as large as its element is now. */
    resize() { this.#moves.resize(); }

    /** What is drawn of a person's devices, as the map has it: for tests. */
    drawn(user) {
        return this.#rendered(deviceLayers, user).map((feature) => ({
            coordinates: feature.geometry.coordinates, state: feature.properties.state,
            isChecking: feature.properties.isChecking,
        }));
    }

    /** Where fixes that are not believed seem to be, as the map has it: for tests. */
    drawnSeeming(user) {
        return this.#rendered(["seeming"], user).map((feature) => feature.geometry.coordinates);
    }

    #rendered(names, user) {
        const found = this.#map.queryRenderedFeatures({ layers: names });
        return found.filter((feature) => feature.properties.user === user);
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
    centre() { return this.#map.getCenter().toArray(); }

    /** The state that is shown: for tests. */
    get shown() { return this.#live; }

    /** MapLibre's map: for measuring. */
    get library() { return this.#map; }

    #begin() {
        this.#isLoaded = true;
        this.#put({ graticule: this.#edges.lines() });
        this.#edges.draw();
        const live = this.#live;
        this.#live = undefined;
        if (live) { this.show(live); }
        this.showTrack(this.#track);
    }

    /** A click on many goes to where they are drawn apart. */
    async #openCluster({ properties, geometry }) {
        const zoom = await this.#map.getSource("people").getClusterExpansionZoom(properties.cluster_id);
        this.#map.easeTo({
            center: geometry.coordinates, zoom: Math.min(zoom, clusterZoom + 1), ...this.#moves.calm(),
        });
    }

    #style() {
        const ground = beneath(this.#ground, this.#palette);
        return {
            ...ground, sources: { ...ground.sources, ...dataSources() },
            layers: [...ground.layers, ...layers(this.#palette)],
        };
    }

    #padding() {
        const covered = this.#coveredPixels();
        const all = Math.min(60, (this.#map.getContainer().clientHeight - covered) / 6);
        return { top: all, bottom: all + covered, left: all, right: all };
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
        repaint(this.#map, this.#style());
    }
}
