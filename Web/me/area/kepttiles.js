/** Gives the page access to the tiles that the service worker keeps. */
import "./tilecache.js";

export const { TileCache, tileCacheName } = globalThis.musterTiles;
