/** The crews of a team: made, renamed, removed; and who is in each, put there quickly by the keyboard. */
import { Dialog } from "../shared/dialog.js";
import { Fault, useAskFirst, useOrder } from "../shared/forms.js";
import { go, hrefOf } from "../shared/route.js";
import { byName, legible } from "../shared/text.js";
import { html, useMemo, useRef, useState } from "../shared/view.js";
import { listed, t } from "../shared/words.js";
import { Form } from "./form.js";
import { changed } from "./reading.js";
import { Rows, useWhole } from "./wholelist.js";

export function Crews({ rest, me }) {
    const [team = me.role === "leader" ? me.team : undefined, crew] = rest;
    if (me.role === "leader" && !me.team) {
        return html`<p class="quiet">${t("administration.teams.youHaveNone")}</p>`;
    }
    if (!team) { return html`<${ChooseTeam} />`; }
    return crew ? html`<${Crew} key=${`${team}/${crew}`} team=${team} name=${crew} />`
        : html`<${CrewList} key=${team} team=${team} me=${me} />`;
}

function ChooseTeam() {
    const list = useWhole("teams");
    const rows = [...list.items ?? []].sort((left, right) => byName(left.name, right.name));
    return html`<section aria-labelledby="crews-title">
        <h2 id="crews-title">${t("administration.part.crews")}</h2>
        <p>${t("administration.crews.ofWhich")}</p>
        <${Rows} list=${list} rows=${rows} empty=${t("administration.teams.none")}
            row=${({ name }) => html`<li key=${name}><a href=${hrefOf("administration", "crews", name)}><strong>${
        name}</strong></a></li>`} />
    </section>`;
}

const nameField = () => ({
    key: "name", label: t("administration.name"), isRequired: true, hint: t("administration.crews.nameHint"),
});

