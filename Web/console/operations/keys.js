/** Keys of programs: made, shown once, revoked. An admin sees anyone's, and replaces the keys that sign tokens. */
import { CheckField, SelectField, TextField } from "../shared/fields.js";
import { Fault, useAskFirst, useDraft, useFormOrder, useList } from "../shared/forms.js";
import { legible } from "../shared/text.js";
import { Time } from "../shared/timeview.js";
import { html, useSlice, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { Codes } from "./codes.js";
import { Once, useMade } from "./once.js";
import { Paged } from "./paged.js";

/** How long a temporary AWS key may last, in hours; the first is one without an end. */
const lifetimes = ["", "1", "8", "36"];
const signingUses = ["access-tokens", "user-pool"];

export function Part() {
    const user = useSlice(({ user }) => user);
    const isAdmin = user?.role === "admin";
    const [wanted, setWanted] = useState("");
    const [owner, setOwner] = useState("");
    const list = useList(`keys${owner ? `?user=${encodeURIComponent(owner)}` : ""}`, "items");
    const find = (event) => { event.preventDefault(); setOwner(wanted.trim()); };
    const whose = owner || user?.name;
    return html`<section class="part" aria-labelledby="keys-title">
        <h2 id="keys-title">${t("operations.part.keys")}</h2>
        <p class="quiet">${t("operations.keys.about")}</p>
        ${isAdmin && html`<form class="bar find" onSubmit=${find}>
            <${TextField} label=${t("operations.keys.whose")} hint=${t("operations.keys.whoseHint")} value=${wanted}
                onInput=${setWanted} />
            <button type="submit" class="plain">${t("operations.keys.find")}</button></form>`}
        <h3>${t("operations.keys.of", { name: legible(whose) })}</h3>
        <${Paged} list=${list} label=${t("operations.part.keys")} empty=${t("operations.keys.none")}
            row=${(key) => html`<${Key} key=${key.id} made=${key} changed=${list.reload} />`} />
        <${NewKey} key=${owner} owner=${owner} changed=${list.reload} />
        ${isAdmin && html`<${Codes} /><${SigningKeys} />`}
    </section>`;
}

function Key({ made: { id, label, createdAt, kind, expiresAt }, changed }) {
    const askFirst = useAskFirst();
    const name = legible(label || id);
    const revoke = () => askFirst({
        title: t("operations.keys.revokeWhat", { name }), button: t("operations.keys.revoke"),
        lines: [t("operations.keys.askRevoke", { name })],
        order: {
            path: `keys/${encodeURIComponent(id)}`, method: "DELETE", words: t("operations.keys.orderRevoke", { name }),
        },
        done: changed,
    });
    return html`<li data-id=${id}>
        <p><strong>${name}</strong> <span class="quiet">${t(kind === "aws" ? "operations.keys.aws"
        : "operations.keys.token")}, ${legible(id)}</span></p>
        <p class="quiet">${t("operations.keys.madeAt")} <${Time} at=${createdAt} />${expiresAt
            && html`. ${t("operations.keys.endsAt")} <${Time} at=${expiresAt} />`}</p>
        <p class="bar"><button type="button" class="plain" onClick=${revoke}
            aria-label=${t("operations.keys.revokeWhat", { name })}>${t("operations.keys.revoke")}</button></p>
    </li>`;
}

function NewKey({ owner, changed }) {
    const [form, change, empty] = useDraft(`operations key ${owner}`, { label: "", kind: "token", hours: "" });
    const { press, isBusy, faults, fault, find, touch } = useFormOrder(["label", "kind", "lastsSeconds"]);
    const [made, setMade] = useMade();
    const set = (members) => { touch(...Object.keys(members), "lastsSeconds"); change({ ...form, ...members }); };
    const send = async (event) => {
        event.preventDefault();
        const { label, kind, hours } = form;
        if (label.trim() === "") { find({ label: t("operations.keys.needsLabel") }); return; }
        const lasts = kind === "aws" && hours !== "" ? { lastsSeconds: Number(hours) * 3600 } : {};
        const body = { label: label.trim(), kind, ...(owner ? { user: owner } : {}), ...lasts };
        const response = await press({
            path: "keys", body, words: t("operations.keys.orderMake", { name: legible(body.label) }),
        });
        if (!response) { return; }
        empty();
        setMade(await response.json(), legible(body.label));
        changed();
    };
    if (made) {
        const secrets = [["key", made.key], ["accessKeyId", made.accessKeyId],
            ["secretAccessKey", made.secretAccessKey], ["sessionToken", made.sessionToken]];
        return html`<${Once} title=${t("operations.keys.made", { name: legible(made.label) })}
            secrets=${secrets.filter(([, value]) => value).map(([key, value]) => ({
        label: t(`operations.secret.${key}`), value }))}
            onDone=${() => setMade(undefined)} />`;
    }
    return html`<h3>${t("operations.keys.new")}</h3>
        <form class="form" onSubmit=${send} noValidate>
            <${TextField} label=${t("operations.keys.label")} hint=${t("operations.keys.labelHint")}
                fault=${faults.label} value=${form.label} onInput=${(label) => set({ label })} maxLength="200" />
            <${SelectField} label=${t("operations.keys.kind")} fault=${faults.kind} value=${form.kind}
                options=${[["token", t("operations.keys.token")], ["aws", t("operations.keys.aws")]]}
                onChange=${(kind) => set({ kind })} />
            ${form.kind === "aws" && html`<${SelectField} label=${t("operations.keys.lasts")} value=${form.hours}
                fault=${faults.lastsSeconds} onChange=${(hours) => set({ hours })}
                options=${lifetimes.map((hours) => [hours, hours === "" ? t("operations.keys.endless")
        : t("operations.keys.hours", { count: Number(hours) })])} />`}
            <${Fault} words=${fault} />
            <p class="bar"><button type="submit" class="primary" disabled=${isBusy}>${
        t("operations.keys.make")}</button></p>
        </form>`;
}

/** The keys that sign tokens; a new one takes over, and the tokens of the one before end where it was stolen. */
function SigningKeys() {
    const askFirst = useAskFirst();
    const [use, setUse] = useState(signingUses[0]);
    const [endTokens, setEndTokens] = useState(false);
    const [done, setDone] = useState();
    const rotate = (event) => {
        event.preventDefault();
        const name = t(`operations.signing.${use}`);
        askFirst({
            title: t("operations.signing.replace"), button: t("operations.signing.replace"),
            lines: [t(endTokens ? "operations.signing.askEnd" : "operations.signing.ask", { name })],
            order: {
                path: `signing-keys/${use}?endTokens=${endTokens}`, words: t("operations.signing.order", { name }),
            },
            done: async (response) => setDone(await response.json()),
        });
    };
    return html`<details><summary>${t("operations.signing.title")}</summary>
        <p class="quiet">${t("operations.signing.about")}</p>
        <form class="form" onSubmit=${rotate}>
            <${SelectField} label=${t("operations.signing.use")} value=${use} onChange=${setUse}
                options=${signingUses.map((each) => [each, t(`operations.signing.${each}`)])} />
            <${CheckField} label=${t("operations.signing.endTokens")} checked=${endTokens} onChange=${setEndTokens} />
            <p class="bar"><button type="submit" class="plain">${t("operations.signing.replace")}</button></p>
        </form>
        <p role="status">${done && html`${t("operations.signing.done", { id: legible(done.kid) })}${
        done.formerGoodUntil && html` ${t("operations.signing.former")} <${Time} at=${done.formerGoodUntil} />`}`}</p>
    </details>`;
}
