/**
 * What the page opens with: the form to sign in, which takes input soon on a slow machine, too. The console itself
 * (`app.js`, a hundred modules) comes while somebody types, and at once where somebody is signed in already.
 */
import "./frame/texts.js";
import { session } from "./frame/oursession.js";
import { beginLanguage, chooseLanguage as changeLanguage } from "./shared/language.js";
import { whenPainted } from "./shared/painted.js";
import { SignIn } from "./shared/signin.js";
import { Store } from "./shared/store.js";
import { html, PageContext, render } from "./shared/view.js";
import { currentLanguage, t } from "./shared/words.js";

const store = new Store({ whySignedOut: "", language: "" });
const frame = document.getElementById("app");
const loadConsole = () => import("./app.js");

/** The one-time code of `#demo=…`; it leaves the address at once, and the history with it. */
function takeCode() {
    const match = /^#demo=(.+)$/.exec(location.hash);
    if (!match) { return undefined; }
    history.replaceState(null, "", location.pathname + location.search);
    return match[1];
}

/** Puts the console in the place of what is shown. */
async function open(code) {
    const { openConsole } = await loadConsole();
    render(undefined, frame);
    await openConsole(frame, code);
}

async function signIn(name, password) {
    await session.signIn(name, password);
    await open();
}

async function chooseLanguage(wanted) {
    try {
        await changeLanguage(wanted);
        store.set({ language: currentLanguage(), whySignedOut: "" });
    } catch { store.set({ whySignedOut: t("signIn.noAnswer") }); }
}

async function start() {
    const code = takeCode();
    await beginLanguage();
    if (code || session.isStored) { await open(code); return; }
    store.set({ language: currentLanguage() });
    frame.replaceChildren();
    render(html`<${PageContext.Provider} value=${{ store, signIn, chooseLanguage }}><${SignIn} /><//>`, frame);
    whenPainted(() => { loadConsole().catch(() => {}); });
}

await start();
