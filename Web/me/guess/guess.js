/**
 * What the phone computes while the server is away: from its newest fix and the server's regions, with the server's own
 * code (`engine/engine.js`). A guess is shown as a guess, and the server's word replaces it.
 */
import { Engine } from "../../engine/engine.js";
import { Comparison } from "./comparison.js";
import { collectionOf, isNear, isRaw, regionChanges, ruleOf, vertexCount, wantedRegions } from "./regionset.js";

/** The number of vertices put into the engine at once; then the page can do other work. */
const sliceVertices = 2000;
/** The largest number of fixes that wait while regions are put into the engine; the oldest go first. */
const waitingLimit = 200;
/** The largest number of fixes from before this start that are fed to the engine: those of an hour. */
const historyLimit = 1000;
/** The wait after the first change of a verdict, in milliseconds: a verdict comes in several changes of the log. */
const settleMs = 2000;
/** The time between two checks for silence, in milliseconds. */
const sweepMs = 15_000;
/** A fix older than the newest by more than this was not late: the device's clock was set back. */
const setBackMs = 60_000;

/**
 * @typedef {object} Guess
 * @property {{key: string, id: string, name: string, isInside: boolean, standing: string, probability?: number,
 *     doubt?: string, isMuster: boolean}[]} regions
 * @property {boolean} isInMuster whether the person is safe, judged by this phone alone and without a doubt
 * @property {{state: string, source: string, doubt?: string}} safety
 * @property {number} at the sample time of the newest fix
 */

/** Keeps the store's part `guess` from `begin` until `end`, which forgets everything. */
export class Guesser {
    #store;
    #load;
    #serverNow;
    #schedule;
    #history;
    #keep;
    #debug;
    #engine;
    /** The regions that the engine has or has refused, by key. */
    #known = new Map();
    #numbers = new Map();
    #collections = new Map();
    #lastNumber = 0;
    #own;
    #fix;
    #member;
    #waiting = [];
    /** The sample time of the newest fix that the engine has. */
    #newestAt = -Infinity;
    #isWorking = false;
    #isEnded = false;
    #ends = new Set();
    comparison = new Comparison();

    /**
     * @param {object} options
     * @param {import("../../console/shared/store.js").Store} options.store its parts `own`, with `collections`, and
     *     `fix` are read
     * @param {() => Promise<Engine>} [options.load]
     * @param {() => number} [options.serverNow] milliseconds since 1970
     * @param {(act: () => void, ms: number) => (() => void)} [options.schedule] returns a function that cancels the
     *     call
     * @param {() => Promise<object[]>} [options.history] the fixes from before this start, the oldest first
     * @param {(fix: object) => void} [options.keep] called with each fix that the engine gets, for the next start
     * @param {(...words: unknown[]) => void} [options.debug] the developer's console
     */
    constructor({ store, load = () => Engine.load(), serverNow = Date.now, schedule = later,
        history = async () => [], keep = () => {}, debug = console.debug }) {
        this.#store = store;
        this.#load = load;
        this.#serverNow = serverNow;
        this.#schedule = schedule;
        this.#history = history;
        this.#keep = keep;
        this.#debug = debug;
    }

    begin() {
        this.#ends.add(this.#store.subscribe(() => this.#look()));
        this.#look();
        this.#sweepLater();
    }

