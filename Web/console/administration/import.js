/** Many users at once, of a table: tried first, every fault by its line, and then made all or none. */
import { detailWords } from "../shared/fieldfaults.js";
import { Fault, useDraft } from "../shared/forms.js";
import { legible } from "../shared/text.js";
import { html, useMemo, useRef, useState } from "../shared/view.js";
import { listed, t } from "../shared/words.js";
import { HandOut, handOutLimit, LosingHandOut } from "./handout.js";
import { useWork } from "./longwork.js";
import { changed } from "./reading.js";
import { lookedAtBytes, namesOfColumn, newTeamsWords, notTable, rowless } from "./tablefile.js";
import { useWhole } from "./wholelist.js";

/** What the server takes at once. */
const fileLimit = 32 * 1024 * 1024;
/** The most faults that are drawn; all of them can be saved. */
const drawnFaults = 200;

/** What a table looks like. */
const example = "name,displayName,role,team,crew,email,phone\n"
    + "eva,Eva Soler,,fire-brigade,Engine 3,eva@example.org,+34 985 555 010";

/** The names in the column `name` of a table of users, in its order, each once. */
export function namesInTable(text, limit) {
    return namesOfColumn(text, "name", limit);
}

/** What an import makes, or would make, in words. */
function madeWords({ users, teams, crews, devices }, isDone) {
    const parts = [
        t("administration.import.users", { count: users }),
        teams > 0 && t("administration.import.teams", { count: teams }),
        crews > 0 && t("administration.import.crews", { count: crews }),
        devices > 0 && t("administration.import.devices", { count: devices }),
    ];
    return t(isDone ? "administration.import.done" : "administration.import.wouldMake", { words: listed(parts) });
}

export function Import({ me }) {
    // The table itself is kept too, so that a user who must sign in again need not choose it again.
    const [options, setOptions] = useDraft("administration import", { makesTeams: true, device: "phone" });
    const { file } = options;
    const [tried, setTried] = useState(undefined);
    const [done, setDone] = useState(undefined);
    const [said, setSaid] = useState("");
    const teams = useWhole("teams");
    const newTeams = useMemo(() => (tried?.teams > 0 && teams.isWhole
        ? newTeamsWords(namesOfColumn(file?.text ?? "", "team"), teams.items.map(({ name }) => name)) : ""),
    [tried, teams.items]);
    const trying = useWork();
    const work = useWork();
    const query = (isDryRun) => {
        const parts = new URLSearchParams({ dryRun: String(isDryRun), makeTeams: String(options.makesTeams) });
        if (options.device.trim()) { parts.set("device", options.device.trim()); }
        return `user-imports?${parts}`;
    };
    const post = (isDryRun) => async ({ request, signal }) => await (await request(query(isDryRun), {
        method: "POST", body: file.text, headers: { "Content-Type": "text/csv" }, signal,
    })).json();
    const newest = useRef();
    newest.current = options;
    const change = (key, value) => { setOptions({ ...newest.current, [key]: value }); setTried(undefined); };
    const chosenLast = useRef();
    const take = async (chosen) => {
        const isTooLarge = chosen?.size > fileLimit;
        setSaid(isTooLarge ? t("administration.import.tooLarge") : "");
        chosenLast.current = chosen;
        // The former table is nobody's wish any more while the next one is being read.
        change("file", undefined);
        if (!chosen || isTooLarge) { return; }
        const beginning = new Uint8Array(await chosen.slice(0, lookedAtBytes).arrayBuffer());
        const refusal = notTable(beginning);
        const text = refusal ? "" : await chosen.text();
        if (chosenLast.current !== chosen) { return; }
        const fault = refusal ?? rowless(text);
        if (fault) { setSaid(fault); } else { change("file", { name: chosen.name, text }); }
    };
    const again = () => { setDone(undefined); take(undefined); };
    if (done) {
        return html`<${Imported} file=${file} made=${done} device=${options.device} me=${me} again=${again} />`;
    }
    return html`<section aria-labelledby="import-title">
        <h2 id="import-title">${t("administration.part.import")}</h2>
        <p>${t("administration.import.what")}</p>
        <pre class="body">${example}</pre>
        <${FileField} file=${file} take=${take} />
        <${Fault} words=${said} />
        <div class="field"><label class="check" for="import-teams"><input id="import-teams" type="checkbox"
            checked=${options.makesTeams}
            onChange=${({ currentTarget }) => change("makesTeams", currentTarget.checked)} />
            <span>${t("administration.import.makesTeams")}</span></label></div>
        <div class="field"><label for="import-device">${t("administration.import.device")}</label>
            <span class="hint" id="import-device-hint">${t("administration.import.deviceHint")}</span>
            <input id="import-device" value=${options.device} aria-describedby="import-device-hint" autocomplete="off"
                onInput=${({ currentTarget }) => change("device", currentTarget.value)} /></div>
        <p class="answers"><button type="button" class="plain" disabled=${!file || trying.isBusy || work.isBusy}
            onClick=${async () => setTried(await trying.begin(post(true)))}>${t("administration.import.try")}</button>
            <button type="button" class="primary" disabled=${!tried || work.isBusy} onClick=${async () => {
        const made = await work.begin(post(false));
        if (made) {
            changed();
            setDone(made);
        }
    }}>${t("administration.import.do")}</button></p>
        <div role="status">${(trying.isBusy || work.isBusy) && html`<p>${t(work.isBusy
        ? "administration.import.doing" : "administration.import.trying")}</p>`}
            ${tried && !work.isBusy && html`<p>${madeWords(tried, false)}</p>${newTeams && html`<p>${newTeams}</p>`}`}
        </div>
        <${ImportFault} work=${trying} /><${ImportFault} work=${work} isReal />
    </section>`;
}

