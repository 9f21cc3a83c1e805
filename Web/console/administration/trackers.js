/** Sets up a tracker app that somebody carries already: makes a token, and shows the app's settings once. */
import { OnceDialog } from "../frame/leaving.js";
import { CopyField } from "../shared/copyfield.js";
import { Dialog } from "../shared/dialog.js";
import { QRView } from "../shared/qrview.js";
import { trackerApps, trackerNames, trackerSetup } from "../shared/trackers.js";
import { html, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { AddressWarnings, ownAddress, PhoneForm } from "./tokens.js";

/** What the apps call what a person looks for in them. */
const ownWords = {
    traccar: { buffering: "Offline buffering" },
    overland: { mode: "Logging Mode", all: "All Data" },
    gpslogger: { menu: "Logging details", target: "Log to custom URL" },
    ulogger: { menu: "Settings", sync: "Live synchronization" },
    phonetrack: { job: "Custom log job" },
};

/** @param {{user: string, device: string, onClose: () => void}} properties */
export function TrackerDialog({ user, device, onClose }) {
    const [given, setGiven] = useState(undefined);
    const name = `${user}/${device}`;
    if (given) { return html`<${Settings} user=${user} name=${name} ...${given} onClose=${onClose} />`; }
    const fields = [
        {
            key: "app", label: t("administration.tracker.app"), kind: "choice",
            choices: trackerApps.map((app) => [app, trackerNames[app]]),
        },
        {
            key: "address", label: t("administration.owntracks.address"), isRequired: true,
            hint: t("administration.owntracks.addressHint"),
        },
    ];
    return html`<${Dialog} title=${t("administration.tracker.title", { name })} onClose=${onClose}>
        <p>${t("administration.tracker.what")}</p>
        <${PhoneForm} user=${user} fields=${fields} first=${{ device, app: trackerApps[0], address: ownAddress() }}
            submit=${t("administration.tracker.make")} done=${setGiven} onCancel=${onClose} />
    <//>`;
}

/** What the app scans, and what a person enters in it. */
function Settings({ user, name, app, device, address, token, onClose }) {
    const { link, settings } = trackerSetup(app, { server: address, user, device, token });
    return html`<${OnceDialog} title=${t("administration.tracker.of", { app: trackerNames[app], name })}
        lost=${t("administration.handOut.lost.owntracks", { count: 1 })} onClose=${onClose}>${({ leave }) => html`
        <${AddressWarnings} address=${address} />
        <div class="secret">
            <p class="warning">${t("administration.secret.once")}</p>
            <p>${t(`administration.tracker.${app}`, { app: trackerNames[app], ...ownWords[app] })}</p>
            ${link && html`<${QRView} content=${link} label=${t("administration.owntracks.code", { name })} />
                <p>${t("administration.tracker.byHand")}</p>`}
            ${settings.map(([label, value]) => html`<${CopyField} key=${label} label=${label} content=${value} />`)}
        </div>
        <p class="answers"><button type="button" class="primary" onClick=${() => leave()}>${t("close")}</button></p>`}
    <//>`;
}
