/** Who of a team should be in a region: attendance rules. */
import { faultWords } from "../shared/faults.js";
import { allPages } from "../shared/pages.js";
import { legible } from "../shared/text.js";
import { duration } from "../shared/time.js";
import { html, useEffect, usePage, useState } from "../shared/view.js";
import { listed, t } from "../shared/words.js";
import { Form, rangeFaults } from "./form.js";
import { useOne } from "./reading.js";
import { subjectBody, subjectFaults, subjectFields, subjectForm, subjectWords, TeamRules } from "./teamrules.js";
import { useWhole } from "./wholelist.js";

export const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

export function AttendanceRules({ team }) {
    return html`<${TeamRules} team=${team} kind="attendance" RuleForm=${RuleForm} ruleWords=${ruleWords}
        nowWords=${nowWords} />`;
}

function nowWords({ present, absent, unknown }) {
    return t("administration.attendance.now", { present, absent, unknown });
}

function ruleWords(rule) {
    const region = legible(rule.region.name ?? rule.region.id);
    if (rule.schedule) {
        return t("administration.attendance.expects", {
            who: subjectWords(rule), region, windows: rule.schedule.windows.map(windowWords).join(t("between.clauses")),
        });
    }
    const seconds = rule.afterSeconds ?? 0;
    return t(seconds > 0 ? "administration.attendance.needs" : "administration.attendance.needsNow", {
        count: rule.minimum, who: subjectWords(rule), region, duration: duration(seconds),
    });
}

function windowWords({ days: on, from, to }) {
    return t("administration.attendance.window", {
        days: listed(on.map((day) => t(`administration.day.${day}`))), from, to,
    });
}

/** A rule as the form has it. Pure. */
export function formOfRule(rule) {
    const [window] = rule?.schedule?.windows ?? [];
    // A rule that the API made may have windows of several times, which the form does not show one by one.
    const on = new Set(rule?.schedule?.windows.flatMap((each) => each.days));
    return {
        name: rule?.name ?? "", region: rule ? `${rule.region.collection}/${rule.region.id}` : "",
        kind: rule?.schedule ? "schedule" : "minimum", minimum: String(rule?.minimum ?? 1),
        after: String((rule?.afterSeconds ?? 0) / 60), from: window?.from ?? "08:00", to: window?.to ?? "16:00",
        zone: rule?.schedule?.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
        grace: String((rule?.graceSeconds ?? 900) / 60),
        ...Object.fromEntries(days.map((day, index) => [day, rule?.schedule ? on.has(day) : index < 5])),
        ...subjectForm(rule), opensIncident: rule?.opensIncident ?? false, note: rule?.note ?? "",
    };
}

/** Whether the form says all that a rule has: one window, on some days. Pure. */
export function isPlain(rule) {
    const windows = rule?.schedule?.windows ?? [];
    return windows.every(({ from, to }) => from === windows[0].from && to === windows[0].to);
}

/** What was typed as the API takes it. Pure. */
export function bodyOfRule(values) {
    const [collection, ...rest] = values.region.split("/");
    const demand = values.kind === "minimum"
        ? { minimum: Number(values.minimum), afterSeconds: Number(values.after) * 60 }
        : {
            graceSeconds: Number(values.grace) * 60,
            schedule: {
                zone: values.zone.trim(),
                windows: [{ days: days.filter((day) => values[day]), from: values.from, to: values.to }],
            },
        };
    return {
        collection, region: rest.join("/"), ...demand, ...subjectBody(values), opensIncident: values.opensIncident,
        ...(values.note.trim() ? { note: values.note.trim() } : {}),
    };
}

function faultsOf(values) {
    const isWeekly = values.kind === "schedule";
    return {
        ...subjectFaults(values),
        ...(isWeekly && !days.some((day) => values[day]) ? { monday: t("administration.attendance.noDay") } : {}),
        ...rangeFaults(values, isWeekly ? { grace: [0, 240] } : { minimum: [1, 10_000], after: [0, 1440] }),
    };
}

