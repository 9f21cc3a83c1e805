/** The head of the console: whether it is live, who looks, and what concerns this device. */
import { LanguageList } from "../shared/languages.js";
import { called, fullName } from "../shared/names.js";
import { isLeader } from "../shared/safety.js";
import { clockTime, zoneWords } from "../shared/time.js";
import { html, usePage, useSlice, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { Navigation } from "./navigation.js";

export function Header() {
    const { user, connection, isNotified, language } = useSlice(
        ({ user, connection, isNotified, language }) => ({ user, connection, isNotified, language }));
    const { push, signOut, chooseLanguage, toggleWall, share } = usePage();
    const [isOpen, setOpen] = useState(false);
    return html`<header>
        <h1><img src="muster.svg" alt="" width="24" height="24" /> Muster</h1>
        <${Navigation} />
        <${Connection} connection=${connection} />
        <button type="button" class="menu" aria-expanded=${String(isOpen)} aria-controls="menu"
            aria-label=${t("header.menu")} onClick=${() => setOpen(!isOpen)}>☰</button>
        <div id="menu" class="who" data-open=${isOpen ? "" : undefined}><span id="who"
            title=${user && fullName(user.name)}>${user && called(user.name)}</span>
            <span id="zone" title=${t("header.zone", { zone: zoneWords() })}>${zoneWords()}</span>
            <${LanguageList} id="language" class="control" language=${language} choose=${chooseLanguage} />
            ${isLeader(user) && html`<button type="button" id="links" class="control" onClick=${() => share()}>${
        t("sharing.list")}</button>`}
            <button type="button" id="wall" class="control" onClick=${toggleWall}>${t("header.wall")}</button>
            <button type="button" id="notify" class="control" aria-pressed=${String(isNotified)}
                onClick=${() => push.toggle()}>${t(isNotified ? "header.notified" : "header.notify")}</button>
            <button type="button" id="sign-out" onClick=${signOut}>${t("header.signOut")}</button></div>
    </header>`;
}

/** What is shown is as of now, or since when it is not. */
function Connection({ connection: { state, wasLiveMs, delayMs } }) {
    // A first attempt after a cut goes on saying since when the page is not live.
    const shown = state === "connecting" && wasLiveMs !== undefined ? "waiting" : state;
    const { serverNow } = usePage();
    const words = shown === "waiting"
        ? t("connection.notLiveSince", { time: clockTime(new Date(wasLiveMs ?? serverNow()).toISOString()) })
        : t(`connection.${shown}`);
    const title = shown === "waiting" && delayMs > 0
        ? t("connection.triesAgain", { count: Math.ceil(delayMs / 1000) }) : undefined;
    return html`<p id="connection" class="connection" role="status" data-state=${shown} title=${title}>${words}</p>`;
}
