/** What follows the person who looks across devices: their own datasets, and the devices that are sent messages. */
import { CheckField, TextField } from "../shared/fields.js";
import { Fault, useAskFirst, useList, useOrder } from "../shared/forms.js";
import { sizeWords } from "../shared/size.js";
import { legible } from "../shared/text.js";
import { Time } from "../shared/timeview.js";
import { html, useSlice, useState } from "../shared/view.js";
import { listed, t } from "../shared/words.js";
import { Paged } from "./paged.js";

const platforms = ["webpush", "apns", "apns-sandbox", "fcm"];
export const outcomes = Object.freeze(["delivered", "failed", "gone", "refused"]);

export function Part() {
    const isAdmin = useSlice(({ user }) => user?.role === "admin");
    const datasets = useList("datasets", "items");
    const devices = useList("push/devices", "items");
    return html`<section class="part" aria-labelledby="datasets-title">
        <h2 id="datasets-title">${t("operations.part.datasets")}</h2>
        <p class="quiet">${t("operations.datasets.about")}</p>
        <${Paged} list=${datasets} label=${t("operations.part.datasets")} empty=${t("operations.datasets.none")}
            row=${(each) => html`<${Dataset} key=${each.name} each=${each} devices=${devices.items ?? []}
                changed=${datasets.reload} subscribed=${devices.reload} />`} />
        <h3>${t("operations.push.title")}</h3>
        <p class="quiet">${t("operations.push.about")}</p>
        <${Paged} list=${devices} label=${t("operations.push.title")} empty=${t("operations.push.none")}
            row=${(each) => html`<${PushDevice} key=${each.id} each=${each} changed=${devices.reload} />`} />
        <${PushTest} isAdmin=${isAdmin} />
    </section>`;
}

function Dataset({ each: { name, records, bytes, modifiedAt, modifiedBy, syncCount }, devices, changed, subscribed }) {
    const { press, fault } = useOrder();
    const shown = legible(name);
    const askFirst = useAskFirst();
    const remove = () => askFirst({
        title: t("operations.datasets.removeWhat", { name: shown }), button: t("operations.datasets.remove"),
        lines: [t("operations.datasets.askRemove", { name: shown, count: records })],
        order: {
            path: `datasets/${encodeURIComponent(name)}`, method: "DELETE",
            words: t("operations.datasets.orderRemove", { name: shown }),
        },
        done: changed,
    });
    const subscribe = async (device, isTold) => {
        const path = `datasets/${encodeURIComponent(name)}/subscriptions/${encodeURIComponent(device.id)}`;
        const key = isTold ? "operations.datasets.orderTell" : "operations.datasets.orderTellNot";
        const words = t(key, { name: shown, device: deviceWords(device) });
        await press({ path, method: isTold ? "PUT" : "DELETE", words });
        subscribed();
    };
    return html`<li data-name=${name}>
        <p><strong>${shown}</strong> <span class="quiet">${listed([t("operations.datasets.records", { count: records }),
        sizeWords(bytes), t("operations.datasets.sync", { count: syncCount })])}</span></p>
        <p class="quiet">${t("operations.datasets.changedBy", { name: legible(modifiedBy) })}${" "}
            <${Time} at=${modifiedAt} /></p>
        ${devices.filter(({ activity }) => activity === undefined).map((device) => html`<${CheckField}
            key=${device.id} checked=${device.datasets.includes(name)}
            label=${t("operations.datasets.tells", { device: deviceWords(device) })}
            onChange=${(isTold) => subscribe(device, isTold)} />`)}
        <p class="bar"><button type="button" class="plain" onClick=${remove}
            aria-label=${t("operations.datasets.removeWhat", { name: shown })}>${
        t("operations.datasets.remove")}</button></p>
        <${Fault} words=${fault} />
    </li>`;
}

function platformWords(platform) {
    return platforms.includes(platform) ? t(`operations.platform.${platform}`) : legible(platform);
}

/** A device as it is told apart from others: its kind, and the beginning of its id. */
function deviceWords({ id, platform }) {
    return listed([platformWords(platform), legible(id.slice(0, 6))]);
}

function PushDevice({ each: { id, platform, service, activity, createdAt, datasets }, changed }) {
    const askFirst = useAskFirst();
    const shown = legible(id);
    const remove = () => askFirst({
        title: t("operations.push.removeWhat", { name: shown }), button: t("operations.push.remove"),
        lines: [t("operations.push.askRemove", { name: shown })],
        order: {
            path: `push/devices/${encodeURIComponent(id)}`, method: "DELETE",
            words: t("operations.push.orderRemove", { name: shown }),
        },
        done: changed,
    });
    return html`<li data-id=${id}>
        <p><strong>${platformWords(platform)}</strong> <span class="quiet">${
        legible([service, activity].filter((word) => word !== undefined).join(" "))}, ${shown}</span></p>
        <p class="quiet">${t("operations.push.since")} <${Time} at=${createdAt} />${datasets.length > 0 && html`. ${
        t("operations.push.hears", { names: listed(datasets.map(legible)) })}`}</p>
        <p class="bar"><button type="button" class="plain" onClick=${remove}
            aria-label=${t("operations.push.removeWhat", { name: shown })}>${t("operations.push.remove")}</button></p>
    </li>`;
}

/** A test message to one's own devices; an admin may have one sent to another's. */
function PushTest({ isAdmin }) {
    const { press, isBusy, fault } = useOrder();
    const [user, setUser] = useState("");
    const [found, setFound] = useState();
    const test = async (event) => {
        event.preventDefault();
        setFound(undefined);
        const name = user.trim();
        const response = await press({
            path: "push/test", body: name ? { user: name } : {}, words: t("operations.push.orderTest"),
        });
        if (response) { setFound(await response.json()); }
    };
    return html`<form class="form" onSubmit=${test}>
        ${isAdmin && html`<${TextField} label=${t("operations.push.whose")} hint=${t("operations.keys.whoseHint")}
            value=${user} onInput=${setUser} />`}
        <p class="bar"><button type="submit" class="plain" disabled=${isBusy}>${t("operations.push.test")}</button></p>
        <${Fault} words=${fault} />
        <div role="status">${found && (found.devices.length === 0 ? t("operations.push.noDevices") : html`<ul
            class="rows">${found.devices.map(({ id, platform, outcome, reason }) => html`<li key=${id}>
            ${platformWords(platform)}, ${legible(id)}: ${t(`operations.outcome.${outcome}`)}${
        reason && html` (${legible(reason)})`}</li>`)}</ul>`)}</div>
    </form>`;
}
