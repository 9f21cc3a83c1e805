/** What a page cannot do, and how to set up OwnTracks, an app that can, with a code. */
import { faultWords } from "../../console/shared/faults.js";
import { root } from "../../console/shared/http.js";
import { configuration, configurationLink, isInTheClear, phoneAddress } from "../../console/shared/owntracks.js";
import { QRView } from "../../console/shared/qrview.js";
import { html, usePage, useSlice, useState } from "../../console/shared/view.js";
import { t } from "../../console/shared/words.js";

/** The name of the device that OwnTracks reports as; this browser is a device of its own. */
const deviceName = "phone";

/**
 * Makes the device if the user has none of that name, and a token for the device.
 * @returns {Promise<string>} the link that sets up the app
 * @throws {Problem} the server's refusal; another error if the server gave no answer
 */
export async function ownTracksLink({ request, user, server = root }) {
    const devices = `users/${encodeURIComponent(user)}/devices`;
    try {
        await request(devices, { method: "POST", body: { name: deviceName } });
    } catch (error) {
        if (error.status !== 409) { throw error; }
    }
    const { token } = await (await request(`${devices}/${deviceName}/token`, { method: "POST" })).json();
    return configurationLink(configuration({ address: phoneAddress(server), user, device: deviceName, token }));
}

export function Limits() {
    const user = useSlice(({ user }) => user);
    const page = usePage();
    const [link, setLink] = useState(undefined);
    const [state, setState] = useState({ isBusy: false, fault: "" });
    const make = async () => {
        setState({ isBusy: true, fault: "" });
        try {
            setLink(await ownTracksLink({ request: page.request, user: user.name }));
            setState({ isBusy: false, fault: "" });
        } catch (error) {
            setState({ isBusy: false, fault: faultWords(error) });
        }
    };
    return html`<details id="tracking-limits">
        <summary>${t("me.tracking.limits")}</summary>
        <ul><li>${t("me.tracking.limitsLit")}</li><li>${t("me.tracking.limitsClosed")}</li>
            <li>${t("me.tracking.limitsOwnTracks")}</li></ul>
        ${link === undefined && html`<p><button type="button" id="tracking-owntracks" class="plain"
            disabled=${state.isBusy} onClick=${make}>${t("me.tracking.setUp")}</button></p>`}
        <p class="fault" role="alert" hidden=${state.fault === ""}>${state.fault}</p>
        ${link !== undefined && html`<${SetUp} link=${link} user=${user?.name ?? ""}
            onClose=${() => setLink(undefined)} />`}
    </details>`;
}

function SetUp({ link, user, onClose }) {
    return html`<div id="tracking-code">
        <p class="warning">${t("me.tracking.secret")}</p>
        ${isInTheClear(root) && html`<p class="warning">${t("me.tracking.clear")}</p>`}
        <ol><li>${t("me.tracking.step1")}</li><li>${t("me.tracking.step2")}</li><li>${t("me.tracking.step3")}</li></ol>
        <p><a class="plain tracking-link" href=${link}>${t("me.tracking.openOwnTracks")}</a></p>
        <${QRView} content=${link} label=${t("me.tracking.code", { name: user })} />
        <p><button type="button" class="plain" onClick=${onClose}>${t("me.tracking.hideCode")}</button></p>
    </div>`;
}
