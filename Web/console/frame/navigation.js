/** The ways to the screens, the screen that is shown, and what waits for the server. */
import { loadScreen, screensFor } from "../screens.js";
import { firstScreen, hrefOf } from "../shared/route.js";
import { clockTime } from "../shared/time.js";
import { html, useLayoutEffect, usePage, useRef, useSlice } from "../shared/view.js";
import { t } from "../shared/words.js";
import { Loaded } from "./loaded.js";

export function Navigation() {
    const { user, route } = useSlice(({ user, route }) => ({ user, route }));
    const places = screensFor(user);
    const links = useRef();
    // On a phone the row of links is wider than the screen, so the link of the open screen is scrolled into view.
    useLayoutEffect(() => links.current?.querySelector("[aria-current]")?.scrollIntoView(
        { block: "nearest", inline: "nearest" }), [route.screen, places.length]);
    if (places.length === 0) { return undefined; }
    const names = [firstScreen, ...places.map(({ name }) => name)];
    return html`<nav class="screens control" ref=${links} aria-label=${t("screens.label")}>
        ${names.map((name) => html`<a key=${name} href=${hrefOf(name)}
            aria-current=${route.screen === name ? "page" : undefined}>${t(`screens.${name}`)}</a>`)}
    </nav>`;
}

/** A screen besides the first; it is loaded when it is first shown. */
export function OtherScreen() {
    const { user, route } = useSlice(({ user, route }) => ({ user, route }));
    const place = screensFor(user).find(({ name }) => name === route.screen);
    if (!place) { return html`<main class="screen" id="screen" tabindex="-1"><p>${t("screens.none")}</p></main>`; }
    return html`<main class="screen" id="screen" tabindex="-1" aria-label=${t(`screens.${place.name}`)}>
        <${Loaded} key=${place.name} load=${() => loadScreen(place)} rest=${route.rest} />
    </main>`;
}

/** What somebody pressed and the server does not have yet. */
export function PendingOrders() {
    const entries = useSlice(({ pendingOrders }) => pendingOrders);
    const { pending } = usePage();
    return html`<div class="pending" role="status" hidden=${entries.length === 0}><ul aria-label=${t("pending.label")}>
        ${entries.map(({ number, words, sinceMs }) => html`<li key=${number}>
            <span>${t("pending.one", { words, time: clockTime(new Date(sinceMs).toISOString()) })}</span>
            <button type="button" class="plain" onClick=${() => pending.giveUp(number)}>${t("pending.giveUp")}</button>
        </li>`)}
    </ul></div>`;
}
