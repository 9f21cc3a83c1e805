/**
 * What many people are given to begin with: a phone set up by a code, an invitation, or a password. All of it is
 * secret, is made one after the other, and is shown once: as a sheet to print, or as a table to save.
 */
import { Losing, useAtStake } from "../frame/leaving.js";
import { tableText } from "../shared/csv.js";
import { Dialog } from "../shared/dialog.js";
import { offerTable } from "../shared/download.js";
import { configuration, configurationLink, phoneAddress } from "../shared/owntracks.js";
import { QRView } from "../shared/qrview.js";
import { ReachWarning } from "../shared/reach.js";
import { html, render, useLayoutEffect, useState } from "../shared/view.js";
import { listed, t } from "../shared/words.js";
import { invitationBody, lifetimeChoices } from "./invitations.js";
import { persist, Progress, useWork } from "./longwork.js";
import { newPassword } from "./password.js";
import { AddressWarnings, ownAddress, tokenPath } from "./tokens.js";

/** The most people who are given something at once. */
export const handOutLimit = 500;

/** All that an admin's reset of a password would end, and that is kept here: these people begin. */
const keepAll = ["api-keys", "aws-keys", "device-tokens", "tokens-for-others", "links", "push-devices"];

/** How each kind is made for one person; each answers what that person gets. */
const makers = {
    async owntracks(name, { device, address }, send) {
        // One of this name that is there already gets one more token.
        const { items } = await (await send(`devices?user=${encodeURIComponent(name)}`, {})).json();
        if (!items.some((each) => each.name === device)) {
            await send(`users/${encodeURIComponent(name)}/devices`, { method: "POST", body: { name: device } });
        }
        const { token } = await (await send(tokenPath(name, device), { method: "POST" })).json();
        const link = configurationLink(configuration({ address: phoneAddress(address), user: name, device, token }));
        return { name, secret: token, code: link };
    },
    async invitation(name, { lasts }, send) {
        try {
            const made = await (await send("links", { method: "POST", body: invitationBody(name, lasts) })).json();
            return { name, secret: made.url, code: made.url, until: made.expiresTime };
        } catch (error) {
            // They have a password already, which a leader may not replace.
            if (error.status !== 409) { throw error; }
            return { name, isLeftOut: true };
        }
    },
    async password(name, _, send) {
        const password = newPassword();
        await send(`users/${encodeURIComponent(name)}/password`, { method: "PUT", body: { password, keep: keepAll } });
        return { name, secret: password };
    },
};

/**
 * Makes something for each person, one after the other.
 * @param {{kind: keyof makers, names: string[], options: object, send: Function, report: (made: object[]) => void,
 *     before?: object[]}} work
 *     `report` gets what was made so far, so that nothing of it is lost where the next one fails
 */
export async function handOut({ kind, names, options, send, report, before = [] }) {
    const made = [...before];
    for (const name of names.slice(before.length)) {
        made.push(await makers[kind](name, options, send));
        report([...made]);
    }
    return made;
}

/** What somebody gets of what was made: whoever may not be invited gets nothing. */
function givenOf(made) {
    return made.filter(({ isLeftOut }) => !isLeftOut);
}

/** What was made as a table. Pure. */
export function handOutTable(kind, made) {
    const columns = { owntracks: ["name", "token", "link"], invitation: ["name", "link", "until"],
        password: ["name", "password"] }[kind];
    const row = { owntracks: ({ name, secret, code }) => [name, secret, code],
        invitation: ({ name, secret, until }) => [name, secret, until],
        password: ({ name, secret }) => [name, secret] }[kind];
    return tableText([columns, ...givenOf(made).map(row)]);
}

