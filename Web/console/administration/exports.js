/** What the server has, as files: positions of people between two times, the users, the regions. */
import { tableText } from "../shared/csv.js";
import { offerFile, offerTable } from "../shared/download.js";
import { isTemporary } from "../shared/faults.js";
import { Fault } from "../shared/forms.js";
import { allPages } from "../shared/pages.js";
import { pause } from "../shared/pause.js";
import { sizeWords } from "../shared/size.js";
import { byName, legible } from "../shared/text.js";
import { localText } from "../shared/time.js";
import { html, usePage, useSlice, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { collectedSink, exportAll, fileSink, forms, TooLarge } from "./exportstream.js";
import { persist, Progress, useWork } from "./longwork.js";
import { useWhole } from "./wholelist.js";

export function Exports({ me }) {
    return html`<section aria-labelledby="export-title">
        <h2 id="export-title">${t("administration.part.export")}</h2>
        <${Positions} me=${me} />
        <${Tables} me=${me} />
    </section>`;
}

/** A time as a field of the form has it. */
function toTheMinute(ms) {
    return localText(ms).slice(0, 16);
}

/** The devices whose history an export has. Pure. */
export function exportedDevices(devices, users, { of, who }) {
    const ofTeam = new Set(users.filter(({ team }) => team === who).map(({ name }) => name));
    return devices.filter(({ user }) => of === "everyone" || (of === "person" ? user === who : ofTeam.has(user)))
        .sort((left, right) => byName(left.id, right.id));
}

/** Why a span is no span, in words; empty where it is one. */
function spanFault({ from, to }) {
    return Date.parse(from) < Date.parse(to) ? "" : t("administration.export.noSpan");
}

function Positions({ me }) {
    const { serverNow } = usePage();
    const users = useWhole("users");
    const devices = useWhole("devices");
    const [choice, setChoice] = useState(() => ({
        of: me.role === "admin" ? "everyone" : "team", who: me.team ?? "", form: "csv",
        from: toTheMinute(serverNow() - 86_400_000), to: toTheMinute(serverNow()),
    }));
    const work = useWork();
    const [result, setResult] = useState("");
    const choose = (key) => ({ currentTarget: { value } }) => setChoice({
        ...choice, [key]: value, ...(key === "of" ? { who: value === "team" ? me.team ?? "" : "" } : {}),
    });
    const isHere = devices.isWhole && users.isWhole;
    const found = isHere ? exportedDevices(devices.items, users.items, choice) : [];
    const fault = spanFault(choice);
    const begin = async () => {
        setResult("");
        const made = await exportPositions(choice, found, work);
        if (made) { setResult(resultWords(made)); }
    };
    const { done = 0, bytes = 0 } = work.progress ?? {};
    return html`<section aria-labelledby="positions-title">
        <h3 id="positions-title">${t("administration.export.positions")}</h3>
        <${PositionChoice} me=${me} choice=${choice} choose=${choose} users=${users.items ?? []} fault=${fault} />
        <p class="quiet" role="status">${isHere ? t("administration.export.devices", { count: found.length })
        : devices.fault || users.fault || t("list.loading")}</p>
        <p><button type="button" class="primary" disabled=${work.isBusy || found.length === 0 || fault !== ""}
            onClick=${begin}>${t("administration.export.do")}</button></p>
        <${Progress} work=${work} value=${done} of=${found.length} words=${t("administration.export.progress", {
        done, all: found.length, size: sizeWords(bytes) })} />
        <p role="status">${work.isCancelled ? t("administration.export.cancelled") : result}</p>
        ${work.fault && html`<p class="fault" role="alert">${work.error instanceof TooLarge
        ? t("administration.export.tooLarge") : t("administration.export.failed", { reason: work.fault })}</p>`}
    </section>`;
}

function resultWords({ bytes, empty, gone }) {
    return [t("administration.export.done", { size: sizeWords(bytes) }),
        empty > 0 ? t("administration.export.empty", { count: empty }) : "",
        gone > 0 ? t("administration.export.gone", { count: gone }) : ""].filter(Boolean).join(" ");
}

function PositionChoice({ me, choice, choose, users, fault }) {
    const teams = [...new Set(users.map(({ team }) => team).filter(Boolean))].sort(byName);
    const names = users.map(({ name }) => name);
    return html`<div class="choice">
        <div class="field"><label for="export-of">${t("administration.export.of")}</label>
            <select id="export-of" value=${choice.of} onChange=${choose("of")}>
                ${(me.role === "admin" ? ["everyone", "team", "person"] : ["team", "person"]).map((of) => html`<option
                    key=${of} value=${of} selected=${of === choice.of}>${
        t(`administration.export.of.${of}`)}</option>`)}
            </select></div>
        ${choice.of === "team" && html`<div class="field"><label for="export-team">${t("administration.team")}</label>
            <select id="export-team" value=${choice.who} onChange=${choose("who")}>
                <option value="">${t("administration.choose")}</option>
                ${teams.map((name) => html`<option key=${name} value=${name}
                    selected=${name === choice.who}>${legible(name)}</option>`)}</select></div>`}
        ${choice.of === "person" && html`<div class="field"><label for="export-person">${
        t("administration.export.person")}</label>
            <input id="export-person" list="export-people" value=${choice.who} onInput=${choose("who")}
                autocapitalize="none" autocomplete="off" spellcheck=${false} />
            <datalist id="export-people">${names.slice(0, 500).map((name) => html`<option key=${name}
                value=${name} />`)}</datalist></div>`}
        <div class="field"><label for="export-from">${t("administration.export.from")}</label>
            <input id="export-from" type="datetime-local" value=${choice.from} onInput=${choose("from")}
                aria-invalid=${fault ? "true" : undefined} aria-describedby="export-span" /></div>
        <div class="field"><label for="export-to">${t("administration.export.to")}</label>
            <input id="export-to" type="datetime-local" value=${choice.to} onInput=${choose("to")}
                aria-invalid=${fault ? "true" : undefined} aria-describedby="export-span" />
            <span class="fault" id="export-span">${fault}</span></div>
        <div class="field"><label for="export-form">${t("administration.export.form")}</label>
            <select id="export-form" value=${choice.form} onChange=${choose("form")}>
                ${Object.keys(forms).map((form) => html`<option key=${form} value=${form}>${
        { csv: "CSV", gpx: "GPX", geojson: "GeoJSON" }[form]}</option>`)}</select></div>
    </div>`;
}

/** Asks where to, and writes it there. A browser that lets no page write a file collects it, and offers it then. */
async function exportPositions({ form, from, to }, devices, work) {
    const { ending, type } = forms[form];
    const name = `muster-${from.slice(0, 10)}.${ending}`;
    let handle;
    if (globalThis.showSaveFilePicker) {
        try {
            handle = await globalThis.showSaveFilePicker({ suggestedName: name });
        } catch (error) {
            if (error.name === "AbortError") { return undefined; }
        }
    }
    const span = `from=${encodeURIComponent(new Date(from).toISOString())}`
        + `&to=${encodeURIComponent(new Date(to).toISOString())}`;
    return await work.begin(async ({ signal, report, request }) => {
        const sink = handle ? await fileSink(handle) : collectedSink({ name, type }, offerFile);
        try {
            const made = await exportAll({
                form, devices, sink, signal, wait: pause, mayRetry: isTemporary,
                report: ({ devices: done, bytes }) => report({ done, bytes }),
                read: ({ user, name: device }) => {
                    const path = `users/${encodeURIComponent(user)}/devices/${encodeURIComponent(device)}`;
                    return request(`${path}/positions?${span}&format=${form}`, { signal });
                },
            });
            await sink.close();
            return made;
        } catch (error) {
            await sink.abort();
            throw error;
        }
    });
}

/** Whether a cell is a telephone number, which is harmless in a spreadsheet and is imported as it is. */
const isNumber = (text) => /^\+[\d ().\-/]+$/.test(text);

/** The users as a table that an import takes again. Pure. */
export function usersTable(users) {
    const columns = ["name", "role", "team", "crew", "email", "phone", "displayName"];
    return tableText([columns, ...users.map((user) => columns.map((column) => user[column]))], isNumber);
}

/** Reads the JSON of a path as a part of some work. */
function getter(request, signal) {
    return async (path) => (await persist(request, path, {}, signal)).json();
}

function Tables() {
    const user = useSlice(({ user }) => user);
    const users = useWork();
    const regions = useWork();
    const exportUsers = () => users.begin(async ({ signal, report, request }) => {
        const { items } = await allPages(getter(request, signal), "users",
            { mostPages: Infinity, report: (count) => report({ count }) });
        offerTable(usersTable(items), "muster-users.csv");
        return items;
    });
    const exportRegions = () => regions.begin(async ({ signal, report, request }) => {
        const get = getter(request, signal);
        const features = [];
        for (const { name } of (await allPages(get, "collections", { mostPages: Infinity })).items) {
            const { items } = await allPages(get, `collections/${encodeURIComponent(name)}/regions`, {
                member: "features", mostPages: Infinity, report: (count) => report({ count: features.length + count }),
            });
            features.push(...items.map((feature) => ({
                ...feature, properties: { ...feature.properties, collection: name },
            })));
        }
        offerFile(JSON.stringify({ type: "FeatureCollection", features }), "muster-regions.geojson",
            "application/geo+json");
        return features;
    });
    const rows = [[users, exportUsers, "users"], [regions, exportRegions, "regions"]];
    return html`<section aria-labelledby="tables-title">
        <h3 id="tables-title">${t("administration.export.others")}</h3>
        <p>${t(user?.role === "admin" ? "administration.export.usersWhat" : "administration.export.usersOfTeam")}</p>
        <p class="answers">${rows.map(([work, act, what]) => html`<button key=${what} type="button" class="plain"
            disabled=${work.isBusy} onClick=${act}>${t(`administration.export.${what}`)}</button>`)}</p>
        ${rows.map(([work, , what]) => html`<${Progress} key=${what} work=${work} value=${0} of=${0}
            words=${t("administration.export.read", { count: work.progress?.count ?? 0 })} />
            <${Fault} words=${work.fault} />`)}
    </section>`;
}
