/** Events in words. Pure. */
import { called } from "../shared/names.js";
import { sureness } from "../shared/presence.js";
import { doubtWords } from "../shared/safety.js";
import { legible } from "../shared/text.js";
import { notUnderstood } from "../shared/understood.js";
import { listed, t } from "../shared/words.js";

/** The crossings, with the arrow that stands before each. */
export const arrows = { enter: "→", exit: "←", dwell: "•", passed: "↷" };

/** What an event is about: a person, or of an incident the team. */
export function subjectWords({ kind, user }) {
    return kind === "incident" ? legible(user) : called(user);
}

/** How late an event was heard of: it is past, and nobody need be alarmed now. */
export function lateWords({ delayMs }) {
    const minutes = Math.floor(delayMs / 60_000);
    const duration = minutes < 120 ? t("time.minutes", { count: minutes })
        : t("time.hours", { count: Math.floor(minutes / 60) });
    return t("event.heardLater", { duration });
}

/**
 * An event in words, after the name of who it is about. The probability is that of being inside, so that an exit is as
 * sure as that is improbable.
 */
export function eventWords({ kind, region, probability, source, doubt, markedBy, acknowledgedBy, call, ...incident }) {
    const place = region ? legible(region.name || region.id) : undefined;
    if (source === "seemsToHaveLeft") { return t("event.seemsToHaveLeft", { place: place ?? t("leaving.somewhere") }); }
    const by = markedBy && { name: called(markedBy) };
    switch (kind) {
        case "sos": case "needsHelp":
            return listed([
                t(`event.${kind}`), acknowledgedBy && t("known.heardBy", { name: called(acknowledgedBy) }),
            ]);
        case "said": {
            const note = legible(incident.note);
            return incident.by ? t("event.saidBy", { name: called(incident.by), note }) : t("event.said", { note });
        }
        case "reminder": return t(call === "sos" ? "event.stillSOS" : "event.stillNeedsHelp");
        case "offSite": return by ? t("event.offSiteBy", by) : t("event.offSite");
        case "asked": return t("event.asked", { name: called(incident.by) });
        case "incident": return incidentWords(incident);
        case "timer": return timerWords(incident);
        case "safe":
            if (by) { return t("event.safeBy", by); }
            return place ? t("event.safeIn", { place }) : t("event.safe");
        case "unsafe": case "located": return t(`event.${kind}`);
        case "checking":
            return t("event.checking", { place: place ?? t("leaving.somewhere"), doubt: doubtWords(doubt) });
        case "unknown":
            if (doubt === notUnderstood) { return t("event.notUnderstood"); }
            if (source === "underReview") { return t("event.underReview"); }
            return t(source === "unlocated" ? "event.unlocated" : "event.silent");
        case "passed": return t("event.passed", { place: place ?? t("event.region") });
        default: return crossingWords(kind, place ?? t("event.region"), probability);
    }
}

function crossingWords(kind, place, probability) {
    const words = kind in arrows ? t(`event.${kind}`, { place }) : t("event.crossingNotUnderstood", { place });
    if (probability === undefined) { return words; }
    return listed([words, sureness(kind === "exit" ? 1 - probability : probability)]);
}

/** What happened to a check-in timer. */
function timerWords({ happened, by }) {
    const known = ["started", "checkedIn", "ended", "reminded", "overdue"].includes(happened);
    return t(known ? `event.timer.${happened}` : "event.timer.notUnderstood", { name: called(by) });
}

/** What happened to PAR, or to who leads; undefined where it is something else. */
function newsWords(happened, what, { crew, visitors, present, people, crews, to }) {
    const nameOf = (one) => (one.visitors ? t("event.visitors") : one.crew ? legible(one.crew) : t("event.noCrew"));
    switch (happened) {
        case "parRequested": return t("event.parRequested", { what });
        case "parReported": return t("event.parReported", { what, crew: nameOf({ crew, visitors }), present, people });
        case "parComplete": return t("event.parComplete", { what });
        case "parOverdue": {
            const names = (crews ?? []).map(nameOf);
            return t("event.parOverdue", { what, crews: listed(names) });
        }
        case "parTimerSet": return t("event.parTimer", { what });
        case "handedOver": return t("event.handedOver", { what, name: called(to) });
        default: return undefined;
    }
}

/** What happened to an incident. Absent of what happened, it was started or closed. */
function incidentWords({ open, isDrill, closedHow, closedBy, happened, ...news }) {
    const what = t(isDrill ? "event.drill" : "event.evacuation");
    const which = happened ?? (open ? "started" : "closed");
    const told = newsWords(which, what, news);
    if (told) { return told; }
    if (["started", "allAccounted", "notAllAccounted", "reopened"].includes(which)) {
        return t(`event.incident.${which}`, { what });
    }
    // Of what only a newer server knows, nothing is said but that it happened: least of all that all is over.
    if (which !== "closed") { return t("event.incident.notUnderstood", { what }); }
    if (["allAccounted", "automatic", "teamGone", "takenOver"].includes(closedHow)) {
        return t(`event.ended.${closedHow}`, { what });
    }
    return closedBy ? t("event.ended.by", { what, name: called(closedBy) }) : t("event.ended.byHand", { what });
}
