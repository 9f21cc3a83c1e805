/**
 * When a map is drawn anew. People who move, tiles and letters come one after the other, and each would draw the whole
 * map, which without a graphics card leaves the page no time for anything else. They are drawn together, a few times a
 * second. A move of the map itself is drawn at once, frame by frame.
 */

/** At most so long between two pictures of a map that stands still: nobody is shown later for it than they notice. */
const longestGapMs = 250;
/** Between two pictures are so many times as long as the page waited for the two frames after the last picture. */
const gapShare = 3;
/** So long after a touch, a key or a turn of the wheel on the map each picture is drawn at once. */
const handMs = 500;
/** A map that nobody lets draw again does so by itself after this long. */
const longestRestMs = 1000;

export class MapFrames {
    #map;
    #repaint;
    #isResting = false;
    #isDue = false;
    #restTimer;
    #timer;
    #frame;
    #now;
    #drawnMs = -Infinity;
    #handedMs = -Infinity;
    #gapMs = 0;

    /**
     * @param {object} map MapLibre's map, which asks for each of its pictures by `triggerRepaint`
     * @param {() => number} [now] replaced in tests
     */
    constructor(map, now = () => performance.now()) {
        this.#map = map;
        this.#now = now;
        this.#repaint = map.triggerRepaint.bind(map);
        map.triggerRepaint = () => this.#ask();
        map.on("render", () => this.#note());
        map.on("movestart", () => this.#hurry());
        map.on("move", () => this.#hurry());
        map.once("remove", () => { this.#clear(); clearTimeout(this.#restTimer); });
        const container = map.getContainer();
        for (const hand of ["pointerdown", "pointermove", "wheel", "keydown"]) {
            container.addEventListener(hand, (event) => this.#hand(event), { capture: true, passive: true });
        }
    }

    /** Draws nothing until `wake`: something else of the page must be seen first. */
    rest() {
        this.#isResting = true;
        clearTimeout(this.#restTimer);
        this.#restTimer = setTimeout(() => this.wake(), longestRestMs);
    }

    /** Draws again, first what was asked for meanwhile. */
    wake() {
        clearTimeout(this.#restTimer);
        this.#isResting = false;
        if (this.#isDue) { this.#isDue = false; this.#ask(); }
    }

    #ask() {
        if (this.#isResting) { this.#isDue = true; return; }
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
            if (this.#isResting) { this.#isDue = true; return; }
            try { this.#map.redraw(); } catch (error) {
                // What MapLibre's own frames pass over as well.
                if (error.name !== "AbortError" && error.message !== "Framebuffer is not complete") { throw error; }
            }
        });
    }

    /** The frames after a picture come late where it was much work. */
    #note() {
        const beganMs = this.#now();
        this.#drawnMs = beganMs;
        requestAnimationFrame(() => requestAnimationFrame(() => {
            this.#gapMs = Math.min(longestGapMs, gapShare * (this.#now() - beganMs));
        }));
    }

    /** A mouse that only passes over the map moves nothing. */
    #hand({ type, buttons }) {
        if (type === "pointermove" && !buttons) { return; }
        this.#handedMs = this.#now();
        this.#hurry();
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
