/**
 * Reads a JSON object from the standard input, the text of each script by its path, and prints for each script that is
 * no valid module the path and why. A classic script is a valid module here: none of ours needs what only it may have.
 * Needs `--experimental-vm-modules`.
 */
import vm from "node:vm";

let input = "";
for await (const chunk of process.stdin) { input += chunk; }
for (const [path, text] of Object.entries(JSON.parse(input))) {
    try {
        new vm.SourceTextModule(text, { identifier: path });
    } catch (error) {
        console.log(`${path}: ${error.message}`);
    }
}
