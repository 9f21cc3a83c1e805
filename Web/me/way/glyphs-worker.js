/** Draws the letters of the map. A worker is served from the cache of its own folder, so the app has this copy. */
import "../../console/map/glyphs-worker.js";
