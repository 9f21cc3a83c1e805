/** One device: how it is, its tokens and keys, what it sent that nobody could read; given away, and removed. */
import { Dialog } from "../shared/dialog.js";
import { Fault, useAskFirst, useOrder } from "../shared/forms.js";
import { ReadingFoot } from "../shared/reading.js";
import { go, hrefOf } from "../shared/route.js";
import { isLeader } from "../shared/safety.js";
import { legible, shortened } from "../shared/text.js";
import { Time } from "../shared/timeview.js";
import { html, useNow, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { DeviceWords } from "./devices.js";
import { Form } from "./form.js";
import { changed, useOne } from "./reading.js";
import { Tokens } from "./tokens.js";
import { mayChangeDevices, mayErase } from "./users.js";
import { Rows, useWhole } from "./wholelist.js";

export function Device({ user, name, me }) {
    const path = `users/${encodeURIComponent(user)}/devices/${encodeURIComponent(name)}`;
    const one = useOne(path);
    const owner = useOne(`users/${encodeURIComponent(user)}`);
    const now = useNow(30_000);
    const mayChange = owner.value && mayChangeDevices(me, owner.value);
    return html`<article aria-labelledby="device-title">
        <p><a class="back" href=${hrefOf("administration", "people", user)}>${
        t("administration.devices.back", { name: user })}</a></p>
        <h2 id="device-title">${user}/${name}</h2>
        <${ReadingFoot} reading=${one} />
        ${one.value && html`<p><${DeviceWords} device=${one.value} now=${now} /></p>
            ${mayChange && html`<${Tokens} user=${user} device=${name} me=${me} owner=${owner.value} />
                <${EncryptionKey} path=${path} name=${`${user}/${name}`} />`}
            ${me.name === user && html`<${RangeTag} path=${path} device=${one.value} name=${`${user}/${name}`} />`}
            ${me.role === "admin" && html`<${Refused} user=${user} device=${`${user}/${name}`} />`}
            ${mayChange && html`<${Ends} path=${path} user=${owner.value} name=${name} me=${me} />`}`}
    </article>`;
}

function EncryptionKey({ path, name }) {
    const [isOpen, setOpen] = useState(false);
    const askFirst = useAskFirst();
    const close = () => setOpen(false);
    const remove = () => askFirst({
        title: t("administration.key.removeTitle", { name }), button: t("administration.remove"),
        lines: [t("administration.key.lost")],
        order: {
            path: `${path}/encryption-key`, method: "DELETE", words: t("administration.order.keyRemove", { name }),
        },
        done: changed,
    });
    return html`<section aria-labelledby="key-title"><h3 id="key-title">${t("administration.key.title")}</h3>
        <p>${t("administration.key.what")}</p>
        <p class="answers"><button type="button" class="plain" onClick=${() => setOpen(true)}>${
        t("administration.key.set")}</button>
            <button type="button" class="plain danger" onClick=${remove}>${
        t("administration.key.remove")}</button></p>
        ${isOpen && html`<${Dialog} title=${t("administration.key.of", { name })} onClose=${close}>
            <${Form} name="key" first=${{ key: "" }} isSecret submit=${t("administration.save")} fields=${[
        { key: "key", label: t("administration.key.secret"), isRequired: true, hint: t("administration.key.hint") },
    ]} faultsOf=${({ key }) => (new TextEncoder().encode(key).length > 32 ? { key: t("administration.key.hint") } : {})}
                order=${({ key }) => ({
        path: `${path}/encryption-key`, method: "PUT", body: { key }, words: t("administration.order.key", { name }),
    })} done=${close} onCancel=${close} /><//>`}
    </section>`;
}

/** The owner's consent that others report how far they are from the device. */
function RangeTag({ path, device, name }) {
    const { press, isBusy, fault } = useOrder();
    const withdraw = async () => {
        const order = {
            path: `${path}/range-tag`, method: "DELETE", words: t("administration.order.rangeTagRemove", { name }),
        };
        if (await press(order)) { changed(); }
    };
    return html`<section aria-labelledby="tag-title"><h3 id="tag-title">${t("administration.rangeTag.title")}</h3>
        <p>${t(device.agreesToRanges ? "administration.rangeTag.agreed" : "administration.rangeTag.what")}</p>
        ${device.agreesToRanges && html`<p><button type="button" class="plain danger" disabled=${isBusy}
            onClick=${withdraw}>${t("administration.rangeTag.withdraw")}</button></p>`}
        <${Fault} words=${fault} />
        <${Form} name="range tag" first=${{ secret: "" }} isSecret
            submit=${t("administration.rangeTag.agree")} fields=${[
        {
            key: "secret", label: t("administration.rangeTag.secret"), isRequired: true,
            hint: t("administration.rangeTag.hint"),
        },
    ]} faultsOf=${({ secret }) => (/^[0-9a-fA-F]{64}$/.test(secret.trim()) ? {}
        : { secret: t("administration.rangeTag.hint") })}
            order=${({ secret }) => ({
        path: `${path}/range-tag`, method: "PUT", body: { secret: secret.trim() },
        words: t("administration.order.rangeTag", { name }),
    })} />
    </section>`;
}

/** The most reports of a user that are searched for those of the device; the server keeps 100 of each user. */
function Refused({ user, device }) {
    const list = useWhole(`refused-reports?user=${encodeURIComponent(user)}`);
    const [open, setOpen] = useState(undefined);
    const rows = (list.items ?? []).filter((report) => report.device === undefined || report.device === device);
    return html`<section aria-labelledby="refused-title">
        <h3 id="refused-title">${t("administration.refused.title")}</h3>
        <p>${t("administration.refused.what")}</p>
        <${Rows} list=${list} rows=${rows} empty=${t("administration.refused.none")}
            row=${(report) => html`<li key=${report.number}><button type="button" class="plain wide"
                onClick=${() => setOpen(report.number)}><${Time} at=${report.receivedTime} /> <span class="quiet">${
        legible(report.reason)}</span></button></li>`} />
        ${open !== undefined && html`<${RefusedReport} number=${open} onClose=${() => setOpen(undefined)} />`}
    </section>`;
}

/** The most characters of a body that are shown. */
const bodyLimit = 20_000;

function RefusedReport({ number, onClose }) {
    const one = useOne(`refused-reports/${number}`);
    const report = one.value;
    const title = t("administration.refused.one", { number: String(number) });
    return html`<${Dialog} title=${title} onClose=${onClose} isWide>
        <${ReadingFoot} reading=${one} />
        ${report && html`<p>${legible(report.reason)}</p>
            <pre class="body" tabindex="0">${shortened(report.body, bodyLimit)}</pre>`}
        <p class="answers"><button type="button" class="primary" onClick=${onClose}>${t("close")}</button></p>
    <//>`;
}

function Ends({ path, user, name, me }) {
    const [isGiving, setGiving] = useState(false);
    const askFirst = useAskFirst();
    const id = `${user.name}/${name}`;
    const remove = () => askFirst({
        title: t("administration.devices.removeTitle", { name: id }), button: t("administration.remove"),
        lines: [t("administration.devices.lost"), t("administration.undoNot")],
        order: { path, method: "DELETE", words: t("administration.order.remove", { name: id }) },
        done: (_, isHere) => (isHere ? go("administration", "people", user.name) : changed()),
    });
    const mayGive = isLeader(me);
    if (!mayGive && !mayErase(me, user)) { return undefined; }
    return html`<section aria-labelledby="ends-title">
        <h3 id="ends-title">${t("administration.devices.ends")}</h3>
        <p class="answers">
            ${mayGive && html`<button type="button" class="plain" onClick=${() => setGiving(true)}>${
        t("administration.devices.give")}</button>`}
            ${mayErase(me, user) && html`<button type="button" class="plain danger" onClick=${remove}>${
        t("administration.devices.remove")}</button>`}</p>
        ${isGiving && html`<${Give} path=${path} user=${user} id=${id} onClose=${() => setGiving(false)}
            done=${(to) => go("administration", "devices", to, name)} />`}
    </section>`;
}

function Give({ path, user, id, onClose, done }) {
    const list = useWhole("users");
    const names = (list.items ?? []).filter(({ name, team }) => name !== user.name && team === user.team)
        .map(({ name }) => name);
    return html`<${Dialog} title=${t("administration.devices.giveTitle", { name: id })} onClose=${onClose}>
        <p>${t("administration.devices.giveWhat")}</p>
        <${Form} name=${`give ${id}`} first=${{ to: "" }} submit=${t("administration.devices.giveDo")} isLast
            fields=${[{ key: "to", label: t("administration.devices.giveTo"), isRequired: true, suggestions: names }]}
            order=${({ to }) => ({
        path: `${path}/owner`, body: { to: to.trim() },
        words: t("administration.order.give", { name: id, to: legible(to.trim()) }),
    })} done=${(_, { to }) => { onClose(); done(to.trim()); }} onCancel=${onClose} />
    <//>`;
}
