/** The tokens with which a device reports: made, shown once with what sets up an app, and revoked. */
import { OnceDialog } from "../frame/leaving.js";
import { offerFile } from "../shared/download.js";
import { Dialog } from "../shared/dialog.js";
import { Fault, useAskFirst, useOrder } from "../shared/forms.js";
import { configuration, configurationLink, isInTheClear, phoneAddress } from "../shared/owntracks.js";
import { ownHost } from "../shared/ownhost.js";
import { ReachWarning } from "../shared/reach.js";
import { ReadingFoot } from "../shared/reading.js";
import { clockTime, timeAttributes } from "../shared/time.js";
import { html, useState } from "../shared/view.js";
import { listed, t } from "../shared/words.js";
import { Form } from "./form.js";
import { changed, useOne } from "./reading.js";
import { Secret } from "./secretview.js";
import { TAKDialog } from "./tak.js";
import { TrackerDialog } from "./trackers.js";

/** The address of this server as this browser reached it. */
export function ownAddress() {
    return new URL(".", document.baseURI).href.replace(/\/$/, "");
}

/** The way to a token of a device. */
export function tokenPath(user, device) {
    return `users/${encodeURIComponent(user)}/devices/${encodeURIComponent(device)}/token`;
}

/** @param {{user: string, device: string, me: object, owner: object}} properties `owner`: the user */
export function Tokens({ user, device, me, owner }) {
    const one = useOne(tokenPath(user, device));
    const [isOpen, setOpen] = useState(undefined);
    const askFirst = useAskFirst();
    const close = () => setOpen(undefined);
    const name = `${user}/${device}`;
    const revoke = () => askFirst({
        title: t("administration.tokens.revokeTitle", { name }), button: t("administration.tokens.revokeDo"),
        lines: [t("administration.tokens.lost"), t("administration.undoNot")],
        order: { path: tokenPath(user, device), method: "DELETE", words: t("administration.order.revoke", { name }) },
        done: changed,
    });
    const items = one.value?.items ?? [];
    return html`<section aria-labelledby="tokens-title">
        <h3 id="tokens-title">${t("administration.tokens.title")}</h3>
        <p class="answers">
            <button type="button" class="primary" onClick=${() => setOpen("owntracks")}>${
        t("administration.tokens.owntracks")}</button>
            <button type="button" class="plain" onClick=${() => setOpen("tracker")}>${
        t("administration.tokens.tracker")}</button>
            <button type="button" class="plain" onClick=${() => setOpen("tak")}>${
        t("administration.tokens.tak")}</button>
            <button type="button" class="plain" onClick=${() => setOpen("token")}>${
        t("administration.tokens.make")}</button>
            ${items.length > 0 && html`<button type="button" class="plain danger" onClick=${revoke}>${
        t("administration.tokens.revoke")}</button>`}
        </p>
        <${ReadingFoot} reading=${one} />
        ${one.value && items.length === 0 && html`<p class="quiet">${t("administration.tokens.none")}</p>`}
        <ul class="rows">${items.map((token) => html`<${TokenRow} key=${token.id} ...${token} />`)}</ul>
        ${isOpen === "owntracks" && html`<${OwnTracksDialog} user=${user} device=${device} onClose=${close} />`}
        ${isOpen === "tracker" && html`<${TrackerDialog} user=${user} device=${device} onClose=${close} />`}
        ${isOpen === "tak" && html`<${TAKDialog} user=${owner} device=${device} me=${me} onClose=${close} />`}
        ${isOpen === "token" && html`<${PlainToken} user=${user} device=${device} onClose=${close} />`}
    </section>`;
}

function TokenRow({ kind, createdAt, madeBy, expiresAt }) {
    const made = t(madeBy ? "administration.tokens.madeBy" : "administration.tokens.made", {
        time: clockTime(createdAt), name: madeBy,
    });
    const what = [
        kind !== "token" && t(`administration.tokens.kind.${kind}`),
        expiresAt && t("administration.tokens.until", { time: clockTime(expiresAt) }),
    ].filter(Boolean);
    return html`<li><span><time ...${timeAttributes(createdAt)}>${made}</time>${
        what.length > 0 && html` <span class="quiet">${listed(what)}</span>`}</span></li>`;
}

function PlainToken({ user, device, onClose }) {
    const { press, isBusy, fault } = useOrder();
    const [token, setToken] = useState(undefined);
    const make = async () => {
        const response = await press({
            path: tokenPath(user, device), words: t("administration.order.token", { name: `${user}/${device}` }),
        });
        if (!response) { return; }
        setToken((await response.json()).token);
        changed();
    };
    const title = t("administration.tokens.of", { name: `${user}/${device}` });
    if (token) {
        return html`<${OnceDialog} title=${title} lost=${t("administration.tokens.once")} onClose=${onClose}>${
            ({ leave, keep }) => html`
            <${Secret} secret=${token} label=${t("administration.tokens.token")} onCopied=${keep} />
            <p class="answers"><button type="button" class="plain" onClick=${() => leave()}>${
        t("close")}</button></p>`}<//>`;
    }
    return html`<${Dialog} title=${title} onClose=${onClose}>
        <p>${t("administration.tokens.what")}</p>
        <${Fault} words=${fault} />
        <p class="answers"><button type="button" class="primary" disabled=${isBusy} onClick=${make}>${
        t("administration.tokens.make")}</button>
            <button type="button" class="plain" onClick=${onClose}>${t("cancel")}</button></p>
    <//>`;
}

