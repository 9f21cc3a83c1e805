/** How a map moves: it jumps for people who asked for reduced motion, and on machines too slow to animate it. */

/** The frame rate below which an animated move is a waste, and later moves are jumps. */
const fewestFramesPerSecond = 20;

export class MapMoves {
    #map;
    /** Whether this machine draws too slowly to animate moves. */
    #isSlow = false;

    /** @param {object} map MapLibre's map */
    constructor(map) {
        this.#map = map;
        let frames = 0;
        let beganMs;
        map.on("movestart", () => { frames = 0; beganMs = performance.now(); });
        map.on("render", () => { frames += 1; });
        map.on("moveend", () => {
            const seconds = (performance.now() - beganMs) / 1000;
            if (seconds > 0.3) { this.#isSlow = frames / seconds < fewestFramesPerSecond; }
        });
    }

    /** The options that every move of the map gets. */
    calm() {
        const isUnwanted = matchMedia("(prefers-reduced-motion: reduce)").matches;
        return isUnwanted || this.#isSlow ? { animate: false } : { duration: 900 };
    }

    /**
     * Makes the map as large as its element is now. Each move begins with a resize, because a panel may just have
     * opened beside the map: MapLibre notices a changed size only later, and a move under way would then miss its aim.
     */
    resize() {
        const canvas = this.#map.getCanvas();
        const { clientWidth, clientHeight } = this.#map.getContainer();
        if (canvas.clientWidth !== clientWidth || canvas.clientHeight !== clientHeight) { this.#map.resize(); }
    }
}