/** @param {{people: {name: string}[], me: object, onClose: () => void}} properties */
export function HandOutDialog({ people, me, onClose }) {
    const [atStake, setAtStake] = useState();
    const [isAsking, setAsking] = useState(false);
    const close = () => { if (atStake) { setAsking(true); } else { onClose(); } };
    return html`<${Dialog} title=${t("administration.handOut.title")} isWide isHeld=${Boolean(atStake)}
        onClose=${close}>
        <${HandOut} people=${people} me=${me} onClose=${close} setAtStake=${setAtStake} />
        ${isAsking && atStake && html`<${LosingHandOut} lost=${atStake} lose=${onClose}
            back=${() => setAsking(false)} />`}
    <//>`;
}

/** Asks before secrets are lost that were neither printed nor saved. @param {{lost: string}} properties */
export function LosingHandOut({ lost, lose, back }) {
    return html`<${Losing} title=${t("administration.handOut.losing")} lines=${[lost]}
        button=${t("administration.handOut.lose")} lose=${lose} back=${back} />`;
}

/**
 * @param {{people: {name: string}[], me: object, device?: string, onClose?: () => void,
 *     setAtStake: (lost?: string) => void}} properties `setAtStake` is told what would be lost now, and undefined for
 *     nothing
 */
export function HandOut({ people, me, device = "phone", onClose, setAtStake }) {
    const [kind, setKind] = useState("owntracks");
    const [options, setOptions] = useState({ device, address: ownAddress(), lasts: "604800" });
    const [made, setMade] = useState([]);
    const [isSaved, setSaved] = useState(false);
    const work = useWork();
    const count = isSaved ? 0 : givenOf(made).length;
    const lost = count > 0 ? t(`administration.handOut.lost.${kind}`, { count }) : undefined;
    useLayoutEffect(() => setAtStake(lost), [lost]);
    useAtStake(lost);
    const names = people.map(({ name }) => name).filter((name) => name !== me.name || kind === "owntracks");
    const choose = (key) => ({ currentTarget }) => setOptions({ ...options, [key]: currentTarget.value });
    const isWrong = kind === "owntracks" && !phoneAddress(options.address);
    const report = (all) => { setMade(all); setSaved(false); };
    const begin = (before) => work.begin(({ signal, request }) => handOut({
        kind, names, options, before, report,
        send: (path, parts) => persist(request, path, parts, signal),
    }));
    if (people.length > handOutLimit) {
        return html`<p>${t("administration.handOut.tooMany", { count: handOutLimit })}</p>${onClose && html`<p
            class="answers"><button type="button" class="plain" onClick=${onClose}>${t("close")}</button></p>`}`;
    }
    const isDone = made.length > 0 && !work.isBusy;
    return html`<div class="hand-out">
        ${made.length === 0 && !work.isBusy ? html`<p>${t("administration.handOut.what", { count: names.length })}</p>
            <${Kinds} kind=${kind} setKind=${setKind} isAdmin=${me.role === "admin"} />
            <${Options} kind=${kind} options=${options} choose=${choose} />
            <p class="answers"><button type="button" class="primary" disabled=${isWrong || names.length === 0}
                onClick=${() => begin([])}>${t("administration.handOut.make", { count: names.length })}</button>
            ${onClose && html`<button type="button" class="plain" onClick=${onClose}>${t("cancel")}</button>`}</p>`
        : undefined}
        <${Progress} work=${work} value=${made.length} of=${names.length} words=${t("administration.handOut.progress", {
        done: made.length, all: names.length })} />
        ${work.fault && html`<p class="fault" role="alert">${t("administration.handOut.stopped", {
        name: names[made.length], reason: work.fault })}</p>`}
        ${isDone && html`<${Result} kind=${kind} made=${made} address=${options.address}
            setSaved=${setSaved} onClose=${onClose} />`}
        ${!work.isBusy && (work.fault || work.isCancelled) && made.length < names.length && html`<p><button
            type="button" class="plain" onClick=${() => begin(made)}>${t("administration.handOut.goOn", {
        count: names.length - made.length })}</button></p>`}
    </div>`;
}

