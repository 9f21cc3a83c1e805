/** Invitations: a link by which somebody sets a password of their own; made, shown once, listed, withdrawn. */
import { OnceDialog } from "../frame/leaving.js";
import { Dialog } from "../shared/dialog.js";
import { Fault, useAskFirst } from "../shared/forms.js";
import { ReachWarning } from "../shared/reach.js";
import { hrefOf } from "../shared/route.js";
import { byName, legible } from "../shared/text.js";
import { clockTime, timeAttributes } from "../shared/time.js";
import { html, useState } from "../shared/view.js";
import { listed, t } from "../shared/words.js";
import { Form } from "./form.js";
import { persist, Progress, useWork } from "./longwork.js";
import { changed } from "./reading.js";
import { Secret } from "./secretview.js";
import { Rows, useWhole } from "./wholelist.js";

/** For how long an invitation may hold, in seconds. */
const lifetimes = [["3600", "hour"], ["86400", "day"], ["604800", "week"], ["2592000", "month"]];

export function lifetimeChoices() {
    return lifetimes.map(([seconds, name]) => [seconds, t(`administration.invitations.lasts.${name}`)]);
}

/** The order that makes an invitation. */
export function invitationBody(user, seconds, note = "") {
    return {
        kind: "invitation", user, expiresSeconds: Number(seconds), ...(note.trim() ? { note: note.trim() } : {}),
    };
}

/** Makes an invitation of one user, and shows it once. */
export function InvitationDialog({ user, onClose }) {
    const [given, setGiven] = useState(undefined);
    if (given) {
        return html`<${OnceDialog} title=${t("administration.invitations.of", { name: user })} onClose=${onClose}
            lost=${t("administration.handOut.lost.invitation", { count: 1 })}>${({ leave, keep }) => html`
            <p>${t("administration.invitations.until", { time: clockTime(given.expiresTime) })}</p>
            <${ReachWarning} address=${given.url} />
            <${Secret} secret=${given.url} label=${t("administration.invitations.link")} code=${given.url}
                codeLabel=${t("administration.invitations.code", { name: user })} onCopied=${keep} />
            <p class="answers"><button type="button" class="primary" onClick=${() => leave()}>${
        t("close")}</button></p>`}
        <//>`;
    }
    return html`<${Dialog} title=${t("administration.invitations.of", { name: user })} onClose=${onClose}>
        <p>${t("administration.invitations.what")}</p>
        <${Form} name=${`invitation ${user}`} first=${{ lasts: "604800", note: "" }}
            submit=${t("administration.invitations.make")} fields=${[
        {
            key: "lasts", label: t("administration.invitations.lasts"), kind: "choice", choices: lifetimeChoices(),
        },
        { key: "note", label: t("administration.note") },
    ]}
            order=${({ lasts, note }) => ({
        path: "links", body: invitationBody(user, lasts, note), words: t("administration.order.invite", { name: user }),
    })} done=${async (response) => setGiven(await response.json())} onCancel=${onClose} />
    <//>`;
}

