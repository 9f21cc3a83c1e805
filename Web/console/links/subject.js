/** What a link is about, in words and as the server takes it. Pure. */
import { called } from "../shared/names.js";
import { legible } from "../shared/text.js";
import { t } from "../shared/words.js";

/**
 * @typedef {object} Subject
 * @property {"person"|"incident"|"visitors"|"invitation"} kind
 * @property {string} [user]
 * @property {number} [incident]
 * @property {string} [team]
 */

/** For how long a link may be, in seconds, with the ends of the keys. */
export const lengthKeys = Object.freeze({
    3600: "hour", 14_400: "fourHours", 43_200: "halfDay", 86_400: "day", 604_800: "week", 2_592_000: "month",
});

/** For how long it is at first: a kiosk stands for long, a person is shown for as short as serves. */
export const firstSeconds = Object.freeze({ person: 14_400, incident: 86_400, visitors: 604_800 });

/** What a dialog that makes a link is called. */
export function titleWords(subject) {
    return t(`links.share.${subject.kind}`, named(subject));
}

/** What an open link is about, in a list. */
export function subjectWords(link) {
    return t(`links.of.${link.kind}`, named(link));
}

function named({ user, incident, team }) {
    return { name: called(user), number: incident ?? 0, team: legible(team ?? "") };
}

/** Whether programs of maps can read what a link of this subject shows. */
export function hasMap({ kind }) {
    return kind === "person" || kind === "incident";
}

/** The body of the request. */
export function bodyOf({ kind, user, incident, team }, { seconds, note, state, kml }) {
    const about = { person: { user }, incident: { incident }, visitors: { team, state } }[kind];
    return {
        kind, ...about, expiresSeconds: seconds, ...(note.trim() ? { note: note.trim() } : {}),
        ...(kml && hasMap({ kind }) ? { kml: true } : {}),
    };
}
