// Loaded before PouchDB's own suites by mocha's --require.
const http = require("node:http");

// An assertion that fails inside a callback of PouchDB's is a rejection that nobody handles. mocha would end the whole
// run at it; without that the test times out, and fails by itself.
process.removeAllListeners("unhandledRejection");
process.on("unhandledRejection", (error) => console.error(error));

// The server that is always down, which the suite expects at this port.
const down = http.createServer((_, response) => {
    response.writeHead(500, { "Content-Type": "application/json" });
    response.end("{}");
});
down.listen(3010, "127.0.0.1");
down.unref();
