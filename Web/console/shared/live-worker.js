/**
 * Reads the server for a page, in a worker: the state as it is now, and the feed of what changes. Answers are parsed
 * here, so that the page has its time for the person who looks at it. `livedata.js` is the page's side.
 *
 * Changes go to the page in batches, one at a time: the next one waits until the page has taken the one before. A page
 * that takes none for long, because its tab sleeps, loads the state anew.
 */
import { Feed } from "./feed.js";
import { Problem, send } from "./http.js";
import { loadHeard, loadHistory, loadSnapshot } from "./snapshot.js";

/** Changes that arrive within this time go to the page together. */
const batchMs = 100;
/** So long at least between two batches: for a page on which many move it is work to show each. */
const leastGapMs = 250;
/** As many changes as wait for the page. */
const waitingLimit = 20_000;

let feed;
/** Ends the requests of the state that is being loaded. */
let loading = new AbortController();
let waiting = [];
let isPageBusy = false;
let batchTimer;
let sentMs = -Infinity;

/** The page's answers to what this worker asks, by the number of the question. */
const asked = new Map();
let lastAsked = 0;

const calls = {
    async load({ knownRegions, wantsHistory }) {
        // A state that the page gave up waiting for must not wait in the browser's queue as well.
        loading.abort();
        loading = new AbortController();
        const { signal } = loading;
        const get = (path) => json(path, { signal });
        let history = [];
        const snapshot = await loadSnapshot(get, knownRegions, (sequence) => {
            if (!wantsHistory) { return; }
            history = loadHistory(get, sequence);
            // Where the snapshot fails as well, nobody waits for it.
            history.catch(() => {});
        });
        return { snapshot, history: await history };
    },
    heard: ({ teams }) => loadHeard(json, teams),
};

const orders = {
    follow({ since }) {
        endFeed();
        const mine = new Feed({
            since, open: request,
            receive: (changes) => { if (mine === feed) { receive(changes); } },
            report: (status) => {
                if (mine === feed) { postMessage({ type: "status", status: { ...status, heardMs: mine.heardMs } }); }
            },
            resync: () => { if (mine === feed) { resync(); } },
        });
        feed = mine;
        mine.run();
    },
    stop() {
        loading.abort();
        endFeed();
    },
    hurry() { feed?.hurry(); },
    doubt() { feed?.doubt(); },
    taken() {
        isPageBusy = false;
        if (waiting.length > 0) { planBatch(); }
    },
    token({ number, token, problem }) {
        const question = asked.get(number);
        asked.delete(number);
        if (problem) { question?.reject(new Problem(problem.status, { detail: problem.message })); } else {
            question?.resolve(token);
        }
    },
};

addEventListener("message", async ({ data: { type, number, ...details } }) => {
    if (type in orders) { orders[type]({ number, ...details }); return; }
    try {
        postMessage({ type: "answer", number, answer: await calls[type](details) });
    } catch (error) {
        const problem = error instanceof Problem ? { status: error.status } : {};
        postMessage({ type: "failure", number, failure: { message: error.message, ...problem } });
    }
});

function receive(changes) {
    waiting.push(...changes);
    if (waiting.length > waitingLimit) { resync(); return; }
    if (!isPageBusy) { planBatch(); }
}

function planBatch() {
    batchTimer ??= setTimeout(sendBatch, Math.max(batchMs, sentMs + leastGapMs - performance.now()));
}

function sendBatch() {
    clearTimeout(batchTimer);
    batchTimer = undefined;
    isPageBusy = true;
    sentMs = performance.now();
    postMessage({ type: "changes", changes: waiting });
    waiting = [];
}

function resync() {
    endFeed();
    postMessage({ type: "resync" });
}

function endFeed() {
    feed?.stop();
    feed = undefined;
    clearTimeout(batchTimer);
    batchTimer = undefined;
    waiting = [];
    isPageBusy = false;
}

// Requests, with the access token that the page keeps

async function json(path, options) {
    return await (await request(path, options)).json();
}

async function request(path, options = {}) {
    const token = await askToken();
    try {
        return await send(path, { ...options, token });
    } catch (error) {
        if (!(error instanceof Problem) || error.status !== 401) { throw error; }
        return await send(path, { ...options, token: await askToken(token) });
    }
}

function askToken(refused) {
    lastAsked += 1;
    const number = lastAsked;
    postMessage({ type: "token", number, refused });
    return new Promise((resolve, reject) => { asked.set(number, { resolve, reject }); });
}
