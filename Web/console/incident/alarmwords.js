/** The words of open incidents, of calls for help, and of incidents that were closed lately. Pure. */
import { called } from "../shared/names.js";
import { isOnRollAlone, nameOf } from "../shared/roll.js";
import { heardWords } from "../shared/rowwords.js";
import { tally, tallyWords } from "../shared/safety.js";
import { legible, shortened } from "../shared/text.js";
import { age, clockTime, minuteTime } from "../shared/time.js";
import { listed, t } from "../shared/words.js";
import { calledIn } from "./calledin.js";
import { isPresent, lastPlace } from "../roster/where.js";

/** So long after it was closed an incident is told of, and can be reopened here. */
const closedShownMs = 30 * 60_000;
/** A real one that ended with people missing is said for a day: somebody still looks for them. */
const missingShownMs = 24 * 60 * 60_000;

/** As much of a name and of a note as a banner shows, so that none pushes the next call away; the row has all of it. */
const nameLimit = 60;
const noteLimit = 80;

/** An open incident in words: that all are accounted for is a state of it, and no all clear. Pure. */
export function incidentWords(state, incident, user, isLive = true) {
    const what = whatWords(incident);
    const time = clockTime(incident.startedAt);
    if (user?.role === "member") { return t("incident.since", { what, time }); }
    if (!isLive) { return t("incident.notLive", { what, time }); }
    const words = t("incident.tally", { what, tally: tallyWords(tally(state, incident), true), time });
    return incident.allAccounted
        ? t("incident.allAccounted", { words, time: clockTime(incident.allAccountedAt) }) : words;
}

/** What an incident is: a real one or a drill, and of whom. Pure. */
export function whatWords({ kind, team }) {
    return t(kind === "drill" ? "incident.drill" : "incident.real", { team: legible(team) });
}

/**
 * A call for help in words: who, since when, with which note, where last seen, and whether it was heard. Pure.
 * @param {import("../shared/state.js").State} live
 */
export function callWords(member, live, nowMs) {
    const { state, since, call } = member;
    const name = legible(shortened(nameOf(member, nameLimit), nameLimit));
    const plain = t(state === "sos" ? "call.sos" : "call.needsHelp", { name, time: clockTime(since) });
    const note = member.note ?? call?.note;
    const words = note ? t("text.noted", { words: plain, note: legible(shortened(note, noteLimit)) }) : plain;
    if (isOnRollAlone(member)) {
        return listed([words, member.markedBy && t("known.marked", { name: called(member.markedBy) })]);
    }
    return listed([words, lastSeenWords(member, live.regions, nowMs), hearingWords(member, live.events)]);
}

/** Whether somebody has acknowledged a call for help, and who. Pure. @param {object[]} events as in `State.events` */
function hearingWords(member, events) {
    const { acknowledgedBy } = member;
    return acknowledgedBy ? t("known.heardBy", { name: called(acknowledgedBy) })
        : calledAgainWords(member, events) || t("call.unheard");
}

/**
 * Who calls again, also to say more, is to be heard again: then these words name the leader who had acknowledged the
 * call before; else they are empty. Pure.
 */
export function calledAgainWords({ user, since, acknowledgedBy }, events) {
    const before = !acknowledgedBy
        && events.find((event) => event.user === user && event.since === since && event.acknowledgedBy);
    return before ? t("call.unheardAgain", { name: called(before.acknowledgedBy) }) : "";
}

/** Where someone was last seen, in words and by coordinates, and when. Pure. @param {Map<string, object>} regions */
export function lastSeenWords(member, regions, nowMs) {
    const place = lastPlace(member, regions);
    if (!place) { return t("call.nowhere"); }
    const { words, coordinates, at } = place;
    // In minutes: the banner is read out when it changes.
    const seen = { where: words, place: coordinates, time: minuteTime(at, nowMs) };
    return t(words === coordinates ? "call.seenAt" : "call.seenIn", seen);
}

/** Where someone who calls was last seen, and how long ago; or that nobody knows, and when they were heard. Pure. */
export function callerPlaceWords(member, regions, nowMs) {
    const place = lastPlace(member, regions);
    if (!place) { return listed([t("call.nowhere"), heardWords(member, nowMs).words]); }
    return listed([lastSeenWords(member, regions, nowMs), !isPresent(place.at, nowMs) && age(place.at, nowMs)]);
}

/** The newest incident of each team without an open one, where a person or the server closed it lately. Pure. */
export function closedLately(state, nowMs) {
    const open = new Set([...state.incidents.values()].map(({ team }) => team));
    const newest = new Map();
    for (const incident of state.closed.values()) {
        if (!(newest.get(incident.team)?.number > incident.number)) { newest.set(incident.team, incident); }
    }
    return [...newest.values()].filter((incident) => {
        const { team, closedAt, closedHow, kind } = incident;
        const shownMs = kind === "real" && isWithMissing(incident) ? missingShownMs : closedShownMs;
        return !open.has(team) && closedHow !== "teamGone" && closedHow !== "takenOver"
            && nowMs - Date.parse(closedAt) < shownMs;
    });
}

/** Whether an incident was closed while somebody was not accounted for. Pure. */
export function isWithMissing({ open, allAccountedAt }) {
    return !open && !allAccountedAt;
}

export function closedWords(incident) {
    const { closedAt, closedBy, reason } = incident;
    const what = whatWords(incident);
    const time = clockTime(closedAt);
    if (incident.closedHow === "takenOver") { return t("incident.replaced", { what, time }); }
    if (!closedBy) { return t("incident.closedItself", { what, time }); }
    const words = t("incident.closedBy", { what, name: calledIn(incident)(closedBy), time });
    return reason ? t("text.noted", { words, note: legible(reason) }) : words;
}
