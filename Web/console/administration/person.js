/** One user: what they are, their password, invitation, devices and timer; joined to another, and removed. */
import { Dialog } from "../shared/dialog.js";
import { useAskFirst } from "../shared/forms.js";
import { ReadingFoot } from "../shared/reading.js";
import { go, hrefOf } from "../shared/route.js";
import { legible } from "../shared/text.js";
import { html, usePage, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { DeviceList } from "./devices.js";
import { Form } from "./form.js";
import { InvitationDialog } from "./invitations.js";
import { PasswordDialog } from "./passworddialog.js";
import { NoRoll, userBody, userFields } from "./people.js";
import { changed, useOne } from "./reading.js";
import { Timer } from "./timer.js";
import { mayChangeDevices, userWords } from "./users.js";
import { useWhole } from "./wholelist.js";

export function Person({ name, me }) {
    const one = useOne(`users/${encodeURIComponent(name)}`);
    const user = one.value;
    return html`<article aria-labelledby="person-title">
        <p><a class="back" href=${hrefOf("administration", "people")}>${t("administration.people.back")}</a></p>
        <h2 id="person-title">${name}</h2>
        <${ReadingFoot} reading=${one} />
        ${user && html`<p class="quiet">${userWords(user)}</p>
            <${Account} user=${user} me=${me} />
            <${SigningIn} user=${user} me=${me} />
            ${(me.role === "admin" || user.role !== "gateway" || mayChangeDevices(me, user)) && html`
                <section aria-labelledby="devices-title"><h3 id="devices-title">${t("administration.part.devices")}</h3>
                    <${DeviceList} of=${user} me=${me} /></section>`}
            ${user.role !== "gateway" && html`<${Timer} user=${user} />`}
            <${Ends} user=${user} me=${me} />`}
    </article>`;
}

/** What is known of a user as a form has it. */
export function formOf(user) {
    return {
        role: user.role, team: user.team ?? "", crew: user.crew ?? "",
        displayName: user.displayName ?? "", phone: user.phone ?? "", email: user.email ?? "",
        databaseRoles: (user.databaseRoles ?? []).join(", "),
    };
}

function Account({ user, me }) {
    const isAdmin = me.role === "admin";
    const teams = useWhole(isAdmin ? "teams" : undefined);
    const crews = useWhole(user.team ? `teams/${encodeURIComponent(user.team)}/crews` : undefined);
    const all = userFields(teams.items ?? (user.team ? [{ name: user.team }] : []), crews.items ?? []);
    const fields = isAdmin ? all : all.filter(({ key }) => key === "crew");
    if (fields.length === 0 || (!isAdmin && !user.team)) { return undefined; }
    return html`<section aria-labelledby="account-title">
        <h3 id="account-title">${t("administration.person.account")}</h3>
        ${!isAdmin && html`<dl class="facts">
            <dt>${t("administration.phone")}</dt><dd>${user.phone ? legible(user.phone) : "–"}</dd>
            <dt>${t("administration.email")}</dt><dd>${user.email ? legible(user.email) : "–"}</dd></dl>`}
        <${AccountForm} user=${user} fields=${fields} />
    </section>`;
}

function AccountForm({ user, fields }) {
    const { request } = usePage();
    const path = `users/${encodeURIComponent(user.name)}`;
    // Only an admin gets to see somebody without a team, and may give them one.
    return html`<${Form} name=${`user ${user.name}`} first=${formOf(user)} fields=${fields}
        submit=${t("administration.save")} current=${async () => formOf(await (await request(path)).json())}
        order=${(_, differing) => ({
        path, method: "PATCH", body: userBody(differing),
        words: t("administration.order.change", { name: user.name }),
    })}>${NoRoll}<//>`;
}

function SigningIn({ user, me }) {
    const [isOpen, setOpen] = useState(undefined);
    const isSelf = me.name === user.name;
    const maySetPassword = me.role === "admin" || isSelf;
    const mayInvite = me.role === "admin" || (me.role === "leader" && user.role === "member");
    if (!maySetPassword && !mayInvite) { return undefined; }
    return html`<section aria-labelledby="sign-in-title">
        <h3 id="sign-in-title">${t("administration.person.signIn")}</h3>
        <p class="answers">
            ${mayInvite && !isSelf && html`<button type="button" class="plain" onClick=${() => setOpen("invite")}>${
        t("administration.invitations.invite")}</button>`}
            ${maySetPassword && html`<button type="button" class="plain" onClick=${() => setOpen("password")}>${
        t(isSelf ? "administration.password.change" : "administration.password.reset")}</button>`}
        </p>
        ${isOpen === "invite" && html`<${InvitationDialog} user=${user.name} onClose=${() => setOpen(undefined)} />`}
        ${isOpen === "password" && html`<${PasswordDialog} user=${user.name} isSelf=${isSelf}
            onClose=${() => setOpen(undefined)} />`}
    </section>`;
}

/** Joining two ids of one person, and removing. */
function Ends({ user, me }) {
    const [isJoining, setJoining] = useState(false);
    const askFirst = useAskFirst();
    const mayJoin = mayChangeDevices(me, user) && me.name !== user.name;
    const mayRemove = me.role === "admin" && me.name !== user.name;
    const remove = () => askFirst({
        title: t("administration.person.removeTitle", { name: user.name }), button: t("administration.remove"),
        lines: [t("administration.person.lost"), t("administration.undoNot")],
        order: {
            path: `users/${encodeURIComponent(user.name)}`, method: "DELETE",
            words: t("administration.order.remove", { name: user.name }),
        },
        done: (_, isHere) => (isHere ? go("administration", "people") : changed()),
    });
    if (!mayJoin && !mayRemove) { return undefined; }
    return html`<section aria-labelledby="ends-title">
        <h3 id="ends-title">${t("administration.person.ends")}</h3>
        <p class="answers">
            ${mayJoin && html`<button type="button" class="plain" onClick=${() => setJoining(true)}>${
        t("administration.person.join")}</button>`}
            ${mayRemove && html`<button type="button" class="plain danger" onClick=${remove}>${
        t("administration.person.remove")}</button>`}
        </p>
        ${isJoining && html`<${Join} user=${user} onClose=${() => setJoining(false)} />`}
    </section>`;
}

function Join({ user, onClose }) {
    const list = useWhole("users");
    const names = (list.items ?? []).map(({ name }) => name).filter((name) => name !== user.name);
    return html`<${Dialog} title=${t("administration.person.joinTitle", { name: user.name })} onClose=${onClose}>
        <p>${t("administration.person.joinWhat", { name: user.name })}</p>
        <${Form} name=${`join ${user.name}`} first=${{ to: "" }} isDangerous isLast
            submit=${t("administration.person.joinDo")} onCancel=${onClose}
            fields=${[{ key: "to", label: t("administration.person.joinTo"), isRequired: true, suggestions: names }]}
            order=${({ to }) => ({
        path: `users/${encodeURIComponent(user.name)}/join`, body: { to: to.trim() },
        words: t("administration.order.join", { name: user.name, to: legible(to.trim()) }),
    })}
            done=${(_, { to }) => { onClose(); go("administration", "people", to.trim()); }}>
            <p>${t("administration.undoNot")}</p><//>
    <//>`;
}
