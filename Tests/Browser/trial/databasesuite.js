/** What the app's database promises, tried on any of its kinds: in a browser on IndexedDB, in Node.js in memory. */

/** @returns {Promise<string[]>} the promises that were broken */
export async function brokenPromises(database) {
    const broken = [];
    const check = (found, wanted, words) => {
        if (JSON.stringify(found) !== JSON.stringify(wanted)) { broken.push(`${words}: ${JSON.stringify(found)}`); }
    };
    for (const [name, act] of Object.entries(promises)) {
        await database.erase();
        await act(database, (found, wanted, words = "") => check(found, wanted, `${name} ${words}`.trim()));
    }
    await database.erase();
    return broken;
}

const keysOf = (entries) => entries.map(({ key }) => key);

const promises = {
    async "values are of a user, and come back as they were"(database, check) {
        const value = { text: "ä", list: [1, { deep: true }], nothing: null };
        await database.put("settings", "ann", "key", value);
        value.list.push("later");
        check(await database.get("settings", "ann", "key"), { text: "ä", list: [1, { deep: true }], nothing: null });
        check(await database.get("settings", "anna", "key"), undefined, "another user");
        check(await database.get("cache", "ann", "key"), undefined, "another store");
        await database.remove("settings", "ann", "key");
        await database.remove("settings", "ann", "never there");
        check(await database.get("settings", "ann", "key"), undefined, "removed");
    },

    async "entries come in the order of their keys, numbers as numbers"(database, check) {
        await database.write(["queue"], async (transaction) => {
            for (const key of [10, 9, 100, 1]) { await transaction.put("queue", "ann", key, `at ${key}`); }
            await transaction.put("queue", "ann", "text", "after all numbers");
            await transaction.put("queue", "anna", 5, "another's");
            await transaction.put("queue", "an", 5, "another's");
        });
        await database.read(["queue"], async (transaction) => {
            check(keysOf(await transaction.entries("queue", "ann")), [1, 9, 10, 100, "text"]);
            check(await transaction.entries("queue", "ann", 2), [{ key: 1, value: "at 1" }, { key: 9, value: "at 9" }]);
            check(await transaction.count("queue", "ann"), 5, "count");
            check(await transaction.last("queue", "ann"), "after all numbers", "last");
            check(await transaction.last("queue", "nobody"), undefined, "last of nobody");
        });
        await database.write(["queue"], async (transaction) => {
            await transaction.removeRange("queue", "ann", 9, 10);
            check(keysOf(await transaction.entries("queue", "ann")), [1, 100, "text"], "without a range");
        });
        await database.erase("ann");
        await database.read(["queue"], async (transaction) => {
            check(await transaction.count("queue", "ann"), 0, "erased");
            check(await transaction.count("queue", "anna") + await transaction.count("queue", "an"), 2, "others stay");
        });
    },

    async "a transaction that fails leaves nothing, and the next one goes on"(database, check) {
        await database.put("queue", "ann", 1, "before");
        let fault;
        try {
            await database.write(["queue", "settings"], async (transaction) => {
                await transaction.put("queue", "ann", 1, "changed");
                await transaction.put("queue", "ann", 2, "made");
                await transaction.clear("settings", "ann");
                throw new RangeError("in the middle");
            });
        } catch (error) { fault = error; }
        check([fault?.name, fault?.kind, fault?.message], ["DatabaseError", "failed", "in the middle"]);
        check(await database.get("queue", "ann", 1), "before");
        check(await database.get("queue", "ann", 2), undefined);
    },

    async "transactions do not see each other's halves"(database, check) {
        await database.put("settings", "ann", "count", 0);
        await Promise.all(Array.from({ length: 25 }, () => database.write(["settings"], async (transaction) => {
            const count = await transaction.get("settings", "ann", "count");
            await transaction.put("settings", "ann", "count", count + 1);
        })));
        check(await database.get("settings", "ann", "count"), 25);
    },

    async "everything of everybody goes at once"(database, check) {
        for (const store of ["queue", "refused", "outbox", "cache", "settings"]) {
            await database.put(store, "ann", "a", 1);
            await database.put(store, "bob", "b", 2);
        }
        await database.erase();
        for (const store of ["queue", "refused", "outbox", "cache", "settings"]) {
            check([await database.get(store, "ann", "a"), await database.get(store, "bob", "b")],
                [undefined, undefined], store);
        }
    },
};
