/** Sets up OwnTracks with a link and a code; loaded when the person asks for them. */
import { root } from "../../console/shared/http.js";
import { ownHost } from "../../console/shared/ownhost.js";
import { configuration, configurationLink, isInTheClear, phoneAddress } from "../../console/shared/owntracks.js";
import { QRView } from "../../console/shared/qrview.js";
import { html } from "../../console/shared/view.js";
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

/** What the person should know of the server's address before OwnTracks reports to it. Pure but for the language. */
export function addressWarnings(server) {
    const host = ownHost(server);
    return [host && t("me.tracking.ownHost", { host }), isInTheClear(server) && t("me.tracking.clear")].filter(Boolean);
}

export function SetUp({ link, user, onClose, server = root }) {
    return html`<div id="tracking-code">
        <p class="warning">${t("me.tracking.secret")}</p>
        ${addressWarnings(server).map((words) => html`<p key=${words} class="warning">${words}</p>`)}
        <ol><li>${t("me.tracking.step1")}</li><li>${t("me.tracking.step2")}</li><li>${t("me.tracking.step3")}</li></ol>
        <p><a class="plain tracking-link" href=${link}>${t("me.tracking.openOwnTracks")}</a></p>
        <${QRView} content=${link} label=${t("me.tracking.code", { name: user })} />
        <p><button type="button" class="plain" onClick=${onClose}>${t("me.tracking.hideCode")}</button></p>
    </div>`;
}
