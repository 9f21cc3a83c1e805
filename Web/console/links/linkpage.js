/** The frame of a page that a link opens, for somebody without an account: one thing is shown, and no way elsewhere. */
import "../frame/texts.js";
import { faultWords, isUnanswered } from "../shared/faults.js";
import { beginLanguage, chooseLanguage } from "../shared/language.js";
import { LanguageList } from "../shared/languages.js";
import { forgetToken, goToPageOf, takeToken } from "../shared/linktoken.js";
import { LinkWatch, oldAfterMs } from "../shared/linkwatch.js";
import { Store } from "../shared/store.js";
import { clockTime, keepTimeBy, zoneWords } from "../shared/time.js";
import { html, PageContext, render, useNow, usePage, useSlice } from "../shared/view.js";
import { addWords, currentLanguage, t } from "../shared/words.js";

/**
 * Opens the page: takes the secret, asks what it shows, and shows it.
 * @param {string} page its folder below the console's, which has `words/`
 * @param {Function} View the component, drawn with the `answer` of `GET /shared`
 */
export async function openLinkPage(page, View) {
    const store = new Store({ watched: { isOver: false, aheadMs: 0 }, hasToken: false, language: currentLanguage() });
    const context = {
        store, watch: undefined, serverNow: () => context.watch?.serverNow ?? Date.now(),
        /** The address by which this page was opened, for another device. */
        address: undefined,
    };
    keepTimeBy(context.serverNow);
    // Before anything else: the secret leaves the address bar.
    const token = takeToken(page);
    begin(context, page, token);
    // Another link was opened in this tab.
    addEventListener("hashchange", () => begin(context, page, takeToken(page)));
    addEventListener("online", () => context.watch?.hurry());
    document.addEventListener("visibilitychange", () => { if (!document.hidden) { context.watch?.hurry(); } });
    await beginLanguage();
    await Promise.all([addWords("links"), addWords(page)]);
    store.set({ language: currentLanguage() });
    const app = document.getElementById("app");
    app.replaceChildren();
    render(html`<${PageContext.Provider} value=${context}><${Frame} View=${View} /><//>`, app);
}

function begin(context, page, token) {
    context.watch?.end();
    context.store.set({ watched: { isOver: false, aheadMs: 0 }, hasToken: token !== undefined });
    if (!token) { return; }
    context.address = `${location.origin}${location.pathname}#${token}`;
    context.watch = new LinkWatch({
        token,
        report: (watched) => {
            if (!goToPageOf(watched.answer?.kind, page, token)) { context.store.set({ watched }); }
        },
        over: () => forgetToken(page),
    });
    context.watch.begin();
}

function Frame({ View }) {
    const { watched, hasToken, language } = useSlice(
        ({ watched, hasToken, language }) => ({ watched, hasToken, language }));
    const { store } = usePage();
    const change = (wanted) => chooseLanguage(wanted).then(() => store.set({ language: currentLanguage() }), () => {});
    return html`<div class="link-page">
        <header class="link-head"><h1><img src="../../muster.svg" alt="" width="28" height="28" /> Muster</h1>
            <${LanguageList} language=${language} choose=${change} /></header>
        <${NotRefreshed} />
        <main class="link-main">${whyNothing(watched, hasToken) ?? html`<${View} answer=${watched.answer} />`}</main>
        <${Until} />
    </div>`;
}

/** Why nothing is shown; undefined where something is. */
function whyNothing({ isOver, answer, fault }, hasToken) {
    if (!hasToken) { return html`<p class="link-end" role="alert">${t("links.notWhole")}</p>`; }
    if (isOver) { return html`<p class="link-end" role="alert">${t("links.over")}</p>`; }
    if (answer) { return undefined; }
    const words = !fault ? t("list.loading") : isUnanswered(fault) ? t("links.noAnswer") : faultWords(fault);
    return html`<p class="quiet" role="status">${words}</p>`;
}

/** Says large that what is shown may be old. */
function NotRefreshed() {
    const { checkedMs, aheadMs } = useSlice(({ watched }) => watched);
    useNow(1000);
    const isOld = checkedMs !== undefined && Date.now() - checkedMs > oldAfterMs;
    return html`<p class="link-old" role="alert" hidden=${!isOld}>${
        isOld && t("links.notRefreshed", { time: clockTime(new Date(checkedMs + aheadMs).toISOString()) })}</p>`;
}

/** Of when what is shown is, and until when the link shows it. */
function Until() {
    const { answer, checkedMs, aheadMs } = useSlice(({ watched }) => watched);
    if (!answer) { return undefined; }
    const time = clockTime(new Date(checkedMs + aheadMs).toISOString());
    return html`<footer class="link-foot quiet"><p id="as-of">${t("links.asOf", { time })}</p>
        <p>${t("links.until", { time: clockTime(answer.expiresTime) })}</p>
        <p id="zone">${t("header.zone", { zone: zoneWords() })}</p></footer>`;
}
