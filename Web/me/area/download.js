/** Loads the tiles of an area, a few at a time, into an archive. It uses no DOM, no network and no clock of its own. */
import { tilesOf } from "./tiles.js";

/** The number of tiles requested at once: the server gives each person's reads a part of two threads. */
const atOnce = 4;
/** The number of requests for one tile before the download gives up; each wait is longer than the last. */
const mostTries = 8;
const firstWaitMs = 500;
const longestWaitMs = 30_000;

/** The server did not answer, or asked the client to wait. */
export class Unanswered extends Error {
    constructor(retryAfterSeconds) {
        super("The server did not answer.");
        this.retryAfterSeconds = retryAfterSeconds;
    }
}

/** The server no longer has a tile file of that name. */
export class FileGone extends Error {}

/**
 * @param {object} options
 * @param {{box: number[], files: object[], topZoom: number, tiles: number}} options.plan
 * @param {import("./archive.js").ArchiveWriter} options.writer
 * @param {(tile: object) => boolean} [options.has] whether the archive already has a tile
 * @param {(tile: object, signal: AbortSignal) => Promise<{data?: Uint8Array, tag?: string, isPacked?: boolean,
 *     isMissing?: boolean}>} options.load returns no `data` if the file has no such tile; `isMissing` marks a tile that
 *     the server cannot read
 * @param {AbortSignal} options.signal pauses the download
 * @param {number} options.mostBytes
 * @param {(progress: {done: number, total: number, bytes: number, missing: number, isWaiting: boolean}) => void}
 *     options.report
 * @param {(ms: number, signal: AbortSignal) => Promise<void>} options.wait
 * @returns {Promise<{outcome: "complete"|"paused"|"full"|"unanswered"|"gone"|"tooLarge", missing: number}>} the archive
 *     is completed only if the outcome is `complete`
 */
export async function downloadArea({
    plan, writer, has = () => false, load, signal, mostBytes, report, wait,
}) {
    const remaining = tilesOf(plan);
    const state = { done: 0, total: plan.tiles, missing: 0, isWaiting: false };
    const tell = () => report({ ...state, bytes: writer.length });
    const ended = new AbortController();
    const either = AbortSignal.any ? AbortSignal.any([signal, ended.signal]) : signal;
    let outcome;
    const end = (why) => { outcome ??= why; ended.abort(); };
    const isOver = () => outcome !== undefined || signal.aborted;

    const work = async () => {
        for (const tile of remaining) {
            if (isOver()) { return; }
            if (!has(tile)) {
                const content = await insist(tile);
                if (!content || isOver()) { return; }
                if (content.isMissing) { state.missing += 1; } else { store(tile, content); }
                if (isOver()) { return; }
            }
            state.done += 1;
            tell();
        }
    };
    /** Requests a tile until the server answers. */
    const insist = async (tile) => {
        for (let tries = 1; !isOver(); tries += 1) {
            try {
                const content = await load(tile, either);
                state.isWaiting = false;
                return content;
            } catch (error) {
                if (isOver()) { return undefined; }
                if (error instanceof FileGone) { end("gone"); return undefined; }
                if (!(error instanceof Unanswered)) { end("failed"); throw error; }
                if (tries >= mostTries) { end("unanswered"); return undefined; }
                state.isWaiting = true;
                tell();
                const pause = Math.min(longestWaitMs, firstWaitMs * 2 ** (tries - 1));
                await wait(Math.max(pause, 1000 * (error.retryAfterSeconds ?? 0)), either);
            }
        }
        return undefined;
    };
    const store = (tile, content) => {
        const data = content.data ?? new Uint8Array();
        if (writer.length + data.length > mostBytes) { end("tooLarge"); return; }
        try {
            writer.add(tile, { ...content, data });
        } catch (error) {
            if (error?.name === "QuotaExceededError") { end("full"); } else { end("failed"); throw error; }
        }
    };

    tell();
    await Promise.all(Array.from({ length: atOnce }, work));
    if (outcome === undefined && signal.aborted) { outcome = "paused"; }
    if (outcome === undefined) {
        outcome = "complete";
        try {
            writer.complete();
        } catch (error) {
            if (error?.name !== "QuotaExceededError") { throw error; }
            outcome = "full";
        }
    }
    return { outcome, missing: state.missing };
}