/** The invitations that still hold, and the other links that the caller may withdraw. */
export function Invitations() {
    const list = useWhole("links");
    const askFirst = useAskFirst();
    const withdraw = ({ link, user }) => askFirst({
        title: t("administration.invitations.withdrawTitle", { name: user }),
        button: t("administration.invitations.withdraw"), lines: [t("administration.invitations.lost")],
        order: {
            path: `links/${encodeURIComponent(link)}`, method: "DELETE",
            words: t("administration.order.withdraw", { name: user }),
        },
        done: changed,
    });
    const rows = (list.items ?? []).filter(({ kind }) => kind === "invitation");
    const [chosen, setChosen] = useState(() => new Set());
    const [isAsking, setAsking] = useState(false);
    // Those that were used or withdrawn meanwhile are chosen no more.
    const wanted = rows.filter(({ link }) => chosen.has(link));
    const toggle = (link) => setChosen((old) => {
        const next = new Set(old);
        if (!next.delete(link)) { next.add(link); }
        return next;
    });
    if (list.error?.status === 404) { return html`<p class="quiet">${t("administration.invitations.unknown")}</p>`; }
    return html`<section aria-labelledby="invitations-title">
        <h2 id="invitations-title">${t("administration.part.invitations")}</h2>
        <p>${t("administration.invitations.how")}</p>
        ${rows.length > 1 && html`<p class="answers">
            <button type="button" class="plain" onClick=${() => setChosen(
        new Set(wanted.length === rows.length ? [] : rows.map(({ link }) => link)))}>${
        t(wanted.length === rows.length ? "administration.invitations.chooseNone"
            : "administration.invitations.chooseAll")}</button>
            <button type="button" class="plain danger" disabled=${wanted.length === 0}
                onClick=${() => setAsking(true)}>${
        t("administration.invitations.withdrawMany", { count: wanted.length })}</button></p>`}
        ${isAsking && html`<${WithdrawMany} links=${wanted} onClose=${() => setAsking(false)} />`}
        <${Rows} list=${list} rows=${rows} empty=${t("administration.invitations.none")}
            row=${(link) => html`<li key=${link.link} class="with-actions">
                ${rows.length > 1 && html`<input type="checkbox" checked=${chosen.has(link.link)}
                    aria-label=${t("administration.invitations.choose", { name: link.user })}
                    onChange=${() => toggle(link.link)} />`}
                <a href=${hrefOf("administration", "people", link.user)}><strong>${link.user}</strong> <span
                    class="quiet"><time ...${timeAttributes(link.expiresTime)}>${
        t("administration.invitations.row", { time: clockTime(link.expiresTime), name: link.createdBy })}</time>${
        link.note ? t("between.parts") + legible(link.note) : ""}</span></a>
                <button type="button" class="plain danger" onClick=${() => withdraw(link)}
                    aria-label=${t("administration.invitations.withdrawOf", { name: link.user })}>${
        t("administration.invitations.withdraw")}</button></li>`} />
    </section>`;
}

/** The most people who are named before their invitations are withdrawn. */
const namedLimit = 20;

/**
 * Withdraws invitations one after the other. One that is gone by then was used or withdrawn, which is as good.
 * @param {{links: object[], send: (path: string, options: object) => Promise<Response>,
 *     report?: (count: number) => void}} work
 */
export async function withdrawAll({ links, send, report }) {
    let count = 0;
    for (const { link } of links) {
        try {
            await send(`links/${encodeURIComponent(link)}`, { method: "DELETE" });
        } catch (error) {
            if (error.status !== 404) { throw error; }
        }
        count += 1;
        report?.(count);
    }
    return count;
}

function WithdrawMany({ links: now, onClose }) {
    const [links] = useState(now);
    const work = useWork();
    const [done, setDone] = useState(0);
    const names = links.map(({ user }) => user).sort(byName).slice(0, namedLimit);
    const withdraw = async () => {
        const count = await work.begin(({ signal, request }) => withdrawAll({
            links, report: setDone, send: (path, options) => persist(request, path, options, signal),
        }));
        await changed();
        if (count !== undefined) { onClose(); }
    };
    const title = t("administration.invitations.withdrawManyTitle", { count: links.length });
    return html`<${Dialog} title=${title} onClose=${onClose}>
        <p>${listed([...names, links.length > names.length && "…"])}</p>
        <p>${t("administration.invitations.lostMany")}</p>
        <${Progress} work=${work} value=${done} of=${links.length}
            words=${t("administration.invitations.withdrawn", { done, all: links.length })} />
        <${Fault} words=${work.fault} />
        <p class="answers"><button type="button" class="primary danger" disabled=${work.isBusy}
            onClick=${withdraw}>${t("administration.invitations.withdraw")}</button>
            <button type="button" class="plain" onClick=${onClose}>${t("cancel")}</button></p>
    <//>`;
}
