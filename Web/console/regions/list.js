/** The collections and their regions: found, opened, made. */
import { Dialog } from "../shared/dialog.js";
import { Fault, ListFoot, useDraft, useOrder } from "../shared/forms.js";
import { go, hrefOf } from "../shared/route.js";
import { isLeader } from "../shared/safety.js";
import { byName, legible } from "../shared/text.js";
import { html, useMemo, usePage, useSlice, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { draftName, editParts } from "./addresses.js";
import { isDirty } from "./draft.js";
import { Removed } from "./removal.js";
import { WarningTag, warningOf } from "./warning.js";

/** The number of regions of a collection that are shown at first. */
const shownAtFirst = 50;

/** Whether the user may change a collection: the server says so of each; an admin may change all. Pure. */
export function mayChange(collection, user) {
    return collection?.mayChange ?? isLeader(user);
}

/** The regions of each collection whose name or id has a text, in the order of their names. Pure. */
export function regionsByCollection(regions, text) {
    const wanted = text.trim().toLowerCase();
    const found = new Map();
    for (const region of regions.values()) {
        const isFound = wanted === "" || `${region.name}\n${region.id}`.toLowerCase().includes(wanted);
        if (!found.has(region.collection)) { found.set(region.collection, []); }
        if (isFound) { found.get(region.collection).push(region); }
    }
    for (const list of found.values()) { list.sort((left, right) => byName(left.name, right.name)); }
    return found;
}

/** @param {{collections: object, only?: string, onFile: (collection?: string) => void}} properties */
export function RegionList({ collections, only, onFile }) {
    const { regions, user } = useSlice(({ live, user }) => ({ regions: live.regions, user }));
    const [search, setSearch] = useState("");
    const [isAdding, setAdding] = useState(false);
    const found = useMemo(() => regionsByCollection(regions, search), [regions, search]);
    const items = (collections.items ?? []).filter(({ name }) => only === undefined || name === only);
    return html`<div class="region-list">
        <${Removed} />
        ${only !== undefined && html`<p><a class="back" href=${hrefOf("regions")}>${t("regions.all")}</a></p>`}
        <div class="field">
            <label for="region-search">${t("regions.search")}</label>
            <input id="region-search" type="search" value=${search}
                onInput=${({ currentTarget: { value } }) => setSearch(value)} />
        </div>
        <div class="buttons">
            <button type="button" class="plain" onClick=${() => onFile(only)}>${t("regions.import.open")}</button>
            <button type="button" class="plain" onClick=${() => setAdding(true)}>${t("regions.collection.add")}</button>
        </div>
        ${items.map((collection) => html`<${Collection} key=${collection.name} collection=${collection}
            regions=${found.get(collection.name) ?? []} isSearch=${search.trim() !== ""}
            isChangeable=${mayChange(collection, user)} onChanged=${collections.reload} />`)}
        <${ListFoot} list=${collections} empty=${t("regions.none")} />
        ${isAdding && html`<${NewCollection} onClose=${() => setAdding(false)} onMade=${(name) => {
        setAdding(false);
        collections.reload();
        go("regions", name);
    }} />`}
    </div>`;
}

function Collection({ collection, regions, isSearch, isChangeable, onChanged }) {
    const { drafts } = usePage();
    const { name, policy } = collection;
    const [limit, setLimit] = useState(shownAtFirst);
    const order = useOrder();
    const id = `collection-${name}`;
    const change = async ({ currentTarget: { value } }) => {
        const words = t("regions.order.policy", { name: legible(name) });
        await order.press({
            path: `collections/${encodeURIComponent(name)}`, method: "PATCH", body: { policy: value }, words,
        });
        onChanged();
    };
    const isDraft = isDirty(drafts.get(draftName(name)));
    const isOfWarnings = regions.some(({ properties }) => warningOf(properties));
    return html`<section class="collection" aria-labelledby=${id}>
        <h2 id=${id}><a href=${hrefOf("regions", name)}>${legible(name)}</a> <span class="quiet">${
    t("regions.collection.count", { count: collection.regions })}</span></h2>
        ${!isChangeable && html`<p class="quiet">${
    t(isOfWarnings ? "regions.warning.readOnly" : "regions.collection.readOnly")}</p>`}
        <div class="field">
            <label for=${`${id}-policy`}>${t("regions.collection.policy")}</label>
            <select id=${`${id}-policy`} value=${policy} disabled=${!isChangeable || order.isBusy} onChange=${change}>
                ${["confident", "raw"].map((one) => html`<option key=${one} value=${one}>${
        t(`regions.policy.${one}`)}</option>`)}
            </select>
        </div>
        <${Fault} words=${order.fault} />
        ${isChangeable && html`<p><a class="plain button" href=${hrefOf("regions", name, "new")}>${
        t("regions.add")}</a>${isDraft && html` <span class="tag">${t("regions.draft.tag")}</span>`}</p>`}
        <ul class="regions">${regions.slice(0, limit).map((region) => html`<li key=${region.id}>
            <${RegionRow} region=${region} /></li>`)}</ul>
        ${regions.length === 0 && html`<p class="quiet">${
        t(isSearch ? "regions.collection.noneFound" : "regions.collection.empty")}</p>`}
        ${regions.length > limit && html`<button type="button" class="plain"
            onClick=${() => setLimit(limit + 200)}>${
        t("regions.collection.more", { count: regions.length - limit })}</button>`}
    </section>`;
}

function RegionRow({ region }) {
    const { drafts } = usePage();
    const { collection, id, name, muster, geometry } = region;
    const warning = warningOf(region.properties);
    const kind = !geometry ? "none" : geometry.type === "Point" ? "circle" : "polygon";
    return html`<a class="region" href=${hrefOf("regions", ...editParts(collection, id))}>
        <span class="name">${legible(name)}</span>
        ${warning ? html`<${WarningTag} warning=${warning} />`
        : html`<span class="quiet">${t(`regions.kind.${kind}`)}</span>`}
        ${muster && html`<span class="tag muster">${t("regions.tag.muster")}</span>`}
        ${isDirty(drafts.get(draftName(collection, id))) && html`<span class="tag">${t("regions.draft.tag")}</span>`}
    </a>`;
}

function NewCollection({ onClose, onMade }) {
    const order = useOrder();
    const [name, setName, forget] = useDraft("regions new collection", "");
    const submit = async (event) => {
        event.preventDefault();
        const wanted = name.trim();
        const words = t("regions.order.collection", { name: legible(wanted) });
        const response = await order.press({ path: "collections", body: { name: wanted }, words });
        if (!response) { return; }
        forget();
        onMade(wanted);
    };
    return html`<${Dialog} title=${t("regions.collection.add")} onClose=${onClose}>
        <form onSubmit=${submit}>
            <div class="field">
                <label for="collection-name">${t("regions.collection.name")}</label>
                <input id="collection-name" required maxlength="64" autocomplete="off" value=${name}
                    aria-describedby="collection-hint" onInput=${({ currentTarget: { value } }) => setName(value)} />
                <p class="hint" id="collection-hint">${t("regions.collection.nameHint")}</p>
            </div>
            <${Fault} words=${order.fault} />
            <p class="answers"><button type="submit" class="primary" disabled=${order.isBusy}>${
    t("regions.collection.make")}</button>
                <button type="button" class="plain" onClick=${onClose}>${t("cancel")}</button></p>
        </form>
    <//>`;
}
