/**
 * The worker that reads the server, under an address below this page's. A worker is served from the cache of the folder
 * that its address lies in, and so this one also starts without a server.
 */
import "../console/shared/live-worker.js";
