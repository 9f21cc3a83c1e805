/** The panel for downloading the map of an area, for use without a network. */
import { root } from "../../console/shared/http.js";
import { bounds } from "../../console/shared/drawing.js";
import { html, useEffect, useNow, usePage, useSlice, useState } from "../../console/shared/view.js";
import { t } from "../../console/shared/words.js";
import { assemblyPoints } from "../way/assembly.js";
import { Areas } from "./areas.js";
import { areaWords, endWords, extentWords, levelWords, progressWords, sizeWords } from "./areawords.js";
import { shelf } from "./shelf.js";
import { bestLevel } from "./tiles.js";
import { widened } from "./warm.js";

/** The margin around the assembly points of the offered box if the map is not open. */
const marginMetres = 1500;
/** The zoom below which a level shows no streets: the box is then too large. */
const coarseLevel = 12;
let areas;

/** @returns {() => void} ends the part */
export function start({ store, serverNow }) {
    areas = new Areas({ store, shelf, root, now: serverNow });
    areas.look();
    return () => areas.end();
}

export function Panel() {
    const { area, mapView, own, linked, fix, storage, connection } = useSlice(
        ({ area, mapView, own, linked, fix, storage, connection }) =>
            ({ area, mapView, own, linked, fix, storage, connection }));
    const isLive = connection?.state === "live";
    useEffect(() => { if (isLive && area?.areas) { areas.askVersions(); } }, [isLive, area?.areas?.length]);
    if (!area) { return undefined; }
    const { areas: found = [], problem, job, ended, offer, isAsking } = area;
    const box = mapView?.box ?? boxAround(own, linked, fix);
    const isFree = !job && !offer && !isAsking && !problem;
    return html`<section class="card area" aria-labelledby="area-title">
        <h2 id="area-title">${t("me.area.title")}</h2>
        <p class="quiet">${t("me.area.what")}</p>
        ${problem && html`<p class="area-problem" role="alert">${t(`me.area.${problem}`)}</p>`}
        ${isFree && box && html`<button type="button" class="plain" id="area-offer" onClick=${() => areas.offer(box)}>${
            t(mapView ? "me.area.offerSight" : "me.area.offerAround")}</button>`}
        ${isFree && !box && html`<p class="quiet">${t("me.area.noBox")}</p>`}
        ${isAsking && html`<p role="status">${t("me.area.asks")}</p>`}
        ${offer && html`<${Offer} key=${String(offer.box)} offer=${offer} />`}
        ${job && html`<${Job} job=${job} />`}
        <p id="area-ended" role="status" hidden=${!ended || endWords(ended) === ""}>${ended && endWords(ended)}</p>
        ${found.length > 0 && html`<ul class="area-list" aria-label=${t("me.area.list")}>${
            found.filter(({ id }) => id !== job?.id).map((each) => html`<${Kept} key=${each.id} area=${each}
                isBusy=${Boolean(job)} />`)}</ul>`}
        ${found.length > 0 && storage?.isPersistent === false
            && html`<p class="quiet" id="area-erasable">${t("me.area.erasable")}</p>`}
    </section>`;
}

/** The levels that can be downloaded, each with its number of tiles and its size. */
function Offer({ offer: { box, levels, files, mostBytes, style } }) {
    const best = bestLevel(levels);
    const [level, setLevel] = useState(best?.topZoom);
    const within = levels.filter(({ isWithin }) => isWithin).slice(-6).reverse();
    const told = files.length === 0 ? "me.area.noFiles" : best ? undefined : "me.area.tooLarge";
    return html`<div class="area-offer">
        <p>${extentWords(box)}</p>
        ${told && html`<p role="alert" id="area-none">${t(told, { limit: sizeWords(mostBytes) })}</p>`}
        ${best && html`<div class="field"><label for="area-level">${t("me.area.detail")}</label>
            <select id="area-level" value=${level} onChange=${({ currentTarget }) =>
                setLevel(Number(currentTarget.value))}>${within.map((each) =>
                html`<option key=${each.topZoom} value=${each.topZoom}>${levelWords(each)}</option>`)}</select></div>
            <p class="quiet" id="area-limit">${t("me.area.limit", { limit: sizeWords(mostBytes) })}</p>
            ${best !== levels.at(-1) && best.topZoom < coarseLevel && html`<p>${t("me.area.coarse")}</p>`}
            ${style && html`<p>${t("me.area.style")}</p>`}`}
        <div class="area-deeds">
            ${best && html`<button type="button" class="primary" id="area-begin" onClick=${() => areas.begin(level)}>${
                t("me.area.begin")}</button>`}
            <button type="button" class="plain" onClick=${() => areas.withdraw()}>${t("cancel")}</button>
        </div>
    </div>`;
}

function Job({ job }) {
    return html`<div class="area-job">
        <progress value=${job.done} max=${Math.max(job.total, 1)} aria-label=${t("me.area.loading")}></progress>
        <p id="area-progress">${progressWords(job)}</p>
        <button type="button" class="plain" id="area-pause" onClick=${() => areas.pause()}>${
            t("me.area.pause")}</button>
    </div>`;
}

/** One area that is on this phone. */
function Kept({ area, isBusy }) {
    const { store } = usePage();
    const now = useNow(60_000);
    const [isAsked, setAsked] = useState(false);
    const { id, about, isComplete, isDamaged, isOutdated } = area;
    const isReadable = !isDamaged && about.box;
    const show = () => store.set({ isMapShown: true, wantedBox: about.box });
    return html`<li>
        <p>${areaWords(area, now)}</p>
        ${isOutdated && html`<p class="area-outdated" role="status">${t("me.area.outdated")}</p>`}
        <div class="area-deeds">
            ${isReadable && !isComplete && html`<button type="button" class="plain" disabled=${isBusy}
                onClick=${() => areas.resume(area)}>${t("me.area.resume")}</button>`}
            ${isReadable && isOutdated && html`<button type="button" class="plain" disabled=${isBusy}
                onClick=${() => areas.renew(area)}>${t("me.area.renew")}</button>`}
            ${isReadable && html`<button type="button" class="plain" onClick=${show}>${t("me.area.show")}</button>`}
            ${isAsked ? html`<button type="button" class="plain danger" disabled=${isBusy}
                onClick=${() => areas.remove(id)}>${t("me.area.removeNow")}</button>`
            : html`<button type="button" class="plain" disabled=${isBusy}
                onClick=${() => setAsked(true)}>${t("me.area.remove")}</button>`}
        </div>
    </li>`;
}

/** A box around the assembly points and the person's own place. */
function boxAround(own, linked, fix) {
    const points = assemblyPoints(own && { ...own, collections: own.collections ?? linked?.collections });
    const corners = points.flatMap(({ box }) => [[box.west, box.south], [box.east, box.north]]);
    const found = bounds([...corners, ...(fix ? [[fix.longitude, fix.latitude]] : [])]);
    return found && widened(found.flat(), marginMetres);
}
