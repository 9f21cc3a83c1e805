/** The settings of a region beside its shape. */
import { legible } from "../shared/text.js";
import { html } from "../shared/view.js";
import { listed, t } from "../shared/words.js";
import { narrowMetres, widthMetres } from "./narrow.js";
import { longestSeconds, modes, proximities } from "./settings.js";

/** The fields of a region that faults are about, and the input of each. */
const inputs = {
    name: "region-name", muster: "region-muster", crossingMode: "region-mode", dwell: "region-dwell",
    exitDelay: "region-exit-delay", beacon: "region-evidence", uuid: "region-uuid", major: "region-major",
    minor: "region-minor", scanner: "region-scanner", proximity: "region-proximity", radius: "circle-radius",
};

/** The id of the input that a fault is about; undefined for none. */
export function inputOf({ field }) {
    return inputs[field];
}

/**
 * @param {{settings: import("./settings.js").Settings, shape: import("./shape.js").Shape,
 *     onChange: (settings: object) => void, faults: object[], isReadOnly: boolean, feature?: object}} properties
 *     `feature`: the region as the server has it; in it are the rules that make it an assembly point, whatever its own
 *     setting is, for users who may read rules
 */
export function SettingsForm({ settings, shape, onChange, faults, isReadOnly, feature }) {
    const rules = feature?.musterRules ?? [];
    const isByRule = rules.length > 0 || feature?.musterByRule === true;
    const isMuster = settings.muster || isByRule;
    const set = (field, value) => onChange({ ...settings, [field]: value });
    const form = { settings, set, faults };
    const isSmallShelter = isMuster && settings.evidence === "none" && widthMetres(shape) < narrowMetres;
    return html`<fieldset class="settings" disabled=${isReadOnly}>
        <legend>${t("regions.settings.title")}</legend>
        <${Text} ...${form} field="name" id="region-name" label=${t("regions.settings.name")} maxlength="400" />
        <div class="check">
            <input type="checkbox" id="region-muster" checked=${settings.muster}
                aria-describedby="region-muster-hint"
                onChange=${({ currentTarget: { checked } }) => set("muster", checked)} />
            <label for="region-muster">${t("regions.settings.muster")}</label>
            <p class="hint quiet" id="region-muster-hint">${t("regions.settings.musterHint")}</p>
            ${isByRule && html`<p class="hint by-rule">${rules.length === 0 ? t("regions.settings.musterBySomeRule")
        : t("regions.settings.musterByRule", { names: listed(rules.map(legible)) })}</p>`}
            ${isSmallShelter && html`<p class="hint" role="status">${t("regions.settings.isNarrow")}</p>`}
            <${FaultOf} faults=${faults} field="muster" />
        </div>
        <${Seconds} ...${form} field="dwell" id="region-dwell" label=${t("regions.settings.dwell")}
            hint=${t("regions.settings.dwellHint")} />
        <${Seconds} ...${form} field="exitDelay" id="region-exit-delay" label=${t("regions.settings.exitDelay")}
            hint=${t("regions.settings.exitDelayHint")} />
        <${Choice} ...${form} field="mode" id="region-mode" label=${t("regions.settings.mode")}
            choices=${[["", t(isMuster ? "regions.mode.ownMuster" : "regions.mode.own")],
        ...modes.map((mode) => [mode, t(`regions.mode.${mode}`)])]} about="crossingMode" />
        <${Evidence} ...${form} />
    </fieldset>`;
}

function Evidence({ settings, set, faults }) {
    const form = { settings, set, faults };
    return html`
        <${Choice} ...${form} field="evidence" id="region-evidence" label=${t("regions.settings.evidence")}
            choices=${["none", "beacon", "scanner"].map((kind) => [kind, t(`regions.evidence.${kind}`)])}
            about="beacon" />
        ${settings.evidence !== "none" && html`<p class="hint quiet">${t("regions.evidence.hint")}</p>`}
        ${settings.evidence === "beacon" && html`
            <${Text} ...${form} field="uuid" id="region-uuid" label=${t("regions.beacon.uuid")} maxlength="36" />
            <div class="pair">
                <${Text} ...${form} field="major" id="region-major" label=${t("regions.beacon.major")} />
                <${Text} ...${form} field="minor" id="region-minor" label=${t("regions.beacon.minor")} />
            </div>`}
        ${settings.evidence === "scanner" && html`
            <${Text} ...${form} field="scanner" id="region-scanner" label=${t("regions.beacon.scanner")} />`}
        ${settings.evidence !== "none" && html`
            <${Choice} ...${form} field="proximity" id="region-proximity" label=${t("regions.beacon.proximity")}
                choices=${proximities.map((name) => [name, t(`regions.proximity.${name}`)])} />`}`;
}

function Text({ settings, set, faults, field, id, label, maxlength }) {
    const fault = faults.find((one) => one.field === field);
    return html`<div class="field">
        <label for=${id}>${label}</label>
        <input id=${id} value=${settings[field]} maxlength=${maxlength} autocomplete="off"
            aria-invalid=${fault ? "true" : undefined} aria-describedby=${fault ? `${id}-fault` : undefined}
            onInput=${({ currentTarget: { value } }) => set(field, value)} />
        <${FaultOf} faults=${faults} field=${field} id=${`${id}-fault`} />
    </div>`;
}

function Seconds({ settings, set, faults, field, id, label, hint }) {
    return html`<div class="field">
        <label for=${id}>${label}</label>
        <input id=${id} type="number" min="0" max=${longestSeconds} step="any" value=${settings[field]}
            aria-describedby=${`${id}-hint`} onInput=${({ currentTarget: { value } }) => set(field, value)} />
        <p class="hint" id=${`${id}-hint`}>${hint}</p>
        <${FaultOf} faults=${faults} field=${field} />
    </div>`;
}

function Choice({ settings, set, faults, field, id, label, choices, about = field }) {
    return html`<div class="field">
        <label for=${id}>${label}</label>
        <select id=${id} value=${settings[field]} onChange=${({ currentTarget: { value } }) => set(field, value)}>
            ${choices.map(([value, words]) => html`<option key=${value} value=${value}>${words}</option>`)}
        </select>
        <${FaultOf} faults=${faults} field=${about} />
    </div>`;
}

function FaultOf({ faults, field, id }) {
    const own = faults.filter((fault) => fault.field === field);
    return own.map(({ detail }, index) => html`<p class="fault" key=${index} id=${index === 0 ? id : undefined}>${
        t("regions.faults.field", { detail })}</p>`);
}
