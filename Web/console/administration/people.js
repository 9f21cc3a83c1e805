/** The users: found, made; and each by itself (`person.js`). */
import { Dialog } from "../shared/dialog.js";
import { go, hrefOf } from "../shared/route.js";
import { legible } from "../shared/text.js";
import { html, useMemo, useState } from "../shared/view.js";
import { listed, t } from "../shared/words.js";
import { Form } from "./form.js";
import { HandOutDialog } from "./handout.js";
import { passwordFault } from "./password.js";
import { Person } from "./person.js";
import { chosenUsers, isOnNoRoll, noTeam, onNoRoll, roles, roleWords, userWords } from "./users.js";
import { Rows, useWhole } from "./wholelist.js";

export function People({ rest, me }) {
    const isList = rest.length === 0 || rest[0] === onNoRoll;
    return isList ? html`<${UserList} key=${rest[0]} me=${me} team=${rest[0]} />`
        : html`<${Person} key=${rest[0]} name=${rest[0]} me=${me} />`;
}

/** @param {{me: object, team?: string}} properties `team`: the choice of a team to begin with */
function UserList({ me, team = "" }) {
    const list = useWhole("users");
    const teams = useWhole(me.role === "admin" ? "teams" : undefined);
    const [choice, setChoice] = useState({ text: "", role: "", team });
    const [isMaking, setMaking] = useState(false);
    const [isHandingOut, setHandingOut] = useState(false);
    const found = useMemo(() => chosenUsers(list.items ?? [], choice), [list.items, choice]);
    const choose = (key) => ({ currentTarget }) => setChoice({ ...choice, [key]: currentTarget.value });
    const lost = me.role === "admin" ? (list.items ?? []).filter(isOnNoRoll).length : 0;
    const receivers = found.filter(({ role }) => role === "member" || (me.role === "admin" && role !== "gateway"));
    return html`<section aria-labelledby="people-title">
        <h2 id="people-title">${t("administration.part.people")}</h2>
        <p class="answers">
            ${me.role === "admin" && html`<button type="button" class="primary"
                onClick=${() => setMaking(true)}>${t("administration.people.add")}</button>`}
            ${receivers.length > 0 && html`<button type="button" class="plain"
                onClick=${() => setHandingOut(true)}>${t("administration.handOut.open")}</button>`}
        </p>
        ${lost > 0 && html`<p class="warning" id="in-no-team">${t("roster.inNoTeam", { count: lost })}
            <button type="button" class="plain" onClick=${() => setChoice({ text: "", role: "", team: onNoRoll })}>${
        t("roster.inNoTeamShow")}</button></p>`}
        <div class="choice">
            <div class="field"><label for="people-search">${t("administration.search")}</label>
                <input id="people-search" type="search" value=${choice.text} onInput=${choose("text")}
                    autocapitalize="none" spellcheck=${false} /></div>
            <div class="field"><label for="people-role">${t("administration.role")}</label>
                <select id="people-role" value=${choice.role} onChange=${choose("role")}>
                    <option value="">${t("administration.all")}</option>
                    ${roles.map((role) => html`<option key=${role} value=${role}>${roleWords(role)}</option>`)}
                </select></div>
            ${me.role === "admin" && html`<div class="field"><label for="people-team">${
        t("administration.team")}</label>
                <select id="people-team" value=${choice.team} onChange=${choose("team")}>
                    <option value="">${t("administration.all")}</option>
                    <option value=${noTeam}>${t("administration.noTeam")}</option>
                    <option value=${onNoRoll}>${t("administration.inNoTeam")}</option>
                    ${(teams.items ?? []).map(({ name }) => html`<option key=${name} value=${name}>${
        legible(name)}</option>`)}
                </select></div>`}
        </div>
        <${Rows} list=${list} rows=${found} of=${JSON.stringify(choice)} empty=${t("administration.people.none")}
            row=${(user) => html`<li key=${user.name}><a href=${hrefOf("administration", "people", user.name)}>
                <strong>${user.name}</strong> <span class="quiet">${listed([
        userWords(user), user.phone && legible(user.phone), user.email && legible(user.email)])}</span></a></li>`} />
        ${isMaking && html`<${NewUser} teams=${teams.items ?? []} onClose=${() => setMaking(false)} />`}
        ${isHandingOut && html`<${HandOutDialog} people=${receivers.map(({ name, team }) => ({ name, team }))} me=${me}
            onClose=${() => setHandingOut(false)} />`}
    </section>`;
}

/** The choices of a role, the last of which may do everything. */
function roleChoices() {
    return roles.map((role) => [role, t(`administration.roleDoes.${role}`)]);
}

/** The choices of a team, with none. */
function teamChoices(teams) {
    return [["", t("administration.noTeam")], ...teams.map(({ name }) => [name, legible(name)])];
}

/** The fields that an admin gives a user, as a form has them. */
export function userFields(teams, crews) {
    return [
        { key: "role", label: t("administration.role"), kind: "choice", choices: roleChoices() },
        { key: "team", label: t("administration.team"), kind: "choice", choices: teamChoices(teams) },
        {
            key: "crew", label: t("administration.crew"), hint: t("administration.crewHint"),
            suggestions: crews.map(({ name }) => name),
        },
        { key: "displayName", label: t("administration.displayName"), hint: t("administration.displayNameHint") },
        { key: "phone", label: t("administration.phone"), kind: "tel" },
        { key: "email", label: t("administration.email"), kind: "email" },
        { key: "databaseRoles", label: t("administration.ownRoles"), hint: t("administration.ownRolesHint") },
    ];
}

/** What is typed of a user as the API takes it; null removes. */
export function userBody(values) {
    return Object.fromEntries(Object.entries(values).map(([key, value]) => {
        if (key === "databaseRoles") {
            return [key, value.split(",").map((each) => each.trim()).filter((each) => each !== "")];
        }
        const text = key === "role" ? value : value.trim();
        return [key, text === "" ? null : text];
    }));
}

function NewUser({ teams, onClose }) {
    const first = {
        name: "", role: "member", team: "", crew: "", displayName: "", phone: "", email: "", databaseRoles: "",
    };
    const fields = [
        { key: "name", label: t("signIn.name"), isRequired: true, hint: t("administration.nameHint") },
        ...userFields(teams, []),
    ];
    return html`<${Dialog} title=${t("administration.people.addTitle")} onClose=${onClose}>
        <${Form} name="new user" first=${first} fields=${fields} submit=${t("administration.make")}
            onCancel=${onClose}
            order=${(values) => ({
        path: "users", body: newUserBody(values), words: t("administration.order.make", { name: legible(values.name) }),
    })}
            done=${(_, values) => { onClose(); go("administration", "people", values.name.trim()); }}>
            ${NoRoll}<//>
    <//>`;
}

/** Says that a user would be on no roll, as the form of the user stands now. */
export function NoRoll(values) {
    return html`<p class="warning no-roll" role="status" hidden=${!isOnNoRoll(values)}>${
        t("administration.people.inNoTeam")}</p>`;
}

/** The body that makes a user: what is empty is left out. */
export function newUserBody(values) {
    return Object.fromEntries(Object.entries(userBody(values))
        .filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0)));
}

/** What is wrong with a password that was typed, by its field. */
export function passwordFaults({ password }) {
    const fault = passwordFault(password ?? "");
    return fault ? { password: t(`administration.password.${fault}`) } : {};
}
