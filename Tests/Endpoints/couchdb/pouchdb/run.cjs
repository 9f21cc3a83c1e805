// node run.cjs FOLDER SCENARIO, with the rest in the environment: runs a scenario with the PouchDB of that folder, its
// browser build told that Node is one. Prints what the scenario returned.
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");

const [folder, scenario] = process.argv.slice(2);
globalThis.self = globalThis;
globalThis.window = globalThis;
// PouchDB reassures a person at the console; what is printed here is read by a program.
console.log = console.info = console.error;
const load = (file) => vm.runInThisContext(fs.readFileSync(file, "utf8"), { filename: file });

// Both builds are for a page's script elements: without a `module` they name themselves on the window.
load(path.join(folder, "pouchdb.js"));
load(path.join(folder, "pouchdb.memory.js"));
load(path.join(__dirname, "scenarios.js"));

const { POUCHDB_URL: url, POUCHDB_USER: username, POUCHDB_PASSWORD: password } = process.env;
// PouchDB leaves the failure of a request unhandled that it makes beside a checkpoint, where a server ends just then.
process.on("unhandledRejection", (error) => console.error(error));
// What a test says while a scenario runs.
const said = new Promise((go) => process.stdin.once("data", go));
const settings = { PouchDB: globalThis.PouchDB, url, username, password, adapter: "memory", said };
globalThis.runScenario(scenario, settings).then(
    (result) => {
        process.stdout.write(JSON.stringify(result));
        process.exit(0);
    },
    (error) => {
        process.stderr.write(`${error.stack ?? JSON.stringify(error)}\n`);
        process.exit(1);
    });