/**
 * Sets up the OwnTracks app of a phone: makes a token, the device where there is none of that name, and shows the code.
 * @param {{user: string, device: string, mayRename?: boolean, phones?: string[], onClose: () => void}} properties
 *     `phones`: those that the user has, of which the first is proposed; `device`: the name of another one
 */
export function OwnTracksDialog({ user, device, mayRename = false, phones = [], onClose }) {
    const [given, setGiven] = useState(undefined);
    if (given) { return html`<${SetUp} user=${user} ...${given} onClose=${onClose} />`; }
    const fields = [
        ...(mayRename && phones.length > 0 ? [{
            key: "which", label: t("administration.owntracks.which"), kind: "choice",
            choices: [...phones.map((phone) => [phone, phone]), ["", t("administration.owntracks.another")]],
        }] : []),
        ...(mayRename ? [{
            key: "device", label: t("administration.owntracks.device"), isRequired: true,
            hint: t("administration.nameHint"), when: ({ which }) => !which,
        }] : []),
        {
            key: "address", label: t("administration.owntracks.address"), isRequired: true,
            hint: t("administration.owntracks.addressHint"),
        },
    ];
    return html`<${Dialog} title=${t("administration.owntracks.title", { name: user })} onClose=${onClose}>
        <p>${t("administration.owntracks.what")}</p>
        <${PhoneForm} user=${user} fields=${fields} mayRename=${mayRename}
            first=${{ which: phones[0] ?? "", device, address: ownAddress() }} done=${setGiven} onCancel=${onClose} />
    <//>`;
}

/** What somebody should know of an address before a phone reports to it. */
export function AddressWarnings({ address }) {
    if (ownHost(address)) { return html`<${ReachWarning} address=${address} isTyped />`; }
    return isInTheClear(address) && html`<p class="warning" role="status">${t("administration.owntracks.clear")}</p>`;
}

/**
 * A form that makes a token for a phone, and the device where there is none of that name.
 * @param {object} properties
 * @param {object} properties.first its first values, with the device's name and the server's address; `which`, where
 *     it is there: the name of a device that the user has already
 * @param {(given: object) => void} properties.done gets what was typed, and the token
 */
export function PhoneForm({
    user, fields, first, mayRename, done, onCancel, submit = t("administration.owntracks.make"),
}) {
    const { press, fault } = useOrder();
    // The device of this name was made here already, and its token is still to be made.
    const [madeDevice, setMadeDevice] = useState(mayRename ? undefined : first.device);
    const name = (values) => (values.which || values.device).trim();
    const isThere = (values) => Boolean(values.which) || name(values) === madeDevice;
    return html`<${Form} name=${`phone ${user}`} first=${first} fields=${fields} isSecret
        submit=${submit} onCancel=${onCancel}
        faultsOf=${({ address }) => (phoneAddress(address) ? {}
        : { address: t("administration.owntracks.noAddress") })}
        order=${(values) => (isThere(values) ? tokenOrder(user, name(values)) : {
        path: `users/${encodeURIComponent(user)}/devices`, body: { name: name(values) },
        words: t("administration.order.make", { name: `${user}/${name(values)}` }),
    })}
        done=${async (response, values) => {
        const isToken = isThere(values);
        setMadeDevice(name(values));
        const made = isToken ? response : await press(tokenOrder(user, name(values)));
        if (!made) { return false; }
        const { token } = await made.json();
        done({ ...values, device: name(values), address: values.address.trim(), token });
        changed();
        return true;
    }}>${({ address }) => html`<${AddressWarnings} address=${address} /><${Fault} words=${fault} />`}<//>`;
}

function tokenOrder(user, device) {
    return { path: tokenPath(user, device), words: t("administration.order.token", { name: `${user}/${device}` }) };
}

/** What sets up the app, shown once: its code, and its file. */
function SetUp({ user, device, address, token, onClose }) {
    const content = configuration({ address: phoneAddress(address), user, device, token });
    const save = () => offerFile(`${content}\n`, `${user}-${device}.otrc`);
    return html`<${OnceDialog} title=${t("administration.owntracks.title", { name: `${user}/${device}` })}
        lost=${t("administration.handOut.lost.owntracks", { count: 1 })} onClose=${onClose}>${({ leave, keep }) => html`
        <${AddressWarnings} address=${address} />
        <ol class="steps"><li>${t("administration.owntracks.step1")}</li><li>${t("administration.owntracks.step2")}</li>
            <li>${t("administration.owntracks.step3")}</li></ol>
        <${Secret} secret=${token} label=${t("administration.tokens.token")} code=${configurationLink(content)}
            codeLabel=${t("administration.owntracks.code", { name: `${user}/${device}` })} onCopied=${keep} />
        <p class="answers"><button type="button" class="plain" onClick=${() => { save(); keep(); }}>${
        t("administration.owntracks.file")}</button>
            <button type="button" class="primary" onClick=${() => leave()}>${t("close")}</button></p>`}
    <//>`;
}
