/** The question before a rule makes regions assembly points: which they are now, and that later ones count as well. */
import { Dialog } from "../shared/dialog.js";
import { faultWords } from "../shared/faults.js";
import { legible } from "../shared/text.js";
import { html } from "../shared/view.js";
import { listed, t } from "../shared/words.js";
import { builtIn } from "./ruleform.js";

/** The most regions that the question names. */
const namedRegions = 20;
/** The time without an answer after which the server counts as unreachable, in milliseconds. */
const answerLimitMs = 30_000;

/** Whether saving these members of a rule makes people safe in the regions that it matches. Pure. */
export function makesSafe({ enabled, targets }) {
    return enabled && targets.some(({ target }) => target === builtIn);
}

/**
 * The regions that a pattern selects now.
 * @returns {Promise<{regions?: object[], regionCount?: number, error?: Error}>} `error`: why nobody can tell
 */
export async function selectedRegions(request, pattern) {
    try {
        const response = await request("event-patterns/test", {
            method: "POST", body: { pattern, regions: true }, signal: AbortSignal.timeout(answerLimitMs),
        });
        return await response.json();
    } catch (error) {
        return { error };
    }
}

/** What the question says of the regions. Pure. @returns {string[]} */
export function safetyLines({ regions = [], regionCount = 0, error }) {
    if (error) { return [t("rules.safetyUnknown", { reason: faultWords(error) }), t("rules.safetyLater")]; }
    if (regionCount === 0) { return [t("rules.safetyNone"), t("rules.safetyLater")]; }
    const named = regions.slice(0, namedRegions).map(({ name, id }) => legible(name || id));
    const others = regionCount - named.length;
    const names = listed([...named, others > 0 && t("rules.safetyMore", { count: others })]);
    return [t("rules.safetyNow", { count: regionCount, names }), t("rules.safetyLater")];
}

/** @param {{found: object, yes: () => void, close: () => void}} properties `found`: what `selectedRegions` found */
export function SafetyQuestion({ found, yes, close }) {
    return html`<${Dialog} title=${t("rules.safetyTitle")} onClose=${close}>
        ${safetyLines(found).map((words) => html`<p key=${words}>${words}</p>`)}
        <p class="answers"><button type="button" class="primary" onClick=${yes}>${t("rules.safetyYes")}</button>
            <button type="button" class="plain" onClick=${close}>${t("cancel")}</button></p>
    <//>`;
}
