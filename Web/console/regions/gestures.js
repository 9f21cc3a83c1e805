/** What the mouse and fingers do on the map: vertices are grabbed and moved, points are set, regions are chosen. */
import { grabbed } from "./handles.js";
import { edgeMetres, isInside, rounded } from "./shape.js";

/** How near the pointer must be to a handle, in pixels: a finger hides what is beneath it. */
const reach = Object.freeze({ mouse: 12, touch: 26 });
/** How near something must be for the pointer to snap to it. */
const snapPixels = 12;
/** Two clicks this near are one place: the second of a double click. */
const samePixels = 5;

export class Gestures {
    #map;
    #regionMap;
    /** What is held: a vertex, or the whole shape; and the name of its series. */
    #held;
    #count = 0;
    #due;
    #isOver = new AbortController();
    target;

    /** @param {object} map MapLibre's @param {import("./regionmap.js").RegionMap} regionMap */
    constructor(map, regionMap) {
        this.#map = map;
        this.#regionMap = regionMap;
        map.on("mousedown", (event) => { if (event.originalEvent.button === 0) { this.#down(event, reach.mouse); } });
        map.on("touchstart", (event) => {
            if (event.points.length === 1) { this.#down(event, reach.touch); } else { this.#up(); }
        });
        map.on("mousemove", (event) => this.#move(event));
        map.on("touchmove", (event) => { if (this.#held) { event.preventDefault(); this.#move(event); } });
        for (const name of ["mouseup", "touchend", "touchcancel"]) {
            addEventListener(name, () => this.#up(), { signal: this.#isOver.signal });
        }
        map.on("click", (event) => this.#click(event));
        map.on("dblclick", (event) => {
            if (!this.#edit?.drawing) { return; }
            event.preventDefault();
            this.target.act({ type: "finish" });
            this.target.settle();
        });
    }

    end() { this.#isOver.abort(); }

    get #edit() { return this.target?.edit?.(); }

    #down(event, reachPixels) {
        const edit = this.#edit;
        if (!edit || edit.drawing) { return; }
        const at = event.lngLat.toArray();
        const handle = this.#grabbed(event.point, reachPixels);
        const series = `drag ${this.#count += 1}`;
        if (edit.selected === "whole") {
            const isOn = handle?.kind === "centre" || isInside(edit.shape, at);
            if (isOn) { this.#held = { series, from: edit.shape, start: at }; }
        } else if (handle?.kind === "middle") {
            this.#held = { series, after: handle.place };
        } else if (handle) {
            this.#held = { series, place: handle.place };
            this.target.act({ type: "select", place: handle.place });
        }
        if (this.#held) { event.preventDefault(); }
    }

    #move(event) {
        if (!this.target?.act) { return; }
        // Many moves are one a frame.
        const isFirst = !this.#due;
        this.#due = event;
        if (isFirst) {
            requestAnimationFrame(() => {
                const due = this.#due;
                this.#due = undefined;
                if (due && this.target?.act) { this.#follow(due); }
            });
        }
    }

    #follow(event) {
        const edit = this.#edit;
        if (!this.#held) {
            const isNear = edit && !edit.drawing && this.#grabbed(event.point, reach.mouse);
            this.#map.getCanvas().style.cursor = edit?.drawing ? "crosshair" : isNear ? "grab" : "";
            if (edit?.drawing) { this.#regionMap.showRubber(this.#snapped(event)); }
            return;
        }
        const held = this.#held;
        held.hasMoved = true;
        const { series } = held;
        if (held.from) {
            const { lng, lat } = event.lngLat;
            const by = [lng - held.start[0], lat - held.start[1]];
            this.target.act({ type: "shift", by, from: held.from, series }, true);
            return;
        }
        const to = this.#snapped(event);
        if (held.after) {
            this.target.act({ type: "insert", after: held.after, to, series }, true);
            held.place = { ...held.after, vertex: held.after.vertex + 1 };
            held.after = undefined;
            return;
        }
        this.target.act({ type: "move", place: held.place, to, series }, true);
    }

    #up() {
        const held = this.#held;
        if (!held) { return; }
        if (this.#due) { this.#follow(this.#due); this.#due = undefined; }
        this.#held = undefined;
        if (held.after) {
            // A middle that was only touched becomes a vertex where it is.
            this.target?.act?.({ type: "insert", after: held.after });
        }
        if (held.hasMoved || held.after) { this.target?.settle?.(); }
        this.#endsClick = true;
        setTimeout(() => { this.#endsClick = false; }, 0);
    }

    #endsClick = false;

    #click(event) {
        const edit = this.#edit;
        if (!edit) { this.#choose(event); return; }
        if (this.#endsClick) { return; }
        if (!edit.drawing) {
            if (edit.selected && edit.selected !== "whole" && !this.#grabbed(event.point, reach.touch)) {
                this.target.act({ type: "select", place: undefined });
            }
            return;
        }
        const { kind, points } = edit.drawing;
        const near = (at) => {
            const { x, y } = this.#map.project(at);
            return Math.hypot(x - event.point.x, y - event.point.y);
        };
        if (points.length > 0 && near(points.at(-1)) < samePixels) { return; }
        if (points.length > 2 && near(points[0]) < reach.mouse) {
            this.target.act({ type: "finish" });
            this.target.settle();
            return;
        }
        const at = this.#snapped(event);
        const radius = kind === "circle" && points.length === 1 ? Math.round(edgeMetres(points[0], at) * 10) / 10 : 0;
        this.target.act({ type: "point", at, radius });
        if (radius > 0) { this.target.settle(); }
    }

    /** The region that was clicked on; of several the last one drawn. */
    #choose(event) {
        if (!this.target?.choose) { return; }
        const [found] = this.#map.queryRenderedFeatures(event.point, { layers: ["regions"] });
        if (found) { this.target.choose(found.properties); }
    }

    #grabbed(point, reachPixels) {
        return grabbed(this.#regionMap.handles, (at) => this.#map.project(at), point, reachPixels);
    }

    #snapped({ point, lngLat, originalEvent }) {
        const at = rounded(lngLat.toArray());
        if (originalEvent?.altKey || !this.target.snap) { return at; }
        const reachDegrees = Math.abs(this.#map.unproject([point.x, point.y + snapPixels]).lat - lngLat.lat);
        return this.target.snap(at, reachDegrees);
    }
}