/** What stands in place of the form: the rule has more than the form shows, or the regions are not here. */
function whyNoForm(rule, fault) {
    if (!isPlain(rule)) { return html`<p>${t("administration.attendance.notPlain")}</p>`; }
    return fault ? html`<p class="fault" role="alert">${fault}</p>`
        : html`<p class="quiet" role="status">${t("list.loading")}</p>`;
}

function RuleForm({ team, path, rule, done }) {
    const tracker = useOne(`trackers/${encodeURIComponent(team)}`);
    const regions = useRegionChoices(tracker.value?.collections);
    const people = useWhole("users");
    const names = (people.items ?? []).filter((user) => user.team === team).map(({ name }) => name);
    const fault = tracker.fault || regions.fault;
    if (!isPlain(rule) || fault || !regions.choices) {
        return html`${whyNoForm(rule, fault)}
            <p class="answers"><button type="button" class="plain" onClick=${done}>${t("close")}</button></p>`;
    }
    return html`<${Form} name=${`attendance ${team} ${rule?.name ?? ""}`} first=${formOfRule(rule)}
        submit=${t("administration.save")} faultsOf=${faultsOf} fields=${ruleFields(regions.choices, names, rule)}
        order=${(values) => ({
        path: `${path}/${encodeURIComponent(values.name.trim())}`, method: "PUT", body: bodyOfRule(values),
        words: t("administration.order.rule", { name: legible(values.name.trim()) }),
    })} done=${done} onCancel=${done} />`;
}

/** The regions of the collections that a team is watched in, as choices of a form. */
function useRegionChoices(collections) {
    const { request } = usePage();
    const [state, setState] = useState({});
    useEffect(() => {
        if (!collections) { return undefined; }
        let isHere = true;
        const get = async (path) => (await request(path)).json();
        Promise.all(collections.map(async (name) => {
            const path = `collections/${encodeURIComponent(name)}/regions`;
            const { items } = await allPages(get, path, { member: "features" });
            return items.map(({ id, properties }) =>
                [`${name}/${id}`, `${legible(properties?.name ?? id)} (${name})`]);
        })).then((found) => { if (isHere) { setState({ choices: found.flat() }); } },
            (error) => { if (isHere) { setState({ fault: faultWords(error) }); } });
        return () => { isHere = false; };
    }, [collections?.join()]);
    return state;
}

function ruleFields(regions, names, rule) {
    const number = (key, when) => ({
        key, label: t(`administration.attendance.${key}`), kind: "number", isRequired: true, least: 0, when,
    });
    const isMinimum = ({ kind }) => kind === "minimum";
    const isWeekly = ({ kind }) => kind === "schedule";
    return [
        ...(rule ? [] : [{
            key: "name", label: t("administration.name"), isRequired: true, hint: t("administration.nameHint"),
        }]),
        {
            key: "region", label: t("administration.attendance.region"), kind: "choice", isRequired: true,
            choices: [["", t("administration.choose")], ...regions],
        },
        {
            key: "kind", label: t("administration.attendance.kind"), kind: "choice", choices: [
                ["minimum", t("administration.attendance.asMinimum")],
                ["schedule", t("administration.attendance.asSchedule")],
            ],
        },
        number("minimum", isMinimum), number("after", isMinimum),
        ...days.map((day) => ({ key: day, label: t(`administration.day.${day}`), kind: "check", when: isWeekly })),
        { key: "from", label: t("administration.attendance.from"), kind: "time", isRequired: true, when: isWeekly },
        { key: "to", label: t("administration.attendance.to"), kind: "time", isRequired: true, when: isWeekly },
        { key: "zone", label: t("administration.attendance.zone"), isRequired: true, when: isWeekly },
        number("grace", isWeekly),
        ...subjectFields(names),
        { key: "opensIncident", label: t("administration.opensIncident"), kind: "check" },
        { key: "note", label: t("administration.note") },
    ];
}
