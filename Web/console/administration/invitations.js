/** Invitations: a link by which somebody sets a password of their own; made, shown once, listed, withdrawn. */
import { OnceDialog } from "../frame/leaving.js";
import { Dialog } from "../shared/dialog.js";
import { useAskFirst } from "../shared/forms.js";
import { ReachWarning } from "../shared/reach.js";
import { hrefOf } from "../shared/route.js";
import { legible } from "../shared/text.js";
import { clockTime, timeAttributes } from "../shared/time.js";
import { html, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { Form } from "./form.js";
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
    if (list.error?.status === 404) { return html`<p class="quiet">${t("administration.invitations.unknown")}</p>`; }
    return html`<section aria-labelledby="invitations-title">
        <h2 id="invitations-title">${t("administration.part.invitations")}</h2>
        <p>${t("administration.invitations.how")}</p>
        <${Rows} list=${list} rows=${rows} empty=${t("administration.invitations.none")}
            row=${(link) => html`<li key=${link.link} class="with-actions">
                <a href=${hrefOf("administration", "people", link.user)}><strong>${link.user}</strong> <span
                    class="quiet"><time ...${timeAttributes(link.expiresTime)}>${
        t("administration.invitations.row", { time: clockTime(link.expiresTime), name: link.createdBy })}</time>${
        link.note ? t("between.parts") + legible(link.note) : ""}</span></a>
                <button type="button" class="plain danger" onClick=${() => withdraw(link)}
                    aria-label=${t("administration.invitations.withdrawOf", { name: link.user })}>${
        t("administration.invitations.withdraw")}</button></li>`} />
    </section>`;
}
