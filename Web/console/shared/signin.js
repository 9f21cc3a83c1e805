/** The form by which somebody signs in. */
import { Problem, root } from "./http.js";
import { LanguageButtons } from "./languages.js";
import { html, useLayoutEffect, usePage, useRef, useSlice, useState } from "./view.js";
import { t } from "./words.js";

/** @param {{what?: string}} properties `what`: the purpose of the page; by default that of the console */
export function SignIn({ what = t("signIn.what") }) {
    const { why, language } = useSlice(({ whySignedOut, language }) => ({ why: whySignedOut, language }));
    const { signIn, chooseLanguage } = usePage();
    const [isBusy, setBusy] = useState(false);
    const [error, setError] = useState("");
    const form = useRef();
    // At once: a moment later the keyboard would be taken from who types the password already.
    useLayoutEffect(() => form.current.elements.name.focus(), []);
    const submit = async (event) => {
        event.preventDefault();
        const { name, password } = form.current.elements;
        setBusy(true);
        setError("");
        try {
            await signIn(name.value.trim(), password.value);
        } catch (fault) {
            setError(whyNot(fault));
            setBusy(false);
            password.select();
        }
    };
    return html`<main id="sign-in" class="sign-in">
        <form id="sign-in-form" method="post" ref=${form} onSubmit=${submit}>
            <h1><img src=${`${root}muster.svg`} alt="" width="32" height="32" /> Muster</h1>
            <p>${what}</p>
            <label for="name">${t("signIn.name")}</label>
            <input id="name" name="name" autocomplete="username" autocapitalize="none" spellcheck=${false} required />
            <label for="password">${t("signIn.password")}</label>
            <input id="password" name="password" type="password" autocomplete="current-password" required />
            <p id="sign-in-error" class="error" role="alert">${error || why}</p>
            <button type="submit" class="primary" disabled=${isBusy}>${t("signIn.signIn")}</button>
            <${LanguageButtons} language=${language} choose=${chooseLanguage} />
        </form>
    </main>`;
}

/** Why a sign-in failed, in words. */
export function whyNot(error) {
    if (!(error instanceof Problem)) { return t("signIn.noAnswer"); }
    if (error.status === 401) { return t("signIn.wrong"); }
    if (error.status === 429) { return t("signIn.tooMany", { count: error.retryAfterSeconds ?? 60 }); }
    return error.message;
}
