// What a PouchDB does with a server: each scenario is given a way to open databases and returns what a test compares.
// Runs in Node and in a browser alike.
globalThis.scenarios = {
    /** Pushes documents from one database and pulls them into another. */
    async pushAndPull({ local, remote }) {
        const [first, second] = [local(), local()];
        await first.bulkDocs(Array.from({ length: 250 }, (_, n) => ({ _id: `doc-${n}`, n, text: "é\u{1F9ED}" })));
        const push = await first.replicate.to(remote(), { batch_size: 100 });
        const pull = await second.replicate.from(remote(), { batch_size: 100 });
        const again = await second.replicate.from(remote());
        const rows = async (db) => (await db.allDocs({ include_docs: true })).rows.map((row) => row.doc);
        return {
            written: push.docs_written, pulled: pull.docs_written, again: again.docs_read,
            same: JSON.stringify(await rows(first)) === JSON.stringify(await rows(second)),
            deep: (await second.get("doc-7")).text === "é\u{1F9ED}",
        };
    },

    /** Edits one document at three places, and lets them meet. */
    async conflicts({ local, remote }) {
        const [first, second] = [local(), local()];
        await first.put({ _id: "d", from: "first" });
        await first.sync(remote());
        await second.sync(remote());
        for (const [db, from] of [[first, "ana"], [second, "ben"], [remote(), "cy"]]) {
            const { _rev } = await db.get("d");
            const next = await db.put({ _id: "d", _rev, from });
            if (from === "ben") await db.put({ _id: "d", _rev: next.rev, from: "ben again" });
        }
        for (const db of [first, second, first]) await db.sync(remote());
        const seen = [];
        for (const db of [first, second, remote()]) {
            const doc = await db.get("d", { conflicts: true, revs: true });
            seen.push(JSON.stringify([doc.from, doc._rev, [...(doc._conflicts ?? [])].sort(), doc._revisions]));
        }
        const { _conflicts: losers } = await first.get("d", { conflicts: true });
        for (const rev of losers) await first.remove("d", rev);
        await first.sync(remote());
        await second.sync(remote());
        const left = await second.get("d", { conflicts: true });
        const same = new Set(seen).size === 1;
        return { same, winner: left.from, losers: losers.length, left: left._conflicts ?? [] };
    },

    /** Follows each other while both are written to, deletions among it. */
    async live({ local, remote }) {
        const [first, server] = [local(), remote()];
        const sync = first.sync(remote(), { live: true, retry: true });
        const until = async (what) => {
            for (const end = Date.now() + 60_000; Date.now() < end; await new Promise((go) => setTimeout(go, 50))) {
                if (await what().catch(() => false)) return true;
            }
            return false;
        };
        await first.put({ _id: "here" });
        const there = await until(async () => Boolean((await server.get("here"))._id));
        await server.put({ _id: "there", n: 1 });
        const here = await until(async () => (await first.get("there")).n === 1);
        await server.remove(await server.get("there"));
        const gone = await until(() => first.get("there").then(() => false, (error) => error.reason === "deleted"));
        sync.cancel();
        return { there, here, gone };
    },

    /** Three that follow each other through a server, which ends and comes back in between; then all have the same. */
    async throughCrashes({ local, remote, said }) {
        // PouchDB's own waits grow to ten minutes, and begin anew only where something was missed.
        const options = { live: true, retry: true, back_off_function: (delay) => Math.min(1_000, delay + 200) };
        const all = Array.from({ length: 3 }, () => local());
        const syncs = all.map((db) => db.sync(remote(), options));
        const pause = (milliseconds) => new Promise((go) => setTimeout(go, milliseconds));
        let isOver = false;
        said.then(() => (isOver = true));
        const write = async (db, writer) => {
            for (let turn = 0; !isOver; turn++) {
                const _id = `d-${turn % 20}`;
                const found = await db.get(_id).catch(() => ({ _id }));
                await db.put({ ...found, writer, turn, text: "x".repeat(turn % 5 ? 100 : 20_000) })
                    .catch((error) => { if (error.status !== 409) throw error; });
                await pause(20);
            }
        };
        await Promise.all(all.map(write));
        const state = async (db) => {
            const { rows } = await db.allDocs();
            return JSON.stringify(rows.map((row) => [row.id, row.value.rev]).sort());
        };
        const end = Date.now() + 120_000;
        let states = [];
        do {
            await pause(100);
            states = await Promise.all([...all, remote()].map(state)).catch(() => []);
        } while (new Set(states).size !== 1 && Date.now() < end);
        for (const sync of syncs) sync.cancel();
        return { same: new Set(states).size === 1, documents: states.length && JSON.parse(states[0]).length };
    },

    /** Files, small and large, there and back. */
    async attachments({ local, remote }) {
        const bytes = (length, seed) => Uint8Array.from({ length }, (_, n) => (n * 31 + seed * (n >> 8)) & 255);
        const [first, second] = [local(), local()];
        for (const [name, length] of [["small", 9], ["large", 3_000_000]]) {
            const body = new Blob([bytes(length, 7)], { type: "application/x-track" });
            await first.put({ _id: name, _attachments: { "a track/1.bin": { content_type: body.type, data: body } } });
        }
        await first.replicate.to(remote());
        await second.replicate.from(remote());
        const found = {};
        for (const [name, length] of [["small", 9], ["large", 3_000_000]]) {
            const blob = await second.getAttachment(name, "a track/1.bin");
            const read = new Uint8Array(await blob.arrayBuffer());
            const sent = bytes(length, 7);
            found[name] = blob.type === "application/x-track" && read.length === length
                && read.every((byte, index) => byte === sent[index]);
        }
        return found;
    },

    /** Takes what a filter lets through alone. */
    async filters({ local, remote }) {
        await remote().bulkDocs([{ _id: "a", kind: 1 }, { _id: "b", kind: 2 }, { _id: "c", kind: 2 }]);
        const ids = async (options) => {
            const db = local();
            await db.replicate.from(remote(), options);
            return (await db.allDocs()).rows.map((row) => row.id);
        };
        return { selector: await ids({ selector: { kind: 2 } }), ids: await ids({ doc_ids: ["a"] }) };
    },
};

/** Runs one scenario against a database of its own. */
globalThis.runScenario = async (name, { PouchDB, url, username, password, adapter, said }) => {
    const mark = `${Date.now()}-${Math.random().toString(36).slice(2)}`;
    let count = 0;
    const opened = [];
    const open = (...how) => (opened.push(new PouchDB(...how)), opened.at(-1));
    try {
        return await globalThis.scenarios[name]({
            said,
            local: () => open(`local-${mark}-${count++}`, adapter ? { adapter } : {}),
            remote: () => open(url, { auth: { username, password } }),
        });
    } finally {
        for (const db of opened) await db.close().catch(() => {});
    }
};
