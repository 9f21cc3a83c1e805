/** Regions of a file: looked at by the server first, with every fault, then stored all or none. */
import { faultWords } from "../shared/faults.js";
import { Fault, useOrder } from "../shared/forms.js";
import { Problem } from "../shared/http.js";
import { go } from "../shared/route.js";
import { sizeWords } from "../shared/size.js";
import { legible } from "../shared/text.js";
import { html, useEffect, useLayoutEffect, usePage, useRef, useSlice, useState } from "../shared/view.js";
import { listed, t } from "../shared/words.js";
import { regionsPath } from "./addresses.js";
import { formOf, reportOf, types } from "./files.js";
import { mayChange } from "./list.js";
import { extentOf } from "./regionmap.js";

/** A file of 30 MB takes its time, also to be checked and stored. */
const limitMs = 300_000;
/** The most faults that are drawn at a time. */
const mostShown = 100;

/**
 * @param {{map?: object, collections: object, wanted: {file?: File, collection?: string},
 *     onChange: (wanted: object) => void, onClose: () => void}} properties
 */
export function Importer({ map, collections, wanted, onChange, onClose }) {
    const { tell } = usePage();
    const { user, regions } = useSlice(({ user, live }) => ({ user, regions: live.regions }));
    const order = useOrder();
    const input = useRef();
    const choices = (collections.items ?? []).filter((one) => mayChange(one, user)).map(({ name }) => name);
    const collection = choices.includes(wanted.collection) ? wanted.collection : choices[0];
    const { file } = wanted;
    const look = useLook(file, collection);
    const report = look.answer && reportOf(look.answer, regions, collection, look.own);
    useEffect(() => {
        if (!map) { return undefined; }
        map.showPreview(report?.features ?? []);
        map.showFaults((report?.faults ?? []).map(({ at }) => at).filter(Boolean));
        const points = extentOf(report?.features ?? []);
        if (points.length > 0) { map.fit(points); }
        return () => { map.showPreview([]); map.showFaults([]); };
    }, [map, look.answer]);
    const store = async () => {
        const name = legible(file.name);
        const response = await order.press({
            path: regionsPath(collection), body: file, headers: { "Content-Type": types[look.form] }, limitMs,
            isRepeatable: isSameTwice(report),
            words: t("regions.order.import", { name, collection: legible(collection) }),
        });
        if (!response) { return; }
        const { stored } = await response.json();
        tell(t("regions.import.done", { count: stored, collection: legible(collection) }));
        onClose();
        go("regions", collection);
    };
    const isSound = report && report.faults.length === 0 && report.regions > 0;
    return html`<section class="importer" aria-labelledby="importer-title">
        <h2 id="importer-title">${t("regions.import.title")}</h2>
        <p>${t("regions.import.hint")}</p>
        <div class="file">
            <input id="region-file" type="file" ref=${input}
                accept=".geojson,.json,.kml,application/geo+json,application/vnd.google-earth.kml+xml"
                onChange=${({ currentTarget: { files } }) => onChange({ ...wanted, file: files[0] })} />
            <label for="region-file" class="plain button">${t("regions.import.file")}</label>
            <span class="quiet">${t("regions.import.orDrop")}</span>
        </div>
        ${file && html`<p>${t("regions.import.chosen", { name: legible(file.name), size: sizeWords(file.size) })}</p>`}
        <div class="field">
            <label for="region-file-into">${t("regions.import.into")}</label>
            <select id="region-file-into" value=${collection}
                onChange=${({ currentTarget: { value } }) => onChange({ ...wanted, collection: value })}>
                ${choices.map((name) => html`<option key=${name} value=${name}>${legible(name)}</option>`)}
            </select>
        </div>
        ${collections.items && choices.length === 0 && html`<p class="fault">${t("regions.import.noCollection")}</p>`}
        <div role="status">${look.isBusy && html`<p class="quiet">${t("regions.import.looking")}</p>`}
            ${look.fault && html`<p class="fault">${look.fault} ${look.again && html`<button type="button"
                class="plain" onClick=${look.again}>${t("list.again")}</button>`}</p>`}
            ${report && html`<${Report} report=${report} />`}</div>
        ${report && html`<${Faults} report=${report} map=${map} />`}
        <${Fault} words=${order.fault} />
        <div class="save buttons">
            <button type="button" class="primary" disabled=${!isSound || order.isBusy} onClick=${store}>${
    isSound ? t("regions.import.do", { count: report.regions }) : t("regions.import.doNothing")}</button>
            <button type="button" class="plain" onClick=${onClose}>${t("cancel")}</button>
        </div>
    </section>`;
}

