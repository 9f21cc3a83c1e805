/** Tables as spreadsheets save and read them (RFC 4180). Pure. */

/**
 * Reads the rows of a table. The separator is the comma or the semicolon, whichever the first line has more of.
 * @param {string} text
 * @param {number} [limit] the largest number of rows to read
 * @returns {string[][]} a quoted cell that is never closed ends with the text
 */
export function parseTable(text, limit = Infinity) {
    const plain = text.replace(/^\uFEFF/, "");
    const head = /^[^\r\n]*/.exec(plain)[0];
    const separator = head.split(";").length > head.split(",").length ? ";" : ",";
    const rows = [];
    let [row, cell, isQuoted] = [[], "", false];
    const endRow = () => {
        row.push(cell);
        if (row.some((each) => each.trim() !== "")) { rows.push(row); }
        [row, cell] = [[], ""];
    };
    for (let index = 0; index < plain.length && rows.length < limit; index += 1) {
        const character = plain[index];
        if (isQuoted) {
            if (character !== "\"") { cell += character; } else if (plain[index + 1] === "\"") {
                cell += "\"";
                index += 1;
            } else { isQuoted = false; }
        } else if (character === "\"" && cell === "") { isQuoted = true; } else if (character === separator) {
            row.push(cell);
            cell = "";
        } else if (character === "\n" || character === "\r") {
            if (character === "\r" && plain[index + 1] === "\n") { index += 1; }
            endRow();
        } else { cell += character; }
    }
    if (rows.length < limit && (cell !== "" || row.length > 0)) { endRow(); }
    return rows;
}

/** Writes rows as a table. It begins with a byte order mark, by which spreadsheets recognize UTF-8. */
export function tableText(rows, isHarmless) {
    return `\uFEFF${rows.map((row) => `${row.map((cell) => cellText(cell, isHarmless)).join(",")}\r\n`).join("")}`;
}

/**
 * Writes one cell: quoted where necessary, and never as a formula for a spreadsheet (OWASP, CSV injection).
 * @param {(text: string) => boolean} [isHarmless] whether a text that begins like a formula is certainly none
 */
function cellText(value, isHarmless = () => false) {
    const text = String(value ?? "");
    const plain = /^[=+\-@\t\r\n]/.test(text) && !isHarmless(text) ? `'${text}` : text;
    return /[",\r\n]/.test(plain) ? `"${plain.replaceAll("\"", "\"\"")}"` : plain;
}
