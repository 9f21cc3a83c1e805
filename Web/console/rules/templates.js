/** Patterns for the usual rules. Pure. */
import { t } from "../shared/words.js";

/**
 * @typedef {{key: string, name: string, pattern: object}} Template `name` is what the rule is called at first
 * @type {Template[]}
 */
const templates = [
    {
        key: "leaves", name: "leaves-region", pattern: {
            "source": ["aws.geo"], "detail-type": ["Location Geofence Event"],
            "detail": { EventType: ["EXIT"] },
        },
    },
    {
        key: "enters", name: "enters-region", pattern: {
            "source": ["aws.geo"], "detail-type": ["Location Geofence Event"],
            "detail": { EventType: ["ENTER"] },
        },
    },
    {
        key: "sos", name: "sos", pattern: {
            "source": ["muster"], "detail-type": ["Muster Help Request"],
            "detail": { EventType: ["SOS", "NEEDS_HELP", "REMINDER"] },
        },
    },
    {
        key: "leftMuster", name: "left-muster-region", pattern: {
            "source": ["muster"], "detail-type": ["Muster Safety Change"], "detail": { Source: ["seemsToHaveLeft"] },
        },
    },
    {
        key: "incident", name: "incident", pattern: {
            "source": ["muster"], "detail-type": ["Muster Incident"],
            "detail": { EventType: ["STARTED", "CLOSED", "REOPENED", "ALL_ACCOUNTED"] },
        },
    },
    {
        key: "par", name: "par-overdue", pattern: {
            "source": ["muster"], "detail-type": ["Muster Incident"], "detail": { EventType: ["PAR_OVERDUE"] },
        },
    },
    {
        key: "checkIn", name: "check-in-overdue", pattern: {
            "source": ["muster"], "detail-type": ["Muster Check-In"], "detail": { EventType: ["OVERDUE", "SOS"] },
        },
    },
    {
        key: "silent", name: "person-silent", pattern: {
            "source": ["muster"], "detail-type": ["Muster Safety Change"],
            "detail": { State: ["unknown"], Source: ["silence"] },
        },
    },
    {
        key: "signal", name: "button-pressed", pattern: {
            "source": ["muster"], "detail-type": ["Muster Signal"], "detail": { Name: ["pressed"] },
        },
    },
];

export const templateKeys = Object.freeze(templates.map(({ key }) => key));

/** The template of a key; undefined where there is none. @returns {Template|undefined} */
export function template(key) {
    return templates.find((each) => each.key === key);
}

/** The templates as a choice: pairs of a key and its words, in the order of the list. */
export function templateChoices() {
    return templateKeys.map((key) => [key, t(`rules.template.${key}`)]);
}

/** A list of values that has neither objects nor lists, over several lines. */
const plainList = /\[\n[^[\]{}]*\n *\]/g;

/** A pattern as it stands in a form: a short list is one line. */
export function patternText(pattern) {
    // No string in a JSON text holds the end of a line: what is taken out is never part of a value.
    return JSON.stringify(pattern, undefined, 2).replace(plainList, (list) => (
        list.length > 200 ? list : list.replace(/\n */g, " ").replace("[ ", "[").replace(/ \]$/, "]")));
}
