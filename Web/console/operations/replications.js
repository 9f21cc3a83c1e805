/** Replications that the server runs: which there are, how far each came; made, run again, ended. For admins alone. */
import { faultWords } from "../shared/faults.js";
import { CheckField, TextField } from "../shared/fields.js";
import { Fault, useAskFirst, useDraft, useFormOrder, useOrder } from "../shared/forms.js";
import { ReadingFoot, useReading } from "../shared/reading.js";
import { go, hrefOf } from "../shared/route.js";
import { legible } from "../shared/text.js";
import { Time } from "../shared/timeview.js";
import { html, usePage, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { Paged } from "./paged.js";
import {
    documentOf, isRemote, peerWords, progressWords, restarted, stateWords,
} from "./replicationwords.js";

const everyMs = 5_000;
/** Below the path of CouchDB's clients no name of the API is a database's. */
const couch = "../../couchdb";
const emptyForm = {
    name: "", source: "", target: "", sourceUser: "", targetUser: "", continuous: true, createTarget: false,
};

/** @param {{rest: string[]}} properties `new` */
export function Part({ rest: [action] }) {
    return action === "new" ? html`<${NewReplication} />` : html`<${Replications} />`;
}

function Replications() {
    const reading = useReading("replications", (get) => get(`${couch}/_scheduler/docs?limit=1000`), everyMs);
    const { value } = reading;
    const list = { items: value?.docs, hasMore: false, isBusy: false, fault: "", more() {}, reload: reading.reload };
    return html`<section class="part" aria-labelledby="replications-title">
        <h2 id="replications-title">${t("operations.part.replications")}</h2>
        <p class="quiet">${t("operations.replication.about")}</p>
        <p class="bar"><a class="primary" href=${hrefOf("operations", "replications", "new")}>${
        t("operations.replication.new")}</a></p>
        <${ReadingFoot} reading=${reading} />
        ${value && html`<${Paged} list=${list} label=${t("operations.part.replications")}
            empty=${t("operations.replication.none")} row=${(each) => html`<${Replication}
                key=${`${each.database} ${each.doc_id}`} each=${each} changed=${reading.reload} />`} />`}
        ${value?.total_rows > value?.docs.length && html`<p class="quiet">${t("operations.replication.more",
        { count: value.total_rows })}</p>`}
    </section>`;
}

function Replication({ each, changed }) {
    const { request } = usePage();
    const { press, isBusy, fault } = useOrder();
    const [unread, setUnread] = useState("");
    const { database, doc_id: id, state } = each;
    const name = legible(id);
    const path = `${couch}/${encodeURIComponent(database)}/${encodeURIComponent(id)}`;
    const askFirst = useAskFirst();
    /** The document of the replication as it is now: what changes it names its revision. */
    const read = async () => {
        setUnread("");
        try { return await (await request(path)).json(); } catch (error) {
            setUnread(faultWords(error));
            return undefined;
        }
    };
    const end = async () => {
        const document = await read();
        if (!document) { return; }
        askFirst({
            title: t("operations.replication.endWhat", { name }), button: t("operations.replication.end"),
            lines: [t("operations.replication.askEnd", { name })],
            order: {
                path: `${path}?rev=${encodeURIComponent(document._rev)}`, method: "DELETE",
                words: t("operations.replication.orderEnd", { name }),
            },
            done: changed,
        });
    };
    const again = async () => {
        const document = await read();
        if (!document) { return; }
        const words = t("operations.replication.orderAgain", { name });
        if (await press({ path, method: "PUT", body: restarted(document), words })) { changed(); }
    };
    const isOver = state === "failed" || state === "completed";
    return html`<li data-id=${id}>
        <p><strong>${name}</strong></p>
        <p class=${state === "failed" || state === "crashing" ? "fault" : undefined}>${stateWords(each)}</p>
        <p>${t("operations.replication.way", { source: peerWords(each.source), target: peerWords(each.target) })}</p>
        <p class="quiet">${progressWords(each)} ${t("operations.replication.since")}${" "}
            <${Time} at=${each.last_updated} /></p>
        <p class="bar">${isOver && html`<button type="button" class="plain" disabled=${isBusy} onClick=${again}
                aria-label=${t("operations.replication.againWhat", { name })}>${
        t("operations.replication.again")}</button>`}
            <button type="button" class="plain" disabled=${isBusy} onClick=${end}
                aria-label=${t("operations.replication.endWhat", { name })}>${t("operations.replication.end")}</button>
        </p>
        <${Fault} words=${fault || unread} />
    </li>`;
}

function NewReplication() {
    const [form, change, empty] = useDraft("operations replication", emptyForm);
    const [passwords, setPasswords] = useState({ source: "", target: "" });
    const { press, isBusy, faults, fault, find, touch } = useFormOrder(["name", "source", "target"]);
    const set = (members) => { touch(...Object.keys(members)); change({ ...form, ...members }); };
    const send = async (event) => {
        event.preventDefault();
        const { body, faults: found } = documentOf(form, passwords);
        if (find(found)) { return; }
        const name = form.name.trim();
        const done = await press({
            path: `${couch}/_replicator/${encodeURIComponent(name)}`, method: "PUT", body,
            words: t("operations.replication.orderStart", { name: legible(name) }),
        });
        if (done) { empty(); go("operations", "replications"); }
    };
    const peer = (side) => html`<${TextField} label=${t(`operations.replication.${side}`)} spellcheck=${false}
            hint=${t("operations.replication.peerHint")} fault=${faults[side]} value=${form[side]}
            onInput=${(text) => set({ [side]: text })} />
        ${isRemote(form[side]) && html`<${TextField} label=${t(`operations.replication.${side}User`)}
                value=${form[`${side}User`]} onInput=${(text) => set({ [`${side}User`]: text })} />
            <${TextField} label=${t(`operations.replication.${side}Password`)} type="password"
                autocomplete="new-password" hint=${t("operations.replication.passwordHint")} value=${passwords[side]}
                onInput=${(text) => setPasswords({ ...passwords, [side]: text })} />`}`;
    return html`<section class="part" aria-labelledby="replications-title">
        <p><a class="plain" href=${hrefOf("operations", "replications")}>${t("operations.replication.back")}</a></p>
        <h2 id="replications-title">${t("operations.replication.new")}</h2>
        <form class="form" onSubmit=${send} noValidate autocomplete="off">
            <${TextField} label=${t("operations.replication.name")} fault=${faults.name} value=${form.name}
                onInput=${(name) => set({ name })} maxLength="200" />
            ${peer("source")}
            ${peer("target")}
            <${CheckField} label=${t("operations.replication.continuous")} checked=${form.continuous}
                onChange=${(continuous) => set({ continuous })} />
            <${CheckField} label=${t("operations.replication.createTarget")} checked=${form.createTarget}
                onChange=${(createTarget) => set({ createTarget })} />
            <${Fault} words=${fault} />
            <p class="bar"><button type="submit" class="primary" disabled=${isBusy}>${
        t("operations.replication.start")}</button></p>
        </form>
    </section>`;
}