function CrewList({ team, me }) {
    const path = `teams/${encodeURIComponent(team)}/crews`;
    const list = useWhole(path);
    const [isMaking, setMaking] = useState(false);
    const rows = [...list.items ?? []].sort((left, right) => byName(left.name, right.name));
    return html`<section aria-labelledby="crews-title">
        ${me.role === "admin" && html`<p><a class="back" href=${hrefOf("administration", "crews")}>${
        t("administration.crews.backToTeams")}</a></p>`}
        <h2 id="crews-title">${t("administration.crews.of", { team })}</h2>
        <p class="answers"><button type="button" class="primary" onClick=${() => setMaking(true)}>${
        t("administration.crews.add")}</button></p>
        <${Rows} list=${list} rows=${rows} empty=${t("administration.crews.none")}
            row=${({ name, people }) => html`<li key=${name}><a href=${hrefOf("administration", "crews", team, name)}>
                <strong>${legible(name)}</strong> <span class="quiet">${t("administration.crews.people", {
        count: people })}</span></a></li>`} />
        ${isMaking && html`<${Dialog} title=${t("administration.crews.addTitle")} onClose=${() => setMaking(false)}>
            <${Form} name=${`new crew ${team}`} first=${{ name: "" }} fields=${[nameField()]}
                submit=${t("administration.make")} onCancel=${() => setMaking(false)}
                order=${({ name }) => ({
        path, body: { name: name.trim() }, words: t("administration.order.make", { name: legible(name.trim()) }),
    })} done=${(_, { name }) => { setMaking(false); go("administration", "crews", team, name.trim()); }} /><//>`}
    </section>`;
}

function Crew({ team, name }) {
    const path = `teams/${encodeURIComponent(team)}/crews/${encodeURIComponent(name)}`;
    const list = useWhole("users");
    const [isRenaming, setRenaming] = useState(false);
    const askFirst = useAskFirst();
    const close = () => setRenaming(false);
    const remove = () => askFirst({
        title: t("administration.crews.removeTitle", { name: legible(name) }), button: t("administration.remove"),
        lines: [t("administration.crews.lost")],
        order: { path, method: "DELETE", words: t("administration.order.remove", { name: legible(name) }) },
        done: (_, isHere) => (isHere ? go("administration", "crews", team) : changed()),
    });
    const people = useMemo(() => (list.items ?? []).filter((user) => user.team === team && user.role !== "gateway")
        .sort((left, right) => byName(left.name, right.name)), [list.items]);
    const members = people.filter(({ crew }) => crew === name);
    return html`<article aria-labelledby="crew-title">
        <p><a class="back" href=${hrefOf("administration", "crews", team)}>${
        t("administration.crews.back", { team })}</a></p>
        <h2 id="crew-title">${legible(name)}</h2>
        <${Membership} crew=${name} people=${people} members=${members} list=${list} />
        <section aria-labelledby="ends-title"><h3 id="ends-title">${t("administration.crews.ends")}</h3>
            <p class="answers"><button type="button" class="plain" onClick=${() => setRenaming(true)}>${
        t("administration.crews.rename")}</button>
                <button type="button" class="plain danger" onClick=${remove}>${
        t("administration.crews.remove")}</button></p></section>
        ${isRenaming && html`<${Dialog} title=${t("administration.crews.renameTitle", { name: legible(name) })}
            onClose=${close}>
            <${Form} name=${`crew ${team}/${name}`} first=${{ name }} fields=${[nameField()]}
                submit=${t("administration.save")} onCancel=${close}
                order=${(values) => ({
        path, method: "PATCH", body: { name: values.name.trim() },
        words: t("administration.order.change", { name: legible(name) }),
    })} done=${(_, values) => { close(); go("administration", "crews", team, values.name.trim()); }} /><//>`}
    </article>`;
}

/** Those of the team who match what is typed and are not in the crew yet, the best first. Pure. */
export function candidates(people, crew, text) {
    const wanted = text.trim().toLocaleLowerCase();
    if (wanted === "") { return []; }
    const namesOf = ({ name, displayName }) => [name, displayName ?? ""].map((each) => each.toLocaleLowerCase());
    const matching = people.filter((user) => user.crew !== crew
        && namesOf(user).some((each) => each.includes(wanted)));
    const rank = (user) => (namesOf(user).includes(wanted) ? 0
        : namesOf(user).some((each) => each.startsWith(wanted)) ? 1 : 2);
    return matching.sort((left, right) => rank(left) - rank(right) || byName(left.name, right.name)).slice(0, 8);
}

/** Who is in a crew. Enter puts the chosen one in, and the next name may be typed at once. */
function Membership({ crew, people, members, list }) {
    const { press, isBusy, fault } = useOrder();
    const [text, setText] = useState("");
    const [chosen, setChosen] = useState(0);
    const input = useRef();
    const found = candidates(people, crew, text);
    const move = async (user, to) => {
        const response = await press({
            path: `users/${encodeURIComponent(user)}`, method: "PATCH", body: { crew: to },
            words: t(to ? "administration.order.toCrew" : "administration.order.fromCrew",
                { name: user, crew: legible(crew) }),
        });
        if (!response) { return; }
        changed();
        if (to) {
            setText("");
            setChosen(0);
        }
        input.current?.focus();
    };
    const type = (event) => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (step && found.length > 0) {
            event.preventDefault();
            setChosen((chosen + step + found.length) % found.length);
        } else if (event.key === "Enter") {
            event.preventDefault();
            if (found[chosen] && !isBusy) { move(found[chosen].name, crew); }
        } else if (event.key === "Escape") { setText(""); }
    };
    return html`<section aria-labelledby="members-title">
        <h3 id="members-title">${t("administration.crews.members")}</h3>
        <div class="field"><label for="member">${t("administration.crews.put")}</label>
            <span class="hint" id="member-hint">${t("administration.crews.putHint")}</span>
            <input id="member" ref=${input} role="combobox" aria-expanded=${String(found.length > 0)}
                aria-controls="candidates" aria-describedby="member-hint" aria-autocomplete="list"
                aria-activedescendant=${found.length > 0 ? `candidate-${chosen}` : undefined} value=${text}
                autocomplete="off" autocapitalize="none" spellcheck=${false} onKeyDown=${type}
                onInput=${({ currentTarget }) => { setText(currentTarget.value); setChosen(0); }} />
            <ul id="candidates" role="listbox" class="candidates" aria-label=${t("administration.crews.candidates")}
                hidden=${found.length === 0}>
                ${found.map((user, index) => html`<li key=${user.name} id=${`candidate-${index}`} role="option"
                    aria-selected=${String(index === chosen)} onClick=${() => move(user.name, crew)}>${user.name}${
        user.displayName && html` <span>${legible(user.displayName)}</span>`}${
        user.crew ? html` <span class="quiet">${t("administration.crews.isIn", { crew: legible(user.crew) })}</span>`
            : undefined}</li>`)}
            </ul>
            ${text.trim() !== "" && found.length === 0 && html`<span class="quiet" role="status">${
        t("administration.crews.nobody")}</span>`}
        </div>
        <${Fault} words=${fault} />
        <${Rows} list=${list} rows=${members} empty=${t("administration.crews.empty")}
            row=${({ name, displayName, role }) => html`<li key=${name} class="with-actions"><a
                href=${hrefOf("administration", "people", name)}><strong>${name}</strong> <span class="quiet">${
        listed([displayName && legible(displayName), t(`administration.role.${role}`)])}</span></a>
                <button type="button" class="plain" disabled=${isBusy} onClick=${() => move(name, null)}
                    aria-label=${t("administration.crews.takeOutOf", { name })}>${
        t("administration.crews.takeOut")}</button></li>`} />
    </section>`;
}
