/** What reports for people: found, made; and each by itself (`device.js`). */
import { Dialog } from "../shared/dialog.js";
import { go, hrefOf } from "../shared/route.js";
import { byName, legible } from "../shared/text.js";
import { age, timeAttributes } from "../shared/time.js";
import { html, useMemo, useNow, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { Device } from "./device.js";
import { Form } from "./form.js";
import { changed } from "./reading.js";
import { OwnTracksDialog } from "./tokens.js";
import { mayChangeDevices } from "./users.js";
import { Rows, useWhole } from "./wholelist.js";

/** The percentage below which a battery counts as low. */
const lowBattery = 20;
/** A device that was heard longer ago than this is called silent here. */
const silentMs = 3_600_000;

export function Devices({ rest, me }) {
    return rest.length === 2
        ? html`<${Device} key=${rest.join("/")} user=${rest[0]} name=${rest[1]} me=${me} />`
        : html`<${AllDevices} />`;
}

/** The latest battery that a device told of. */
function batteryOf({ position, located }) {
    return located?.battery ?? position?.battery;
}

/** The devices that match what is typed, and how they are. Pure. */
export function chosenDevices(devices, { text = "", how = "" }, nowMs) {
    const wanted = text.trim().toLocaleLowerCase();
    const is = {
        "": () => true,
        never: ({ heard }) => heard === undefined,
        silent: ({ heard }) => heard !== undefined && nowMs - Date.parse(heard) > silentMs,
        low: (device) => batteryOf(device) !== undefined && batteryOf(device) < lowBattery,
        clock: ({ clock }) => clock !== undefined,
    }[how];
    return devices.filter((device) => is(device) && (wanted === "" || [device.id, device.alias, device.beacon]
        .some((each) => each?.toLocaleLowerCase().includes(wanted))))
        .sort((left, right) => byName(left.id, right.id));
}

function AllDevices() {
    const list = useWhole("devices");
    const now = useNow(30_000);
    const [choice, setChoice] = useState({ text: "", how: "" });
    const found = useMemo(() => chosenDevices(list.items ?? [], choice, now), [list.items, choice, now]);
    const choose = (key) => ({ currentTarget }) => setChoice({ ...choice, [key]: currentTarget.value });
    return html`<section aria-labelledby="all-devices-title">
        <h2 id="all-devices-title">${t("administration.part.devices")}</h2>
        <p>${t("administration.devices.how")}</p>
        <div class="choice">
            <div class="field"><label for="devices-search">${t("administration.search")}</label>
                <input id="devices-search" type="search" value=${choice.text} onInput=${choose("text")}
                    autocapitalize="none" spellcheck=${false} /></div>
            <div class="field"><label for="devices-how">${t("administration.devices.state")}</label>
                <select id="devices-how" value=${choice.how} onChange=${choose("how")}>
                    <option value="">${t("administration.all")}</option>
                    ${["never", "silent", "low", "clock"].map((how) => html`<option key=${how} value=${how}>${
        t(`administration.devices.is.${how}`)}</option>`)}
                </select></div>
        </div>
        <${Rows} list=${list} rows=${found} of=${JSON.stringify(choice)} empty=${t("administration.devices.none")}
            row=${(device) => html`<${DeviceRow} key=${device.id} device=${device} now=${now} />`} />
    </section>`;
}

function DeviceRow({ device, now }) {
    return html`<li><a href=${hrefOf("administration", "devices", device.user, device.name)}>
        <strong>${device.id}</strong>
        ${" "}<span class="quiet"><${DeviceWords} device=${device} now=${now} /></span></a></li>`;
}

/** How a device is: when it was last heard, its battery, and what else somebody should know. */
export function DeviceWords({ device, now }) {
    const battery = batteryOf(device);
    const heard = device.heard === undefined ? t("administration.devices.neverHeard")
        : t("administration.devices.heard", { age: age(device.heard, now) });
    return html`<time ...${timeAttributes(device.heard)}>${heard}</time>${
        ["", battery !== undefined && t(battery < lowBattery ? "administration.devices.batteryLow"
            : "administration.devices.battery", { count: Math.round(battery) }),
        device.clock && t("administration.devices.clock"),
        device.alias && t("administration.devices.alias", { name: legible(device.alias) }),
        device.beacon && t("administration.devices.beacon", { id: legible(device.beacon) })]
            .filter(Boolean).map((words) => t("between.parts") + words).join("")}`;
}

/** The devices of one user, and a way to more. */
export function DeviceList({ of: user, me }) {
    const list = useWhole(`devices?user=${encodeURIComponent(user.name)}`);
    const now = useNow(30_000);
    const [isMaking, setMaking] = useState(undefined);
    const mayChange = mayChangeDevices(me, user);
    return html`${mayChange && html`<p class="answers">
            <button type="button" class="plain" onClick=${() => setMaking("phone")}>${
        t("administration.devices.addPhone")}</button>
            <button type="button" class="plain" onClick=${() => setMaking("other")}>${
        t("administration.devices.add")}</button></p>`}
        <${Rows} list=${list} rows=${list.items ?? []} empty=${t("administration.devices.noneOf")}
            row=${(device) => html`<${DeviceRow} key=${device.id} device=${device} now=${now} />`} />
        ${isMaking === "phone" && html`<${OwnTracksDialog} user=${user.name} device=${freeName(list.items ?? [])}
            phones=${phonesOf(list.items ?? [])} mayRename onClose=${() => { setMaking(undefined); changed(); }} />`}
        ${isMaking === "other" && html`<${NewDevice} user=${user} me=${me} onClose=${() => setMaking(undefined)} />`}`;
}

/** The names of the devices that are no tags, that of the usual name first. Pure. */
export function phonesOf(devices) {
    const names = devices.filter(({ beacon }) => !beacon).map(({ name }) => name);
    return [...names.filter((name) => name === "phone"), ...names.filter((name) => name !== "phone")];
}

/** A name that none of these devices has. */
function freeName(devices) {
    const names = new Set(devices.map(({ name }) => name));
    for (let number = 1; ; number += 1) {
        const name = number === 1 ? "phone" : `phone-${number}`;
        if (!names.has(name)) { return name; }
    }
}

function NewDevice({ user, me, onClose }) {
    const fields = [
        { key: "name", label: t("administration.name"), isRequired: true, hint: t("administration.nameHint") },
        ...(me.role === "member" ? [] : [{
            key: "beacon", label: t("administration.devices.tag"), hint: t("administration.devices.tagHint"),
        }]),
    ];
    return html`<${Dialog} title=${t("administration.devices.addTo", { name: user.name })} onClose=${onClose}>
        <${Form} name=${`new device ${user.name}`} first=${{ name: "", beacon: "" }} fields=${fields}
            submit=${t("administration.make")} onCancel=${onClose}
            order=${({ name, beacon }) => ({
        path: `users/${encodeURIComponent(user.name)}/devices`,
        body: { name: name.trim(), ...(beacon.trim() ? { beacon: beacon.trim() } : {}) },
        words: t("administration.order.make", { name: legible(`${user.name}/${name.trim()}`) }),
    })}
            done=${(_, { name }) => { onClose(); go("administration", "devices", user.name, name.trim()); }} />
    <//>`;
}
