/**
 * The tiles that the map used in the last days, kept by the service worker within a bound. Without a network, the map
 * can still draw the places that were looked at. The service worker loads no modules, so this file is a plain script,
 * and the page loads it through `kepttiles.js`.
 * The times at which tiles were used are stored beside the tiles, at most once in a while. A worker that is ended
 * forgets some of these times, but never a tile.
 */
{
    /** The name of the cache. Signing out erases it, because the kept tiles tell which places somebody looked at. */
    const tileCacheName = "muster-tiles-1";

    /** The time for which the server lets a browser use a tile without asking, in milliseconds. */
    const freshMs = 3_600_000;
    /** The longest time that a frozen server delays a kept tile, in milliseconds. */
    const answerLimitMs = 4000;
    const longestMs = 14 * 86_400_000;
    const mostBytes = 40 << 20;
    const mostTiles = 4000;
    /** The size of the largest tile that is kept, in bytes. */
    const largestBytes = 2 << 20;
    /** The number of tiles stored between two checks of the bounds. */
    const storesBetween = 50;

    class TileCache {
        #caches;
        #fetch;
        #now;
        #later;
        #root;
        #limits;
        /** When each tile was stored and last used, and its size, by the tile's path. */
        #uses;
        #stored = 0;
        #isSaveDue = false;

        /**
         * @param {object} options
         * @param {string} options.root the address below which `tiles/` lies
         * @param {CacheStorage} [options.caches] this option and the following ones are replaced in tests
         * @param {(request: Request) => Promise<Response>} [options.fetch]
         * @param {() => number} [options.now]
         * @param {(act: () => void, ms: number) => unknown} [options.later]
         * @param {{mostBytes?: number, mostTiles?: number, longestMs?: number}} [options.limits]
         */
        constructor({
            root, caches = globalThis.caches, fetch = (request) => globalThis.fetch(request), now = Date.now,
            later = (act, ms) => setTimeout(act, ms), limits = {},
        }) {
            this.#root = new URL("tiles/", root);
            this.#caches = caches;
            this.#fetch = fetch;
            this.#now = now;
            this.#later = later;
            this.#limits = { mostBytes, mostTiles, longestMs, ...limits };
        }

        /**
         * Whether a request is for a tile or for the list of tiles. A download bypasses all caches, and does not count.
         */
        isTile({ method, url, cache }) {
            if (method !== "GET" || cache === "no-store") { return false; }
            const { origin, pathname } = new URL(url);
            return origin === this.#root.origin && pathname.startsWith(this.#root.pathname)
                && /^(index\.json|[^/]+\/\d+\/\d+\/\d+)$/.test(pathname.slice(this.#root.pathname.length));
        }

        /**
         * Answers a request for which `isTile` holds: with a fresh kept tile, else from the server, else with an old
         * kept tile.
         * @param {Request} request
         * @param {{waitUntil: (work: Promise<unknown>) => void}} [event] kept alive until the answer is stored
         * @returns {Promise<Response>}
         * @throws {TypeError} if the server does not answer, and nothing is kept
         */
        async respond(request, event) {
            const key = this.#keyOf(request.url);
            const kept = await this.#kept(key);
            const isList = key === "index.json";
            if (kept && !isList && this.#now() - kept.storedMs < freshMs) {
                this.#markUsed(key, event);
                return kept.response;
            }
            const asked = this.#ask(request, key, event);
            if (!kept) { return asked; }
            // A kept tile is better than an error, and better than waiting.
            const late = new Promise((resolve) => { this.#later(() => resolve(undefined), answerLimitMs); });
            const answer = await Promise.race([asked.catch(() => undefined), late]);
            asked.catch(() => {});
            if (answer?.ok) { return answer; }
            this.#markUsed(key, event);
            return kept.response;
        }

        /** Whether a tile is kept. @param {string} path for example `world/3/4/2` */
        async has(path) { return Boolean(await this.#kept(path)); }

        async #ask(request, key, event) {
            const response = await this.#fetch(request);
            if (response.ok) {
                const storing = this.#store(key, response.clone()).catch(() => {});
                event?.waitUntil(storing);
            }
            return response;
        }

        async #kept(key) {
            try {
                const cache = await this.#open();
                const response = await cache.match(this.#addressOf(key));
                if (!response) { return undefined; }
                return { response, storedMs: (await this.#use(cache)).get(key)?.storedMs ?? 0 };
            } catch {
                // The browser does not let the page store anything.
                return undefined;
            }
        }

        async #store(key, response) {
            const bytes = (await response.clone().arrayBuffer()).byteLength;
            if (bytes > largestBytes) { return; }
            const cache = await this.#open();
            const uses = await this.#use(cache);
            try {
                await cache.put(this.#addressOf(key), response);
            } catch {
                // The disk is full: older tiles make room for those that are looked at now.
                await this.#trim(cache, uses, { isFull: true });
                return;
            }
            const nowMs = this.#now();
            uses.set(key, { storedMs: nowMs, usedMs: nowMs, bytes });
            this.#stored += 1;
            if (this.#stored >= storesBetween || uses.size > this.#limits.mostTiles) {
                this.#stored = 0;
                await this.#trim(cache, uses);
            }
            await this.#save(uses);
        }

        #markUsed(key, event) {
            const use = this.#uses?.get(key);
            if (!use) { return; }
            use.usedMs = this.#now();
            event?.waitUntil(this.#save(this.#uses).catch(() => {}));
        }

        /**
         * Removes the tiles that were not used for long, and the least recently used ones beyond the bounds. If the
         * disk is full, it removes half of all tiles.
         */
        async #trim(cache, uses, { isFull = false } = {}) {
            const { longestMs: longest } = this.#limits;
            const oldestFirst = [...uses].filter(([key]) => key !== "index.json")
                .sort(([, left], [, right]) => left.usedMs - right.usedMs);
            let bytes = oldestFirst.reduce((sum, [, use]) => sum + use.bytes, 0);
            let left = oldestFirst.length;
            const most = isFull ? bytes / 2 : this.#limits.mostBytes;
            const count = isFull ? left / 2 : this.#limits.mostTiles;
            for (const [key, use] of oldestFirst) {
                const isOld = this.#now() - use.usedMs > longest;
                if (!isOld && bytes <= most && left <= count) { break; }
                await cache.delete(this.#addressOf(key));
                uses.delete(key);
                bytes -= use.bytes;
                left -= 1;
            }
        }

        /** The uses as they were last written, with those of tiles stored since. */
        async #use(cache) {
            if (this.#uses) { return this.#uses; }
            const uses = new Map();
            try {
                const written = await cache.match(this.#usesAddress);
                for (const [key, use] of written ? await written.json() : []) { uses.set(key, use); }
            } catch {
                uses.clear();
            }
            for (const { url } of await cache.keys()) {
                const key = this.#keyOf(url);
                if (url === this.#usesAddress || uses.has(key)) { continue; }
                uses.set(key, { storedMs: 0, usedMs: 0, bytes: 0 });
            }
            // Another request may have read the uses meanwhile.
            this.#uses ??= uses;
            return this.#uses;
        }

        /** Writes the uses soon, once for many tiles. If the cache was erased meanwhile, it stays erased. */
        async #save(uses) {
            if (this.#isSaveDue) { return; }
            this.#isSaveDue = true;
            await new Promise((resolve) => { this.#later(resolve, 2000); });
            this.#isSaveDue = false;
            const cache = await this.#open();
            if (this.#uses !== uses) { return; }
            await cache.put(this.#usesAddress, new Response(JSON.stringify([...uses])));
        }

        /** Opens the cache. If the cache was erased since, because somebody signed out, the uses are forgotten, too. */
        async #open() {
            if (!await this.#caches.has(tileCacheName)) { this.#uses = undefined; }
            return this.#caches.open(tileCacheName);
        }

        get #usesAddress() { return new URL("uses", this.#root).href; }

        #addressOf(key) { return new URL(key, this.#root).href; }

        #keyOf(url) { return new URL(url).pathname.slice(this.#root.pathname.length); }
    }

    globalThis.musterTiles = Object.freeze({ TileCache, tileCacheName });
}