function Kinds({ kind, setKind, isAdmin }) {
    const kinds = isAdmin ? ["owntracks", "invitation", "password"] : ["owntracks", "invitation"];
    return html`<fieldset class="field kinds"><legend>${t("administration.handOut.kind")}</legend>
        ${kinds.map((each) => html`<label key=${each} class="check"><input type="radio" name="hand-out-kind"
            value=${each} checked=${kind === each} onChange=${() => setKind(each)} />
            <span>${t(`administration.handOut.as.${each}`)}</span></label>`)}
    </fieldset>`;
}

function Options({ kind, options, choose }) {
    if (kind === "password") { return undefined; }
    if (kind === "invitation") {
        return html`<div class="field"><label for="hand-out-lasts">${t("administration.invitations.lasts")}</label>
            <select id="hand-out-lasts" value=${options.lasts} onChange=${choose("lasts")}>
                ${lifetimeChoices().map(([value, words]) => html`<option key=${value} value=${value}
                    selected=${value === options.lasts}>${words}</option>`)}</select></div>`;
    }
    const isWrong = !phoneAddress(options.address);
    return html`<div class="field"><label for="hand-out-device">${t("administration.owntracks.device")}</label>
            <input id="hand-out-device" value=${options.device} onInput=${choose("device")} autocomplete="off" /></div>
        <div class="field"><label for="hand-out-address">${t("administration.owntracks.address")}</label>
            <span class="hint" id="hand-out-hint">${t("administration.owntracks.addressHint")}</span>
            <input id="hand-out-address" value=${options.address} onInput=${choose("address")} autocomplete="off"
                aria-describedby="hand-out-hint" aria-invalid=${isWrong ? "true" : undefined} />
            ${isWrong && html`<span class="fault">${t("administration.owntracks.noAddress")}</span>`}
            <${AddressWarnings} address=${options.address} /></div>`;
}

function Result({ kind, made, address, setSaved, onClose }) {
    const save = () => {
        offerTable(handOutTable(kind, made), `muster-${kind}.csv`);
        setSaved(true);
    };
    const print = () => {
        printSheet(kind, made, address);
        setSaved(true);
    };
    const leftOut = made.filter(({ isLeftOut }) => isLeftOut);
    const given = givenOf(made);
    return html`<p role="status">${t("administration.handOut.made", { count: given.length })}</p>
        ${leftOut.length > 0 && html`<p>${t("administration.handOut.leftOut", {
        names: listed(leftOut.map(({ name }) => name)) })}</p>`}
        <p class="warning">${t("administration.handOut.once")}</p>
        ${kind === "invitation" && html`<${ReachWarning} address=${given[0]?.code} />`}
        ${kind === "owntracks" && html`<${AddressWarnings} address=${address} />`}
        <p class="answers">${kind !== "password" && html`<button type="button" class="primary" onClick=${print}>${
        t("administration.handOut.print")}</button>`}
            <button type="button" class=${kind === "password" ? "primary" : "plain"} onClick=${save}>${
        t("administration.handOut.save")}</button>
            ${onClose && html`<button type="button" class="plain" onClick=${onClose}>${t("close")}</button>`}</p>`;
}

/** Prints a card for each person. The sheet is on the page only while it is printed. */
function printSheet(kind, made, address) {
    const sheet = document.createElement("div");
    sheet.id = "sheet";
    render(html`${givenOf(made).map(({ name, code }) => html`<section key=${name}><h2>${name}</h2>
        <${QRView} content=${code} label=${name} />
        <p>${t(`administration.handOut.card.${kind}`)}</p><p>${address}</p></section>`)}`, sheet);
    document.body.append(sheet);
    document.documentElement.classList.add("printing");
    addEventListener("afterprint", () => {
        document.documentElement.classList.remove("printing");
        sheet.remove();
    }, { once: true });
    globalThis.print();
}