function FileField({ file, take }) {
    const input = useRef();
    const drop = (event) => {
        event.preventDefault();
        input.current.value = "";
        take(event.dataTransfer.files[0]);
    };
    return html`<div class="field drop" onDragOver=${(event) => event.preventDefault()} onDrop=${drop}>
        <label for="import-file">${t("administration.import.file")}</label>
        <input id="import-file" ref=${input} type="file" accept=".csv,text/csv"
            onChange=${({ currentTarget }) => take(currentTarget.files[0])} />
        ${file && !input.current?.value && html`<span class="hint">${legible(file.name)}</span>`}
    </div>`;
}

/**
 * The faults of a table as lines of a list.
 * @param {import("../shared/http.js").Problem} error
 * @returns {{place: string, words: string}[]}
 */
export function tableFaults(error) {
    return error.errors.map(({ line, column, pointer, detail }) => ({
        place: line === undefined ? String(pointer ?? "").replace(/^[/?]/, "")
            : column ? t("administration.import.cell", { line: String(line), column })
                : t("administration.import.line", { line: String(line) }),
        words: detailWords(detail),
    }));
}

/** Why nothing was imported: every fault with its line, or one sentence. */
function ImportFault({ work, isReal = false }) {
    const { error, fault } = work;
    if (!error) { return undefined; }
    const lines = error.errors?.length > 0 ? tableFaults(error) : [];
    if (lines.length === 0) {
        const isUnsure = isReal && error.status === undefined;
        return html`<p class="fault" role="alert">${isUnsure ? t("administration.import.unsure")
            : fault}</p>`;
    }
    return html`<div class="faults"><p class="fault" role="alert">${
        t("administration.import.faults", { count: error.errorCount })}</p>
        <ol class="rows">${lines.slice(0, drawnFaults).map(({ place, words }, index) => html`<li key=${index}><span>
            <strong>${legible(place)}</strong> ${legible(words)}</span></li>`)}</ol>
        ${error.errorCount > drawnFaults && html`<p>${t("administration.import.moreFaults", {
        count: error.errorCount - Math.min(drawnFaults, lines.length) })}</p>`}
    </div>`;
}

/** What was made, and what those people are given to begin with. */
function Imported({ file, made, device, me, again }) {
    const names = namesInTable(file.text, handOutLimit + 1);
    const [atStake, setAtStake] = useState();
    const [isAsking, setAsking] = useState(false);
    const leave = () => { if (atStake) { setAsking(true); } else { again(); } };
    return html`<section aria-labelledby="imported-title">
        <h2 id="imported-title" tabindex="-1">${t("administration.import.doneTitle")}</h2>
        <p role="status">${madeWords(made, true)}</p>
        ${names.length > handOutLimit ? html`<p>${t("administration.handOut.tooMany", { count: handOutLimit })}</p>`
        : html`<${HandOut} people=${names.map((name) => ({ name }))} device=${device.trim() || "phone"} me=${me}
            setAtStake=${setAtStake} />`}
        ${isAsking && atStake && html`<${LosingHandOut} lost=${atStake} lose=${again}
            back=${() => setAsking(false)} />`}
        <p><button type="button" class="plain" onClick=${leave}>${t("administration.import.again")}</button></p>
    </section>`;
}
