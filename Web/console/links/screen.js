/** Links: rights without an account. A dialog makes one, and another lists those that are open. */
import { OnceDialog } from "../frame/leaving.js";
import { CopyField } from "../shared/copyfield.js";
import { Dialog } from "../shared/dialog.js";
import { CheckField } from "../shared/fields.js";
import { Fault, ListFoot, useAskFirst, useDraft, useList, useOrder } from "../shared/forms.js";
import { QRView } from "../shared/qrview.js";
import { ReachWarning } from "../shared/reach.js";
import { leads } from "../shared/safety.js";
import { teamsOf } from "../shared/teams.js";
import { called } from "../shared/names.js";
import { legible } from "../shared/text.js";
import { clockTime, timeAttributes } from "../shared/time.js";
import { html, useSlice, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { bodyOf, firstSeconds, hasMap, lengthKeys, subjectWords, titleWords } from "./subject.js";

/**
 * @param {{subject?: import("./subject.js").Subject, onClose: () => void}} properties what is to be shared; nothing:
 *     the list
 */
export function Screen({ subject: first, onClose }) {
    const [subject, setSubject] = useState(first);
    return subject
        ? html`<${NewLink} subject=${subject} onClose=${onClose} showList=${() => setSubject(undefined)} />`
        : html`<${OpenLinks} onClose=${onClose} share=${setSubject} />`;
}

function NewLink({ subject, onClose, showList }) {
    const [made, setMade] = useState();
    const { press, isBusy, fault } = useOrder();
    const first = { seconds: firstSeconds[subject.kind], note: "", state: "safe", kml: false };
    const about = subject.user ?? subject.incident ?? subject.team;
    const [draft, change, forget] = useDraft(`link ${subject.kind} ${about}`, first);
    const submit = async (event) => {
        event.preventDefault();
        const response = await press({
            path: "links", body: bodyOf(subject, draft), words: t("links.given", { what: subjectWords(subject) }) });
        if (!response) { return; }
        setMade(await response.json());
        forget();
    };
    const what = html`<p class="link-what">${
        t(`links.shows.${subject.kind}`, { name: called(subject.user) })}</p>`;
    if (made) {
        return html`<${OnceDialog} title=${titleWords(subject)} lost=${t("links.lost")} onClose=${onClose}>${
            ({ leave, keep }) => html`${what}<${Made} link=${made} onCopied=${keep} />
            <p class="answers"><button type="button" class="primary" onClick=${() => leave()}>${t("close")}</button>
                <button type="button" class="plain" onClick=${() => leave(showList)}>${
        t("links.all")}</button></p>`}<//>`;
    }
    return html`<${Dialog} title=${titleWords(subject)} onClose=${onClose}>
        ${what}<form id="new-link" onSubmit=${submit}>
            <${LinkFields} subject=${subject} draft=${draft} change=${change} />
            <${Fault} words=${fault} />
            <p class="answers"><button type="submit" class="primary" disabled=${isBusy}>${t("links.make")}</button>
                <button type="button" class="plain" onClick=${onClose}>${t("cancel")}</button>
                <button type="button" class="plain" onClick=${showList}>${t("links.all")}</button></p>
        </form>
    <//>`;
}

function LinkFields({ subject, draft, change }) {
    const set = (part, value) => change({ ...draft, [part]: value });
    return html`<div class="field"><label for="link-seconds">${t("links.howLong")}</label>
            <select id="link-seconds" value=${String(draft.seconds)}
                onChange=${({ currentTarget }) => set("seconds", Number(currentTarget.value))}>
                ${Object.entries(lengthKeys).map(([seconds, key]) => html`<option key=${seconds}
                    value=${seconds}>${t(`links.for.${key}`)}</option>`)}
            </select></div>
        ${subject.kind === "visitors" && html`<div class="field"><label for="link-state">${t("links.state")}</label>
            <select id="link-state" value=${draft.state}
                onChange=${({ currentTarget }) => set("state", currentTarget.value)}>
                ${["safe", "unaccounted"].map((state) => html`<option key=${state} value=${state}>${
                t(`links.state.${state}`)}</option>`)}
            </select></div>`}
        <div class="field"><label for="link-note">${t("links.note")}</label>
            <input id="link-note" maxlength="100" autocomplete="off" value=${draft.note}
                aria-describedby="link-note-hint" onInput=${({ currentTarget }) => set("note", currentTarget.value)} />
            <p id="link-note-hint" class="hint">${t("links.noteHint")}</p></div>
        ${hasMap(subject) && html`<div class="field"><${CheckField} id="link-kml" label=${t("links.kml")}
                checked=${draft.kml} onChange=${(kml) => set("kml", kml)} />
            <p class="hint">${t("links.kmlHint")}</p></div>`}`;
}

/** The address, this once. */
function Made({ link: { url, kmlURL, expiresTime }, onCopied }) {
    return html`<div id="made-link">
        <${ReachWarning} address=${url} />
        <${CopyField} id="link-address" content=${url} label=${t("links.address")} onCopied=${onCopied} />
        ${kmlURL && html`<${CopyField} id="link-kml-address" content=${kmlURL} label=${t("links.kmlAddress")}
            onCopied=${onCopied} />`}
        <p><strong>${t("links.once")}</strong> ${t("links.until", { time: clockTime(expiresTime) })}</p>
        <${QRView} content=${url} label=${t("links.code")} />
    </div>`;
}

function OpenLinks({ onClose, share }) {
    const list = useList("links?limit=100", "items");
    return html`<${Dialog} title=${t("links.title")} onClose=${onClose} isWide=${true}>
        <p class="quiet">${t("links.what")}</p>
        <ul id="open-links" class="open-links">${(list.items ?? []).map((link) => html`<${Row} key=${link.link}
            link=${link} reload=${list.reload} />`)}</ul>
        <${ListFoot} list=${list} empty=${t("links.none")} />
        <${NewLinks} share=${share} />
        <p class="answers"><button type="button" class="primary" onClick=${onClose}>${t("close")}</button></p>
    <//>`;
}

/** Links of the teams that this user leads, and of their open incidents. A person's is given where the person is. */
function NewLinks({ share }) {
    const { live, user } = useSlice(({ live, user }) => ({ live, user }));
    const led = teamsOf(live.members).filter((team) => leads(user, team));
    const [team, setTeam] = useState(led[0]);
    if (led.length === 0) { return undefined; }
    const open = [...live.incidents.values()].filter((incident) => incident.team === team);
    return html`<section aria-labelledby="new-links"><h3 id="new-links">${t("links.new")}</h3>
        ${led.length > 1 && html`<div class="field"><label for="links-team">${t("links.team")}</label>
            <select id="links-team" value=${team} onChange=${({ currentTarget }) => setTeam(currentTarget.value)}>
                ${led.map((name) => html`<option key=${name} value=${name}>${legible(name)}</option>`)}
            </select></div>`}
        <p class="answers">${[{ kind: "visitors", team }, ...open.map(({ number }) => (
            { kind: "incident", incident: number, team }))].map((subject) => html`<button type="button" class="plain"
                key=${subject.incident} onClick=${() => share(subject)}>${titleWords(subject)}</button>`)}</p>
    </section>`;
}

function Row({ link, reload }) {
    const askFirst = useAskFirst();
    const { note, createdBy, createdTime, expiresTime } = link;
    const what = subjectWords(link);
    const withdraw = () => askFirst({
        title: t("links.withdrawName", { what }), button: t("links.withdraw"),
        lines: [t("links.askWithdraw", { what })],
        order: {
            path: `links/${encodeURIComponent(link.link)}`, method: "DELETE", words: t("links.withdrawn", { what }),
        },
        done: reload,
    });
    return html`<li data-kind=${link.kind}>
        <span class="what"><strong>${what}</strong>${link.kml && ` · ${t("links.withKML")}`}${
            note && ` · ${legible(note)}`}<br />
            <span class="quiet">${t("links.givenBy", { name: called(createdBy), time: clockTime(createdTime) })}
                ${" "}<time ...${timeAttributes(expiresTime)}>${
                t("links.until", { time: clockTime(expiresTime) })}</time>
            </span></span>
        <button type="button" class="plain" aria-label=${t("links.withdrawName", { what })}
            onClick=${withdraw}>${t("links.withdraw")}</button>
    </li>`;
}
