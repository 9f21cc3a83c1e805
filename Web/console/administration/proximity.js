/** Who of a team is near whom: proximity rules. */
import { called } from "../shared/names.js";
import { legible } from "../shared/text.js";
import { duration } from "../shared/time.js";
import { html } from "../shared/view.js";
import { t } from "../shared/words.js";
import { Form, rangeFaults } from "./form.js";
import { subjectBody, subjectFaults, subjectFields, subjectForm, subjectWords, TeamRules } from "./teamrules.js";
import { useWhole } from "./wholelist.js";

export function ProximityRules({ team }) {
    return html`<${TeamRules} team=${team} kind="proximity" RuleForm=${RuleForm} ruleWords=${ruleWords}
        nowWords=${nowWords} />`;
}

function nowWords({ within, beyond, unknown }) {
    return t("administration.proximity.now", { within, beyond, unknown });
}

function ruleWords(rule) {
    const centre = rule.centrePerson ? called(rule.centrePerson) : legible(rule.centreDevice);
    return t(rule.demand === "fence" ? "administration.proximity.fence" : "administration.proximity.together", {
        who: subjectWords(rule), centre, length: t("length.metres", { count: rule.radiusMetres }),
        duration: duration(rule.afterSeconds ?? 0),
    });
}

/** A rule as the form has it. Pure. */
export function formOfRule(rule) {
    return {
        name: rule?.name ?? "", demand: rule?.demand ?? "fence", centre: rule?.centrePerson ?? rule?.centreDevice ?? "",
        radius: String(rule?.radiusMetres ?? 50), after: String((rule?.afterSeconds ?? 60) / 60), ...subjectForm(rule),
        note: rule?.note ?? "",
    };
}

/** What was typed as the API takes it: a device is named as user/device. Pure. */
export function bodyOfRule(values) {
    const centre = values.centre.trim();
    return {
        [centre.includes("/") ? "centreDevice" : "centrePerson"]: centre, demand: values.demand,
        radiusMetres: Number(values.radius),
        ...(values.demand === "together" ? { afterSeconds: Number(values.after) * 60 } : {}), ...subjectBody(values),
        ...(values.note.trim() ? { note: values.note.trim() } : {}),
    };
}

function RuleForm({ team, path, rule, done }) {
    const people = useWhole("users");
    const devices = useWhole("devices");
    const names = (people.items ?? []).filter((user) => user.team === team).map(({ name }) => name);
    const own = new Set(names);
    const centres = [...names, ...(devices.items ?? []).filter(({ user }) => own.has(user)).map(({ id }) => id)];
    const fields = [
        ...(rule ? [] : [{
            key: "name", label: t("administration.name"), isRequired: true, hint: t("administration.nameHint"),
        }]),
        {
            key: "demand", label: t("administration.proximity.demand"), kind: "choice", choices: [
                ["fence", t("administration.proximity.asFence")],
                ["together", t("administration.proximity.asTogether")],
            ],
        },
        {
            key: "centre", label: t("administration.proximity.centre"), isRequired: true, suggestions: centres,
            hint: t("administration.proximity.centreHint"),
        },
        {
            key: "radius", label: t("administration.proximity.radius"), kind: "number", isRequired: true, least: 1,
            hint: t("administration.proximity.radiusHint"),
        },
        {
            key: "after", label: t("administration.proximity.after"), kind: "number", isRequired: true, least: 0,
            when: ({ demand }) => demand === "together",
        },
        ...subjectFields(names),
        { key: "note", label: t("administration.note") },
    ];
    return html`<${Form} name=${`proximity ${team} ${rule?.name ?? ""}`} first=${formOfRule(rule)} fields=${fields}
        submit=${t("administration.save")}
        faultsOf=${(values) => ({
        ...subjectFaults(values), ...rangeFaults(values, { radius: [1, 100_000], after: [0, 1440] }),
    })}
        order=${(values) => ({
        path: `${path}/${encodeURIComponent(values.name.trim())}`, method: "PUT", body: bodyOfRule(values),
        words: t("administration.order.rule", { name: legible(values.name.trim()) }),
    })} done=${done} onCancel=${done} />`;
}
