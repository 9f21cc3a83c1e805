/**
 * Keeps the phone's newest fixes on its disk. After a reload without a network the engine computes from them what it
 * computed before, and does not begin with one fix.
 */

/** The name of the value in the person's cache. */
const name = "fixes";
/** The largest number of fixes that are kept: those of ten minutes at one in 5 s. */
export const keptLimit = 120;
/** The age in milliseconds, before the newest fix, beyond which a fix is not kept. */
const keptMs = 600_000;
/** The age in milliseconds beyond which a fix says nothing about the present. */
const longestMs = 3_600_000;

export class KeptFixes {
    #cache;
    /** In the order of their times. */
    #fixes = [];
    #reading;
    #writing;
    #isWanted = false;

    /** @param {{read: (name: string) => Promise<any>, write: (name: string, value: any) => Promise<void>}} cache */
    constructor(cache) {
        this.#cache = cache;
        this.#reading = cache.read(name).then((found) => (Array.isArray(found) ? found : []), () => []);
    }

    /**
     * The fixes from before this start, the oldest first.
     * @param {number} nowMs the server's time: a later fix was taken while the device's clock was wrong
     * @returns {Promise<object[]>}
     */
    async before(nowMs) {
        return (await this.#reading).filter(({ sampleTime }) => sampleTime <= nowMs && nowMs - sampleTime <= longestMs);
    }

    /** Keeps a fix; forgets those that are not earlier, and the oldest beyond the limit. */
    add({ latitude, longitude, accuracy, sampleTime, speed, heading }) {
        this.#fixes = [
            ...this.#fixes.filter((kept) => kept.sampleTime < sampleTime),
            { latitude, longitude, accuracy, sampleTime, speed, heading },
        ].slice(-keptLimit);
        this.#isWanted = true;
        this.#writing ??= this.#write().finally(() => { this.#writing = undefined; });
    }

    /** Settles once all that was added is written. */
    async end() { await this.#writing; }

    async #write() {
        const before = await this.#reading;
        while (this.#isWanted) {
            this.#isWanted = false;
            const [{ sampleTime: first }] = this.#fixes;
            const { sampleTime: last } = this.#fixes.at(-1);
            const all = [...before.filter(({ sampleTime }) => sampleTime < first), ...this.#fixes]
                .filter(({ sampleTime }) => last - sampleTime <= keptMs).slice(-keptLimit);
            // Without room on the disk the engine begins anew after a reload.
            await this.#cache.write(name, all).catch(() => {});
        }
    }
}