/** Whether a file that is stored twice gives the same as once: each of its regions has an id that replaces it. */
function isSameTwice({ features, regions }) {
    return features.length === regions && features.every(({ id }) => id !== undefined && id !== "");
}

/** What the server says of a file, asked for again when it or its collection is another. */
function useLook(file, collection) {
    const { request } = usePage();
    const [state, setState] = useState({});
    const [count, again] = useState(0);
    // At once: what was said of the former file is not said of this one, and lets nobody store it.
    useLayoutEffect(() => {
        if (!file || collection === undefined) { setState({}); return undefined; }
        const ending = new AbortController();
        const show = (found) => { if (!ending.signal.aborted) { setState(found); } };
        show({ isBusy: true });
        lookAt(request, file, collection, ending.signal).then(show, (error) => {
            show({ fault: faultWords(error), again: () => again((before) => before + 1) });
        });
        return () => ending.abort();
    }, [file, collection, count]);
    return state;
}

async function lookAt(request, file, collection, signal) {
    let head;
    try {
        head = await file.slice(0, 256).text();
    } catch {
        return { fault: t("regions.file.unreadable") };
    }
    const { form, fault, limit } = formOf(file, head);
    if (fault) {
        const size = sizeWords(file.size);
        return { fault: t(`regions.file.${fault}`, { size, limit: sizeWords(limit ?? 0) }) };
    }
    const headers = { "Content-Type": types[form] };
    const own = form === "geoJSON" ? await featuresIn(file) : [];
    try {
        const path = `${regionsPath(collection)}?dryRun=true`;
        const response = await request(path, { method: "POST", body: file, headers, signal });
        return { form, own, answer: await response.json() };
    } catch (error) {
        // The server says of each fault where it is.
        if (error instanceof Problem && error.errors.length > 0) { return { form, own, answer: error }; }
        throw error;
    }
}

/** The features of a GeoJSON file as the page reads it itself, to name and to show them; none where it cannot. */
async function featuresIn(file) {
    try {
        const read = JSON.parse((await file.text()).replace(/^\uFEFF/, ""));
        const features = read.type === "Feature" ? [read] : Array.isArray(read.features) ? read.features : [];
        return features.filter((feature) => feature && typeof feature === "object");
    } catch {
        return [];
    }
}

function Report({ report }) {
    const { regions, faults, moreFaults, replaced, replacedNames, skipped } = report;
    const count = faults.length + moreFaults;
    const names = replacedNames.slice(0, 10).map(legible);
    const isMore = replaced > names.length;
    const left = skipped ? Object.values(skipped).reduce((sum, number) => sum + number, 0) : 0;
    return html`
        ${count > 0 ? html`<p class="fault">${t("regions.import.faults", { count })}</p>`
        : html`<p>${t("regions.import.sound", { count: regions })}</p>`}
        ${replaced > 0 && html`<p>${t("regions.import.replaces", { count: replaced, names: listed(isMore
        ? [...names, "…"] : names) })}</p>`}
        ${left > 0 && html`<p class="quiet">${t("regions.import.skipped", { count: left })}</p>`}`;
}

/** Every fault that the server listed, each with the way to its place. */
function Faults({ report, map }) {
    const [limit, setLimit] = useState(mostShown);
    const { faults, moreFaults } = report;
    return html`<ol class="faults">${faults.slice(0, limit).map(({ where, line, region, detail, at }, index) => {
        const place = line ? t("regions.import.line", { number: line }) : where;
        const words = listed([region && legible(region), place, detail]);
        return html`<li key=${index}>${at && map
            ? html`<button type="button" class="plain" onClick=${() => map.flyTo(at)}>${
                t("regions.faults.go", { detail: words })}</button>`
            : html`<span>${words}</span>`}</li>`;
    })}</ol>
    ${faults.length > limit && html`<button type="button" class="plain" onClick=${() => setLimit(limit + 200)}>${
        t("list.more")}</button>`}
    ${moreFaults > 0 && html`<p>${t("regions.faults.more", { count: moreFaults })}</p>`}`;
}
