/**
 * Keeps the store's part `own`: from the cache when the page opens, then from the live state, which is also written to
 * the cache. The time of the server's word is kept with it, so that a page without a server can say how old it is.
 */
import { learnNames, namesOfUsers } from "../console/shared/names.js";
import { isSameOwn, ownOf } from "./own.js";

/** How often an unchanged value is written again with its new time, in milliseconds. */
const keepEveryMs = 20_000;

export class OwnLoop {
    #store;
    #cache;
    #loop;
    #keptAt = -Infinity;
    #keptRegions;
    #isKeeping = false;
    #isWanted = false;
    #unsubscribe = () => {};

    /**
     * @param {object} options
     * @param {import("../console/shared/store.js").Store} options.store
     * @param {{read: (name: string) => Promise<any>, write: (name: string, value: any) => Promise<void>}} options.cache
     *     the cache of the signed-in user
     * @param {import("../console/shared/liveloop.js").LiveLoop} options.loop
     */
    constructor({ store, cache, loop }) {
        this.#store = store;
        this.#cache = cache;
        this.#loop = loop;
    }

    /** Shows what the cache has, unless the server answered first, and follows the live state. */
    async begin() {
        this.end();
        this.#unsubscribe = this.#store.subscribe(() => this.#look());
        const { user } = this.#store.value;
        const kept = await this.#cache.read("own").catch(() => undefined);
        const isHere = () => this.#store.value.user?.name === user?.name;
        if (!kept || !isHere() || this.#store.value.own) { return; }
        const { aheadMs = 0, names = {}, ...own } = kept;
        learnNames(Object.entries(names));
        this.#loop.assumeClock(aheadMs);
        this.#store.set({ own: { ...own, user, regions: [], isKept: true } });
        const regions = await this.#cache.read("regions").catch(() => undefined);
        if (!regions || !isHere()) { return; }
        this.#store.set(({ own: now }) => (now?.isKept ? { own: { ...now, regions } } : {}));
    }

    /** Stops showing the value; the cache keeps it for the same user. */
    end() {
        this.#unsubscribe();
        this.#unsubscribe = () => {};
        this.#keptAt = -Infinity;
        this.#keptRegions = undefined;
        this.#store.set({ own: undefined });
    }

    /** Writes the shown value now: the page may be closed next. */
    keep() {
        if (this.#store.value.own && !this.#store.value.own.isKept) { this.#look(); this.#write(); }
    }

    #look() {
        const { live, user, own: was, connection } = this.#store.value;
        const isLive = connection.state === "live";
        const now = this.#loop.serverNow;
        const own = ownOf(live, user, isLive ? now : this.#loop.heardAt ?? was?.heardAt ?? now);
        if (!own) { return; }
        const isSame = isSameOwn(was, own) && !was.isKept;
        // An unchanged value is not drawn again while the connection is live.
        const isDue = isLive && now - this.#keptAt > keepEveryMs;
        if (isSame && !isDue && (isLive || own.heardAt === was.heardAt)) { return; }
        this.#keptAt = now;
        this.#store.set({ own });
        if (!isSame || isDue) { this.#write(); }
    }

    /** Writes the shown value; if it changes meanwhile, it is written again. */
    async #write() {
        this.#isWanted = true;
        if (this.#isKeeping) { return; }
        this.#isKeeping = true;
        try {
            while (this.#isWanted && this.#store.value.own) {
                this.#isWanted = false;
                await this.#writeNow(this.#store.value.own);
            }
        } catch {
            // The storage is full or forbidden, as the store's part `storage` says. The shown value does not depend on
            // it.
        } finally {
            this.#isKeeping = false;
        }
    }

    async #writeNow({ regions, ...own }) {
        if (regions !== this.#keptRegions) {
            await this.#cache.write("regions", regions);
            this.#keptRegions = regions;
        }
        const { user, member } = own;
        const names = namesOfUsers([user.name, member?.acknowledgedBy, member?.markedBy]);
        await this.#cache.write("own", { ...own, names, aheadMs: this.#loop.clockAheadMs });
    }
}
