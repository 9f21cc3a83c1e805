/** Gateways, tags and radios, and the regions that beacons make: who hears what, and when something was last heard. */
import { faultWords } from "../shared/faults.js";
import { Fault } from "../shared/forms.js";
import { allPages } from "../shared/pages.js";
import { ReadingFoot, useReading } from "../shared/reading.js";
import { legible } from "../shared/text.js";
import { age, clockTime, timeAttributes } from "../shared/time.js";
import { html, useMemo, useNow, usePage, useState } from "../shared/view.js";
import { listed, t } from "../shared/words.js";
import {
    beaconWords, hearing, heardByRegion, nearnessWords, newestOfEach, radios, silentFirst, silentGateways, tagKind,
} from "./gatewaywords.js";
import { Paged } from "./paged.js";

const everyMs = 120_000;
/** The most collections that are searched for beacons. */
const collectionLimit = 200;
/** How far back, and for how many tags, the page shows what a gateway heard. */
const latelyMs = 10 * 60_000;
const heardLimit = 100;

async function readRadios(get) {
    const [users, devices, collections] = await Promise.all([
        allPages(get, "users"), allPages(get, "devices"), allPages(get, "collections"),
    ]);
    const looked = collections.items.slice(0, collectionLimit);
    const found = [];
    for (const { name } of looked) {
        const path = `collections/${encodeURIComponent(name)}/regions`;
        const { items } = await allPages(get, path, { member: "features" });
        found.push({ collection: name, features: items });
    }
    return {
        ...radios(users.items, devices.items, found),
        isPartial: users.isPartial || devices.isPartial || collections.items.length > looked.length,
    };
}

export function Part() {
    const reading = useReading("gateways", readRadios, everyMs);
    const { store } = usePage();
    const now = useNow();
    // Again with the clock, and not with every change of ten thousand people.
    const heard = useMemo(() => heardByRegion(store.value.live.members), [now]);
    const { value } = reading;
    const silent = silentGateways(value?.gateways ?? [], now).length;
    return html`<section class="part" aria-labelledby="gateways-title">
        <h2 id="gateways-title">${t("operations.part.gateways")}</h2>
        <p class="quiet">${t("operations.gateways.about")}</p>
        <${ReadingFoot} reading=${reading} />
        ${value && html`${value.isPartial && html`<p class="fault">${t("operations.gateways.partial")}</p>`}
            <h3>${t("operations.gateways.gateways")}</h3>
            ${silent > 0 && html`<p class="fault">${t("operations.gateways.silent", { count: silent })}</p>`}
            <${Rows} items=${silentFirst(value.gateways, now)} label=${t("operations.gateways.gateways")}
                empty=${t("operations.gateways.none")} row=${(each) => html`<${Gateway} key=${each.id} each=${each}
                    now=${now} regions=${value.regions} tags=${value.tags} />`} />
            ${value.idle.length > 0 && html`<p class="quiet">${t("operations.gateways.idle",
        { names: listed(value.idle.map(legible)) })}</p>`}
            <h3>${t("operations.gateways.regions")}</h3>
            <${Rows} items=${value.regions} label=${t("operations.gateways.regions")}
                empty=${t("operations.gateways.noRegions")} row=${(each) => html`<${Region} key=${each.key}
                    each=${each} now=${now} inside=${heard.get(each.key) ?? []}
                    scanner=${value.gateways.find(({ id }) => id === each.beacon.scanner)} />`} />
            <h3>${t("operations.gateways.tags")}</h3>
            <${Rows} items=${value.tags} label=${t("operations.gateways.tags")}
                empty=${t("operations.gateways.noTags")} row=${(each) => html`<${Tag} key=${each.id} each=${each}
                    now=${now} />`} />`}
    </section>`;
}

function Rows({ items, ...others }) {
    const list = { items, hasMore: false, isBusy: false, fault: "", more() {}, reload() {} };
    return html`<${Paged} list=${list} ...${others} />`;
}

/** When something was last heard; since when it is silent is said in words, not by colour alone. */
function Heard({ heard, now }) {
    const state = hearing(heard, now);
    return html`<time class=${state === "silent" ? "fault" : "quiet"} ...${timeAttributes(heard)}>${
        t(`operations.heard.${state}`, { time: clockTime(heard, now), age: age(heard, now) })}</time>`;
}

function Gateway({ each: { id, heard }, now, regions, tags }) {
    const own = regions.filter(({ beacon }) => beacon.scanner === id);
    return html`<li data-device=${id}>
        <p><strong>${legible(id)}</strong> <${Heard} heard=${heard} now=${now} /></p>
        ${own.length > 0 && html`<p>${t("operations.gateways.listensFor",
        { names: listed(own.map(({ name }) => legible(name))) })}</p>`}
        <${Heardings} device=${id} tags=${tags} now=${now} />
    </li>`;
}

/** What a gateway heard lately, read when somebody wants to see it. */
function Heardings({ device, tags, now }) {
    const { request, serverNow } = usePage();
    const [state, setState] = useState({});
    const open = async ({ currentTarget }) => {
        if (!currentTarget.open) { return; }
        const [user, name] = device.split("/").map(encodeURIComponent);
        const from = encodeURIComponent(new Date(serverNow() - latelyMs).toISOString());
        try {
            const get = async (path) => (await request(path)).json();
            const { items } = await allPages(get, `users/${user}/devices/${name}/sightings?from=${from}`);
            setState({ heard: newestOfEach(items, tags) });
        } catch (error) {
            setState({ fault: faultWords(error) });
        }
    };
    const { heard, fault } = state;
    return html`<details onToggle=${open}>
        <summary>${t("operations.gateways.heard", { count: latelyMs / 60_000 })}</summary>
        <${Fault} words=${fault} />
        ${heard?.length === 0 && html`<p class="quiet">${t("operations.gateways.heardNothing")}</p>`}
        ${heard?.length > 0 && html`<ul class="heard">${heard.slice(0, heardLimit).map((each) => html`<li
            key=${each.beacon}>${listed([legible(each.name), nearnessWords(each), age(each.sampleTime, now)])}</li>`)}
        </ul>`}
    </details>`;
}

function Region({ each: { key, name, beacon }, now, inside, scanner }) {
    const newest = inside[0];
    const isUnheard = scanner && hearing(scanner.heard, now) !== "heard";
    return html`<li data-region=${key}>
        <p><strong>${legible(name)}</strong> <span class="quiet">${beaconWords(beacon)}</span></p>
        ${isUnheard && html`<p class="fault">${t(scanner.heard ? "operations.gateways.scannerSilent"
        : "operations.gateways.scannerUnheard", { time: clockTime(scanner.heard, now) })}</p>`}
        ${(inside.length > 0 || !isUnheard) && html`<p>${
        t("operations.gateways.inside", { count: inside.length })}</p>`}
        ${newest && html`<ul class="heard">${inside.slice(0, 20).map((presence) => html`<li key=${presence.device}>${
        listed([legible(presence.device), nearnessWords(presence), age(presence.sampleTime, now)])}</li>`)}</ul>`}
    </li>`;
}

function Tag({ each: { id, beacon, heard }, now }) {
    return html`<li data-device=${id}>
        <p><strong>${legible(id)}</strong> <span class="quiet">${t(`operations.tag.${tagKind(beacon)}`)}, ${
        legible(beacon)}</span></p>
        <p><${Heard} heard=${heard} now=${now} /></p>
    </li>`;
}