    end() {
        this.#isEnded = true;
        for (const end of this.#ends) { end(); }
        this.#ends.clear();
        this.#engine = undefined;
        this.#store.set({ guess: undefined });
    }

    /** The engine with the server's regions, for the way; undefined while the engine does not have all of them. */
    get engine() { return this.#isWorking ? undefined : this.#engine; }

    /** The number of a region in the engine; undefined if the engine does not have the region. */
    numberOf(key) { return this.#numbers.get(key); }

    #look() {
        const { own, fix } = this.#store.value;
        if (own?.member !== this.#member) { this.#member = own?.member; this.#compareLater(); }
        if (fix && fix !== this.#fix && !fix.isStale && fix.sampleTime !== this.#fix?.sampleTime) {
            this.#waiting.push(fix);
            this.#keep(fix);
            if (this.#waiting.length > waitingLimit) { this.#waiting.shift(); }
        }
        this.#fix = fix;
        const isNew = own?.regions !== this.#own?.regions || own?.collections !== this.#own?.collections;
        if (own && (isNew || this.#waiting.length > 0)) { this.#work(); }
    }

    /** Puts changed regions into the engine, a slice at a time, and feeds the engine the waiting fixes. */
    async #work() {
        if (this.#isWorking || this.#isEnded) { return; }
        this.#isWorking = true;
        try {
            if (!this.#engine) { await this.#begin(); }
            while (!this.#isEnded && await this.#adoptRegions()) { /* Further regions may have come meanwhile. */ }
            if (!this.#isEnded && this.#engine) { this.#feed(); }
        } catch (error) {
            // After a trap the module's state cannot be used any more.
            this.#forget();
            this.#waiting = [];
            this.#debug("The guess failed.", error);
        } finally {
            this.#isWorking = false;
        }
        const { own } = this.#store.value;
        if (!this.#isEnded && this.#engine && own && own.regions !== this.#own?.regions) { this.#work(); }
    }

    async #begin() {
        const [engine, history] = await Promise.all([this.#load(), this.#history().catch(() => [])]);
        this.#engine = engine;
        // The history is read once. After a fault, or a clock that was set back, the engine starts with the next fixes.
        this.#history = async () => [];
        this.#waiting = [...history, ...this.#waiting].slice(-historyLimit);
    }

    #forget() {
        this.#engine = undefined;
        this.#own = undefined;
        this.#newestAt = -Infinity;
        for (const part of [this.#known, this.#numbers, this.#collections]) { part.clear(); }
        this.#store.set({ guess: undefined });
    }

    /** @returns {Promise<boolean>} whether regions changed */
    async #adoptRegions() {
        const { own, fix } = this.#store.value;
        if (!own || (own.regions === this.#own?.regions && own.collections === this.#own?.collections)) {
            return false;
        }
        this.#own = own;
        const wanted = wantedRegions(own);
        const { gone, put } = regionChanges(this.#known, wanted);
        for (const key of gone) { this.#remove(key); }
        // With very many vertices, far regions can wait: a person in a near region then learns it sooner.
        const near = put.filter((key) => isNear(wanted.get(key), fix));
        await this.#putAll(near, wanted);
        if (this.#isEnded) { return false; }
        this.#engine.review(this.#serverNow());
        if (near.length === put.length) { return true; }
        this.#feed();
        if (!this.#engine) { return false; }
        const isPut = new Set(near);
        await this.#putAll(put.filter((key) => !isPut.has(key)), wanted);
        if (!this.#isEnded) { this.#engine.review(this.#serverNow()); }
        return !this.#isEnded;
    }

    async #putAll(keys, wanted) {
        let vertices = 0;
        for (const key of keys) {
            const feature = wanted.get(key);
            this.#put(key, feature);
            vertices += vertexCount(feature.geometry.coordinates);
            if (vertices < sliceVertices) { continue; }
            vertices = 0;
            await new Promise((resolve) => { this.#schedule(resolve, 0); });
            if (this.#isEnded) { return; }
        }
    }

    #remove(key) {
        const number = this.#numbers.get(key);
        if (number !== undefined) { this.#engine.remove(number); }
        this.#numbers.delete(key);
        this.#known.delete(key);
    }

    #put(key, feature) {
        // A region whose policy changed is a new region to the engine: it belongs to another collection.
        const before = this.#known.get(key);
        if (before && isRaw(before.feature) !== isRaw(feature)) { this.#remove(key); }
        const collection = this.#collectionOf(feature);
        const number = this.#numbers.get(key) ?? (this.#lastNumber += 1);
        const isPut = this.#engine.put(number, { ...ruleOf(feature), collection });
        if (isPut) { this.#numbers.set(key, number); } else { this.#remove(key); }
        this.#known.set(key, { number, feature });
    }

    #collectionOf(feature) {
        const key = `${isRaw(feature) ? "raw" : "confident"}/${collectionOf(feature)}`;
        if (!this.#collections.has(key)) {
            this.#collections.set(key, this.#engine.putCollection({ isRaw: isRaw(feature) }));
        }
        return this.#collections.get(key);
    }

    #feed() {
        const fixes = this.#waiting.splice(0);
        const now = this.#serverNow();
        const before = this.#newestAt;
        for (const fix of fixes) {
            if (fix.sampleTime < this.#newestAt - setBackMs) {
                // Decisions at times in the future would otherwise count as true until those times.
                this.#waiting = fixes.slice(fixes.indexOf(fix));
                this.#forget();
                return;
            }
            try {
                // A past fix counts as received when it was taken; otherwise the phone's clock would seem wrong.
                const isPast = now - fix.sampleTime > sweepMs;
                this.#engine.feed(fix, isPast ? fix.sampleTime : Math.max(now, fix.sampleTime));
                this.#newestAt = Math.max(this.#newestAt, fix.sampleTime);
            } catch (error) {
                if (!(error instanceof RangeError)) { throw error; }
                this.#debug("The phone gave a place that is none.", error);
            }
        }
        // A late fix changes nothing, and says nothing about the present.
        if (this.#newestAt > before) { this.comparison.keep(this.#tell(this.#newestAt)); }
    }

    /** Stores what the engine computes for the newest fix. @returns {Guess} */
    #tell(at) {
        this.#engine.sweep(this.#serverNow());
        const keys = new Map([...this.#numbers].map(([key, number]) => [number, key]));
        const regions = this.#engine.presences().flatMap(({ region, ...presence }) => {
            const key = keys.get(region);
            const feature = this.#known.get(key)?.feature;
            if (!feature) { return []; }
            const { isInside, standing, probability, doubt } = presence;
            const { name, muster } = feature.properties ?? {};
            return [{
                key, id: feature.id, name: name || feature.id, isInside, standing, probability, doubt,
                isMuster: muster === true,
            }];
        });
        const { state, source, doubt } = this.#engine.safety();
        const guess = {
            regions, isInMuster: state === "safe" && doubt === undefined, safety: { state, source, doubt }, at,
        };
        this.#store.set({ guess });
        return guess;
    }

    #compareLater() {
        if (!this.#member) { return; }
        const end = this.#schedule(() => {
            this.#ends.delete(end);
            const difference = this.comparison.look(this.#store.value.own?.member, this.#numbers);
            if (!difference) { return; }
            const { differences, compared } = this.comparison;
            this.#debug(`The guess differed from the server's verdict (${differences} of ${compared}).`, difference);
        }, settleMs);
        this.#ends.add(end);
    }

    #sweepLater() {
        const end = this.#schedule(() => {
            this.#ends.delete(end);
            const { guess } = this.#store.value;
            if (guess && this.engine) { this.#tell(guess.at); }
            this.#sweepLater();
        }, sweepMs);
        this.#ends.add(end);
    }
}

function later(act, ms) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
}
