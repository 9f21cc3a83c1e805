/** The page that an invitation opens: the invited sets a password of their own, and is signed in. */
import "../frame/texts.js";
import { passwordFault } from "../administration/password.js";
import { faultWords } from "../shared/faults.js";
import { beginLanguage, chooseLanguage } from "../shared/language.js";
import { LanguageButtons } from "../shared/languages.js";
import { forgetToken, goToPageOf, takeToken } from "../shared/linktoken.js";
import { Session } from "../shared/session.js";
import { legible } from "../shared/text.js";
import { wholeTime } from "../shared/time.js";
import { html, render, useEffect, useLayoutEffect, useRef, useState } from "../shared/view.js";
import { addWords, currentLanguage, t } from "../shared/words.js";
import { Invitation, isOver } from "./invitation.js";

/** The page of the console. */
const home = new URL("../../", location.href).href;

// Before anything else: the secret leaves the address.
let token = takeToken("invite");

function Page() {
    const [language, setShown] = useState(currentLanguage());
    const [state, setState] = useState({ step: token ? "reading" : "notWhole" });
    const choose = async (wanted) => {
        await chooseLanguage(wanted).catch(() => {});
        showTitle();
        setShown(currentLanguage());
    };
    const read = async () => {
        setState({ step: "reading" });
        const invitation = new Invitation(token);
        try {
            const answer = await invitation.read();
            if (goToPageOf(answer.kind, "invite", token)) { return; }
            setState(answer.kind === "invitation" ? { step: "asking", answer, invitation } : { step: "notWhole" });
        } catch (error) {
            if (isOver(error)) { forgetToken("invite"); }
            setState(isOver(error) ? { step: "over" } : { step: "failed", words: faultWords(error) });
        }
    };
    useEffect(() => { if (token) { read(); } }, []);
    useEffect(() => {
        // Another invitation was opened in this tab.
        const look = () => {
            const found = takeToken("invite");
            if (found && found !== token) { token = found; read(); }
        };
        addEventListener("hashchange", look);
        return () => removeEventListener("hashchange", look);
    }, []);
    return html`<main class="sign-in" key=${language}><div class="card">
        <h1><img src="../../muster.svg" alt="" width="32" height="32" /> Muster</h1>
        <${Step} state=${state} setState=${setState} read=${read} />
        <${LanguageButtons} language=${language} choose=${choose} />
    </div></main>`;
}

function Step({ state, setState, read }) {
    switch (state.step) {
        case "reading": return html`<p role="status">${t("list.loading")}</p>`;
        case "asking": return html`<${Asking} ...${state} setState=${setState} />`;
        case "set": return html`<p role="status" class="waiting">${t("invite.set", { name: legible(state.user) })}</p>
            <p><a href=${home}>${t("invite.signIn")}</a></p>`;
        case "failed": return html`<p class="error" role="alert">${state.words}</p>
            <p><button type="button" class="plain" onClick=${read}>${t("list.again")}</button></p>`;
        default: return html`<p class="waiting" role="alert">${t(`invite.${state.step}`)}</p>
            <p><a href=${home}>${t("invite.signIn")}</a></p>`;
    }
}

function Asking({ answer: { user, team, expiresTime }, invitation, setState }) {
    const [isBusy, setBusy] = useState(false);
    const [isShown, setShown] = useState(false);
    const [fault, setFault] = useState("");
    const field = useRef();
    useLayoutEffect(() => field.current.focus(), []);
    const submit = async (event) => {
        event.preventDefault();
        const password = field.current.value;
        const wrong = passwordFault(password);
        if (wrong) { setFault(t(`invite.${wrong}`)); field.current.focus(); return; }
        setBusy(true);
        setFault("");
        let otherwise = { step: "set", user };
        try {
            await invitation.setPassword(password);
        } catch (error) {
            if (!isOver(error)) { setFault(faultWords(error)); setBusy(false); return; }
            otherwise = { step: "over" };
            if (!error.mayBeSet) { forgetToken("invite"); setState(otherwise); return; }
        }
        forgetToken("invite");
        // An invitation that was used by a request whose answer was lost may have set this very password.
        if (await enter(user, password)) { location.replace(home); } else { setState(otherwise); }
    };
    const type = isShown ? "text" : "password";
    return html`<form method="post" onSubmit=${submit}>
        <h2 class="visually-hidden">${t("invite.title")}</h2>
        <p class="waiting">${t("invite.welcome", { host: location.host })}</p>
        <dl class="facts">${team && html`<dt>${t("invite.team")}</dt><dd id="team">${legible(team)}</dd>`}
            <dt>${t("invite.until")}</dt><dd>${wholeTime(Date.parse(expiresTime))}</dd></dl>
        <label for="user">${t("invite.name")}</label>
        <input id="user" type="text" autocomplete="username" value=${user} readonly />
        <label for="password">${t("invite.password")}</label>
        <p id="rule">${t("invite.rule")}</p>
        <input id="password" ref=${field} type=${type} autocomplete="new-password" autocapitalize="none"
            spellcheck=${false} aria-describedby="rule fault" aria-invalid=${fault ? "true" : undefined} />
        <label class="check"><input type="checkbox" checked=${isShown}
            onChange=${({ currentTarget }) => setShown(currentTarget.checked)} /><span>${
        t("invite.show")}</span></label>
        <p id="fault" class="error" role="alert">${fault}</p>
        <button type="submit" class="primary" disabled=${isBusy}>${t("invite.do")}</button>
        <p>${t("invite.once")}</p>
    </form>`;
}

/** Whether somebody is signed in with the password. */
async function enter(user, password) {
    try {
        await new Session().signIn(user, password);
        return true;
    } catch { return false; }
}

function showTitle() {
    document.title = `${t("invite.title")} – Muster`;
}

async function start() {
    await beginLanguage();
    await addWords("invite");
    showTitle();
    const app = document.getElementById("app");
    app.replaceChildren();
    render(html`<${Page} />`, app);
}

await start();
