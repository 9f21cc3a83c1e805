/** What keeps the server at work: rules and where they deliver, keys, replications, the audit log, health. */
import { Loaded } from "../frame/loaded.js";
import { Parts } from "../frame/parts.js";
import { html, useLayoutEffect, useSlice } from "../shared/view.js";
import { addWords, t } from "../shared/words.js";

const everyone = ["admin", "leader"];
const admins = ["admin"];

/**
 * The parts of the screen, in the order of their links; each is loaded when it is first shown. What a role may not do
 * is in no list of it.
 * @type {{name: string, roles: string[], folder?: string, load: () => Promise<{Part: Function}>}[]}
 */
export const parts = Object.freeze([
    { name: "health", roles: everyone, load: () => import("./health.js") },
    { name: "rules", roles: everyone, folder: "rules", load: () => import("../rules/part.js") },
    { name: "targets", roles: admins, folder: "targets", load: () => import("../targets/part.js") },
    { name: "keys", roles: everyone, load: () => import("./keys.js") },
    { name: "replications", roles: admins, load: () => import("./replications.js") },
    { name: "datasets", roles: everyone, load: () => import("./datasets.js") },
    { name: "gateways", roles: everyone, load: () => import("./gateways.js") },
    { name: "reports", roles: admins, load: () => import("./reports.js") },
    { name: "audit", roles: [...everyone, "analyst"], folder: "audit", load: () => import("../audit/part.js") },
]);

/** The parts for a role. Pure. */
export function partsFor(role) {
    return parts.filter(({ roles }) => roles.includes(role));
}

/** @param {{rest: string[]}} properties what follows the screen's name in the address */
export function Screen({ rest }) {
    const role = useSlice(({ user }) => user?.role);
    const shown = partsFor(role);
    const [name = shown[0]?.name, ...further] = rest;
    const place = shown.find((each) => each.name === name);
    // A part begins at its head. A link that went with the page it led away from leaves the keyboard nowhere.
    useLayoutEffect(() => {
        const screen = document.getElementById("screen");
        screen?.scrollTo(0, 0);
        if (document.activeElement === document.body) { screen?.focus({ preventScroll: true }); }
    }, [rest.join("/")]);
    return html`<${Parts} screen="operations" label=${t("operations.parts")} current=${place?.name}
            parts=${shown.map((each) => ({ name: each.name, words: t(`operations.part.${each.name}`) }))} />
        ${place ? html`<${Loaded} key=${name} load=${() => loadPart(place)} rest=${further} />`
        : html`<p>${t("screens.none")}</p>`}`;
}

/** Loads a part, and its words where it has a folder of its own. */
async function loadPart({ load, folder }) {
    const [{ Part }] = await Promise.all([load(), folder && addWords(folder)]);
    return Part;
}
