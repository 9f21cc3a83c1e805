/** A user's password: typed, or made here and shown once. */
import { OnceDialog } from "../frame/leaving.js";
import { Dialog } from "../shared/dialog.js";
import { html, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { Form } from "./form.js";
import { newPassword } from "./password.js";
import { passwordFaults } from "./people.js";
import { Secret } from "./secretview.js";

/** What an admin's reset ends besides the sessions, where it is not kept. */
const kept = ["device-tokens", "tokens-for-others", "api-keys", "aws-keys", "links", "push-devices"];
/** What is kept unless the admin decides otherwise: without these tokens phones stop reporting. */
const keptAtFirst = new Set(["device-tokens", "tokens-for-others"]);

/** @param {{user: string, isSelf: boolean, onClose: () => void}} properties */
export function PasswordDialog({ user, isSelf, onClose }) {
    const [given, setGiven] = useState(undefined);
    if (given) {
        return html`<${OnceDialog} title=${t("administration.password.of", { name: user })} onClose=${onClose}
            lost=${t("administration.password.lost", { name: user })}>${({ leave, keep }) => html`
            <${Secret} secret=${given} label=${t("administration.password.new")} onCopied=${keep} />
            <p>${t("administration.password.handOver")}</p>
            <p class="answers"><button type="button" class="primary" onClick=${() => leave()}>${
            t("close")}</button></p>`}<//>`;
    }
    const order = (values, body) => ({
        path: `users/${encodeURIComponent(user)}/password`, method: "PUT", body,
        words: t("administration.order.password", { name: user }),
    });
    const title = t(isSelf ? "administration.password.changeOwn" : "administration.password.resetOf", { name: user });
    return html`<${Dialog} title=${title} onClose=${onClose}>
        ${isSelf ? html`<${Form} name="own password" first=${{ currentPassword: "", password: "" }} isSecret
            submit=${t("administration.password.set")} faultsOf=${passwordFaults} order=${order} fields=${[
        { key: "currentPassword", label: t("administration.password.current"), kind: "password", isRequired: true },
        {
            key: "password", label: t("administration.password.new"), kind: "password", isRequired: true,
            hint: t("administration.password.rule"),
        },
    ]} done=${onClose} onCancel=${onClose}><p>${t("administration.password.endsOwn")}</p><//>`
        : html`<p>${t("administration.password.ends")}</p><${Reset} order=${order} done=${setGiven}
            onCancel=${onClose} />`}
    <//>`;
}

function Reset({ order, done, onCancel }) {
    const [start] = useState(() => ({
        password: newPassword(), ...Object.fromEntries(kept.map((kind) => [kind, keptAtFirst.has(kind)])),
    }));
    const keep = (values) => kept.filter((kind) => values[kind]);
    return html`<${Form} name="password" first=${start} isSecret submit=${t("administration.password.set")}
        faultsOf=${passwordFaults}
        order=${(values) => order(values, { password: values.password, keep: keep(values) })}
        fields=${[
        {
            key: "password", label: t("administration.password.new"), isRequired: true,
            hint: t("administration.password.madeHint"),
        },
        ...kept.map((kind) => ({ key: kind, kind: "check", label: t(`administration.keep.${kind}`) })),
    ]}
        done=${(_, { password }) => done(password)} onCancel=${onCancel} />`;
}
