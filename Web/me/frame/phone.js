/** The settings of this phone: notifications, a newer version, the language, and signing out. */
import { fullName } from "../../console/shared/names.js";
import { html, usePage, useSlice, useState } from "../../console/shared/view.js";
import { languages, t } from "../../console/shared/words.js";
import { whyNotNotified, thisBrowser } from "../../console/shared/push.js";
import { waitingWords } from "../declarations/deliverylines.js";

export function ThisPhone() {
    const { user, language, isNotified, version, deliveries, tracking } = useSlice(
        ({ user, language, isNotified, version, deliveries, tracking }) => (
            { user, language, isNotified, version, deliveries, tracking }));
    const page = usePage();
    const [, draw] = useState(0);
    const toggle = async () => {
        await page.push.toggle();
        draw((count) => count + 1);
    };
    const refusal = isNotified ? undefined : whyNotNotified(thisBrowser());
    const signOut = () => page.ask({
        title: t("me.app.signOutTitle"),
        lines: [t("me.app.signOutErases"), unsentWords(deliveries, tracking)].filter(Boolean),
        button: t("header.signOut"), act: page.signOut,
    });
    return html`
        <section class="card" aria-label=${t("me.app.notifications")}>
            <h2>${t("me.app.notifications")}</h2>
            <p id="notify-state">${t(isNotified ? "me.app.notified" : "me.app.notNotified")}</p>
            ${refusal && html`<p id="notify-refused" class="fault">${refusal}</p>`}
            <button type="button" id="notify" class="plain" aria-pressed=${String(isNotified)}
                onClick=${toggle}>${t(isNotified ? "me.app.endNotify" : "header.notify")}</button>
        </section>
        <section class="card" aria-label=${t("me.app.thisApp")}>
            <h2>${t("me.app.thisApp")}</h2>
            <p id="offline-state">${t(`me.app.version.${version.state ?? "none"}`)}</p>
            <div class="field"><label for="language">${t("header.language")}</label>
                <select id="language" value=${language}
                    onChange=${({ currentTarget }) => page.chooseLanguage(currentTarget.value)}>
                    ${Object.entries(languages).map(([tag, name]) => html`<option key=${tag} value=${tag}
                        lang=${tag}>${name}</option>`)}
                </select></div>
            <p id="who">${t("me.app.who", { name: fullName(user.name) })}</p>
            <button type="button" id="sign-out" class="plain" onClick=${signOut}>${t("header.signOut")}</button>
        </section>`;
}

/** The messages and positions that signing out would lose, in words. */
function unsentWords(deliveries, tracking) {
    const what = waitingWords(deliveries, tracking?.waiting);
    return what && t("me.app.signOutLoses", { what });
}

/** Says that a newer version of the app is ready; the person decides when it is loaded. */
export function NewVersion() {
    const version = useSlice(({ version: known }) => known);
    const { update } = usePage();
    return html`<p id="new-version" class="new-version" role="status" hidden=${version.state !== "ready"}>${
        version.state === "ready" && html`${t("me.app.newVersion")} <button type="button" class="plain"
        onClick=${() => update.takeOver()}>${t("me.app.useNew")}</button>`}</p>`;
}
