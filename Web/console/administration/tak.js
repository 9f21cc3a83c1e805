/** Enrolls ATAK: makes a code with which the app gets a certificate for the device, and shows it once. */
import { OnceDialog } from "../frame/leaving.js";
import { CopyField } from "../shared/copyfield.js";
import { Dialog } from "../shared/dialog.js";
import { QRView } from "../shared/qrview.js";
import { enrollmentLink, isHost, usualPort, withoutBrackets } from "../shared/tak.js";
import { clockTime } from "../shared/time.js";
import { html, useState } from "../shared/view.js";
import { listed, t } from "../shared/words.js";
import { Form } from "./form.js";
import { changed } from "./reading.js";
import { mayOpenSight } from "./users.js";

/** @param {{user: object, device: string, me: object, onClose: () => void}} properties */
export function TAKDialog({ user, device, me, onClose }) {
    const [given, setGiven] = useState(undefined);
    const name = `${user.name}/${device}`;
    if (given) { return html`<${Code} name=${name} ...${given} onClose=${onClose} />`; }
    const fields = [
        {
            key: "host", label: t("administration.tak.host"), isRequired: true,
            hint: t("administration.tak.hostHint", { example: "muster.example.org" }),
        },
        ...(mayOpenSight(me, user) ? [{
            key: "readsAsUser", kind: "check", label: t("administration.tak.reads", { name: user.name }),
        }] : []),
    ];
    const path = `users/${encodeURIComponent(user.name)}/devices/${encodeURIComponent(device)}/enrollment`;
    return html`<${Dialog} title=${t("administration.tak.title", { name })} onClose=${onClose}>
        <p>${t("administration.tak.what")}</p>
        <${Form} name=${`tak ${name}`} fields=${fields}
            first=${{ host: withoutBrackets(location.hostname), readsAsUser: false }}
            isSecret submit=${t("administration.tak.make")} onCancel=${onClose}
            faultsOf=${({ host }) => (isHost(host.trim()) ? {} : { host: t("administration.tak.noHost") })}
            order=${({ readsAsUser }) => ({
        path, body: { readsAsUser }, words: t("administration.order.enrollment", { name }),
    })}
            done=${async (response, { host }) => {
        setGiven({ host: host.trim(), made: await response.json() });
        changed();
    }} />
    <//>`;
}

/** What the camera scans, and where the phone would not reach the server. */
function Code({ name, host, made, onClose }) {
    const link = enrollmentLink({ host, ...made });
    return html`<${OnceDialog} title=${t("administration.tak.title", { name })} lost=${t("administration.tak.lost")}
        onClose=${onClose}>${({ leave, keep }) => html`
        <${PortWarning} host=${host} hosts=${made.hosts} />
        <ol class="steps"><li>${t("administration.tak.step1", { menu: "Quick Connect" })}</li>
            <li>${t("administration.tak.step2", { port: String(made.port ?? usualPort) })}</li></ol>
        <div class="secret">
            <p class="warning">${t("administration.tak.once", { time: clockTime(made.expiresAt) })}</p>
            <${QRView} content=${link} label=${t("administration.tak.code", { name })} />
            <${CopyField} label=${t("administration.tak.link")} content=${link} onCopied=${keep} />
        </div>
        <p class="answers"><button type="button" class="primary" onClick=${() => leave()}>${t("close")}</button></p>`}
    <//>`;
}

/** @param {{host: string, hosts?: string[]}} properties `hosts`: nothing where the server has no port for TAK */
function PortWarning({ host, hosts }) {
    if (!hosts) {
        return html`<p class="warning" role="status">${t("administration.tak.noPort", { option: "--tak-port" })}</p>`;
    }
    return !hosts.some((each) => each.toLowerCase() === host.toLowerCase()) && html`<p class="warning" role="status">${
        t("administration.tak.otherHost", { host, hosts: listed(hosts), option: `--tak-host ${host}` })}</p>`;
}
