/**
 * When a map is drawn anew. People who move, tiles and letters come one after the other, and each would draw the whole
 * map, which without a graphics card leaves the page no time for anything else. They are drawn together, a few times a
 * second, and none is begun before the last is drawn: pictures that wait for one another would hold up the rest of the
 * page together. A move of the map itself is drawn at once.
 */
import { whenDrawn } from "./gpufence.js";

/** At most so long between two pictures of a map that stands still, however slow the machine is: lists come first. */
const longestGapMs = 500;
/** Between two pictures are so many times as long as the last one took to be drawn. */
const gapShare = 4;
/** So long after a touch, a key or a turn of the wheel on the map each picture is drawn at once. */
const handMs = 500;
/** A map that nobody lets draw again does so by itself after this long. */
const longestRestMs = 1000;
/** The rest after a press elsewhere on the page: what the press changes there is seen first. */
const pressRestMs = 250;

export class MapFrames {
    #map;
    #repaint;
    #whenDrawn;
    #now;
    #isResting = false;
    /** Whether a picture is handed over and not drawn yet. */
    #isDrawing = false;
    /** Whether a picture was asked for while the map rests, or while one is being drawn. */
    #isDue = false;
    #restTimer;
    #timer;
    #frame;
    #cancelDrawn = () => {};
    #drawnMs = -Infinity;
    #handedMs = -Infinity;
    #pressedMs = -Infinity;
    #gapMs = 0;

    /**
     * @param {object} map MapLibre's map, which asks for each of its pictures by `triggerRepaint`
     * @param {object} [options] replaced in tests
     * @param {() => number} [options.now]
     * @param {(act: () => void) => () => void} [options.whenDrawn] acts once the last picture is drawn
     */
    constructor(map, { now = () => performance.now(), whenDrawn: drawn } = {}) {
        this.#map = map;
        this.#now = now;
        this.#whenDrawn = drawn ?? ((act) => whenDrawn(map.painter.context.gl, act, now));
        this.#repaint = map.triggerRepaint.bind(map);
        map.triggerRepaint = () => this.#ask();
        map.on("render", () => this.#note());
        map.on("movestart", () => this.#hurry());
        map.on("move", () => this.#hurry());
        const isOver = new AbortController();
        map.once("remove", () => {
            this.#clear();
            clearTimeout(this.#restTimer);
            this.#cancelDrawn();
            isOver.abort();
        });
        const options = { capture: true, passive: true, signal: isOver.signal };
        const container = map.getContainer();
        for (const hand of ["pointerdown", "pointermove", "wheel", "keydown"]) {
            container.addEventListener(hand, (event) => this.#hand(event), options);
        }
        for (const press of ["pointerdown", "keydown"]) {
            container.ownerDocument.addEventListener(press, (event) => this.#pressed(event), options);
        }
    }

    /** Draws nothing until `wake`, or for so many milliseconds: something else of the page must be seen first. */
    rest(longestMs = longestRestMs) {
        this.#isResting = true;
        clearTimeout(this.#restTimer);
        this.#restTimer = setTimeout(() => this.wake(), longestMs);
    }

    /** Draws again, first what was asked for meanwhile. */
    wake() {
        clearTimeout(this.#restTimer);
        this.#isResting = false;
        this.#askDue();
    }

    #askDue() {
        if (this.#isDue && !this.#isResting && !this.#isDrawing) { this.#isDue = false; this.#ask(); }
    }

    #ask() {
        if (this.#isResting || this.#isDrawing) { this.#isDue = true; return; }
        if (this.#isMoved()) { this.#clear(); this.#repaint(); return; }
        if (this.#timer !== undefined || this.#frame !== undefined) { return; }
        const waitMs = this.#drawnMs + this.#gapMs - this.#now();
        if (waitMs <= 0) { this.#draw(); return; }
        this.#timer = setTimeout(() => { this.#timer = undefined; this.#draw(); }, waitMs);
    }

    /** Asks for the next frame in a way that a rest can still stop. */
    #draw() {
        this.#frame = requestAnimationFrame(() => {
            this.#frame = undefined;
            if (this.#isResting || this.#isDrawing) { this.#isDue = true; return; }
            try { this.#map.redraw(); } catch (error) {
                // What MapLibre's own frames pass over as well.
                if (error.name !== "AbortError" && error.message !== "Framebuffer is not complete") { throw error; }
            }
        });
    }

    /** A picture was handed over. */
    #note() {
        const beganMs = this.#now();
        this.#cancelDrawn();
        this.#cancelDrawn = this.#whenDrawn(() => {
            this.#isDrawing = false;
            this.#drawnMs = this.#now();
            this.#gapMs = Math.min(longestGapMs, gapShare * (this.#drawnMs - beganMs));
            this.#askDue();
        });
        this.#isDrawing = true;
    }

    /** A mouse that only passes over the map moves nothing. */
    #hand({ type, buttons }) {
        if (type === "pointermove" && !buttons) { return; }
        this.#handedMs = this.#now();
        this.#hurry();
    }

    /** Somebody who writes presses key after key, and the map is drawn nevertheless. */
    #pressed({ target }) {
        const nowMs = this.#now();
        const isOfMap = this.#map.getContainer().contains(target);
        if (isOfMap || this.#isResting || nowMs - this.#pressedMs < 2 * pressRestMs) { return; }
        this.#pressedMs = nowMs;
        this.rest(pressRestMs);
    }

    #isMoved() {
        return this.#map.isMoving() || this.#now() - this.#handedMs < handMs;
    }

    /** What waits is drawn in the next frame, by MapLibre's own clock. */
    #hurry() {
        if (this.#timer === undefined && this.#frame === undefined) { return; }
        this.#clear();
        this.#repaint();
    }

    #clear() {
        clearTimeout(this.#timer);
        if (this.#frame !== undefined) { cancelAnimationFrame(this.#frame); }
        this.#timer = undefined;
        this.#frame = undefined;
    }
}
