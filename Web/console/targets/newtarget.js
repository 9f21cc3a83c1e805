/** The form of a new target. Its URL, its header fields and its secret are in no draft. */
import { Once, useMade } from "../operations/once.js";
import { CheckField, SelectField, TextField } from "../shared/fields.js";
import { Fault, useDraft, useFormOrder } from "../shared/forms.js";
import { go, hrefOf } from "../shared/route.js";
import { legible } from "../shared/text.js";
import { html, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { kinds, requestOf } from "./targetwords.js";

export function Back() {
    return html`<p><a class="plain" href=${hrefOf("operations", "targets")}>${t("targets.back")}</a></p>`;
}

export function NewTarget() {
    const [form, change, empty] = useDraft("targets new", { name: "", kind: "webhook", byHand: false });
    const [secrets, setSecrets] = useState({ url: "", headers: "", secret: "" });
    const [made, setMade] = useMade();
    const { press, isBusy, faults, fault, find, touch } = useFormOrder(["name", "kind", "url", "headers", "secret"]);
    const set = (members) => { touch(...Object.keys(members)); change({ ...form, ...members }); };
    const hide = (members) => { touch(...Object.keys(members)); setSecrets({ ...secrets, ...members }); };
    const send = async (event) => {
        event.preventDefault();
        const { body, faults: found } = requestOf(form, secrets);
        if (find(found)) { return; }
        const response = await press({
            path: "targets", body, words: t("targets.order.make", { name: legible(body.name) }),
        });
        if (!response) { return; }
        empty();
        const { secret } = await response.json();
        if (!secret) { go("operations", "targets", "of", body.name); return; }
        setMade({ name: body.name, secret }, legible(body.name));
    };
    if (made) {
        return html`<section class="part"><${Once} title=${t("targets.secretOf", { name: legible(made.name) })}
            secrets=${[{ label: t("targets.secret"), value: made.secret }]}
            onDone=${() => go("operations", "targets", "of", made.name)} /></section>`;
    }
    return html`<section class="part" aria-labelledby="targets-title">
        <${Back} />
        <h2 id="targets-title">${t("targets.new")}</h2>
        <form class="form" onSubmit=${send} noValidate autocomplete="off">
            <${TextField} label=${t("targets.name")} hint=${t("targets.nameHint")} fault=${faults.name}
                value=${form.name} onInput=${(name) => set({ name })} maxLength="64" />
            <${SelectField} label=${t("targets.kind")} fault=${faults.kind} value=${form.kind}
                options=${kinds.map((kind) => [kind, t(`targets.kind.${kind}`)])} onChange=${(kind) => set({ kind })} />
            ${form.kind !== "log" && html`<${TextField} label=${t("targets.url")} hint=${t("targets.urlHint")}
                    type="url" fault=${faults.url} value=${secrets.url} onInput=${(url) => hide({ url })} />
                <${TextField} label=${t("targets.headers")} hint=${t("targets.headersHint")} rows="2"
                    spellcheck=${false} fault=${faults.headers} value=${secrets.headers}
                    onInput=${(headers) => hide({ headers })} />`}
            ${form.kind === "webhook" && html`<${TextField} label=${t("targets.ownSecret")} type="password"
                hint=${t("targets.ownSecretHint")} fault=${faults.secret} value=${secrets.secret}
                onInput=${(secret) => hide({ secret })} autocomplete="new-password" />`}
            <${CheckField} label=${t("targets.isByHand")} checked=${form.byHand}
                onChange=${(byHand) => set({ byHand })} />
            <${Fault} words=${fault} />
            <p class="bar"><button type="submit" class="primary" disabled=${isBusy}>${t("targets.make")}</button></p>
        </form>
    </section>`;
}
