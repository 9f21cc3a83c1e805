/** Components for choosing the page's language: a list, and a row of buttons for pages where nobody is signed in. */
import { html } from "./view.js";
import { languages, t } from "./words.js";

/**
 * @param {{language: string, choose: (language: string) => void}} properties `language`: the page's present language
 */
export function LanguageList({ language, choose, ...others }) {
    return html`<select ...${others} aria-label=${t("header.language")} value=${language}
        onChange=${({ currentTarget }) => choose(currentTarget.value)}>
        ${Object.entries(languages).map(([tag, name]) => html`<option key=${tag} value=${tag}
            lang=${tag}>${name}</option>`)}
    </select>`;
}

/** @param {{language: string, choose: (language: string) => void}} properties those of `LanguageList` */
export function LanguageButtons({ language, choose }) {
    return html`<p class="languages" role="group" aria-label=${t("header.language")}>
        ${Object.entries(languages).map(([tag, name]) => html`<button type="button" key=${tag} lang=${tag}
            aria-pressed=${String(tag === language)} onClick=${() => choose(tag)}>${name}</button>`)}
    </p>`;
}
