/** What the app says about the person who holds the phone: as the server knows it, and as the phone guesses. Pure. */
import { called } from "../../console/shared/names.js";
import { presenceLines } from "../../console/shared/presence.js";
import { heardWords, locatedWords } from "../../console/shared/rowwords.js";
import { doubtWords, shownState } from "../../console/shared/safety.js";
import { legible } from "../../console/shared/text.js";
import { age, clockTime, minuteTime } from "../../console/shared/time.js";
import { listed, t } from "../../console/shared/words.js";
import { callKind, isCallUnsent } from "../declarations/deliverylines.js";

/** The age in milliseconds beyond which the server's word is no longer shown as the present state. */
const oldMs = 15_000;
/** The age in milliseconds beyond which a guess of the phone is not shown. */
const guessLimitMs = 90_000;
/** The sources of a state that have words of their own. */
export const sources = new Set([
    "region", "position", "silence", "unlocated", "seemsToHaveLeft", "underReview", "ownDeclaration", "marked",
    "checkInTimer",
]);

/**
 * @typedef {object} Status
 * @property {string} state the mark, one of `markOrder`; `unknown` if the server said nothing
 * @property {boolean} isOld whether the state is from before, and is shown without colour: the server said so a while
 *     ago, or does not have the person's call for help yet
 * @property {string} asOf who says so, and when
 * @property {string} word the state's word
 * @property {string} since
 * @property {string[]} lines how the state is known, how sure it is, and when the server heard the person
 * @property {string} [guess] what the phone computes; undefined if the phone has nothing to add
 */

/**
 * The status of the person who holds the phone.
 * @param {object} known
 * @param {import("../own.js").Own|undefined} known.own
 * @param {boolean} known.isLive whether the server is heard
 * @param {Guess|undefined} known.guess
 * @param {import("../../console/shared/outbox.js").Delivery[]} [known.deliveries] what the person declared here
 * @param {number} nowMs the server's time
 * @returns {Status}
 */
export function statusOf({ own, isLive, guess, deliveries = [] }, nowMs) {
    const guessed = guessWords({ own, isLive, guess, isCalling: callKind(deliveries, own) !== undefined }, nowMs);
    if (!own) {
        return {
            state: "unknown", isOld: false, asOf: t("me.status.nothingYet"), word: "", since: "", lines: [],
            guess: guessed,
        };
    }
    const { member } = own;
    const isSaidBefore = !isLive && nowMs - own.heardAt > oldMs;
    const isUnsent = isCallUnsent(deliveries, own);
    const isOld = isSaidBefore || isUnsent;
    const heard = new Date(own.heardAt).toISOString();
    const asOf = isSaidBefore ? t("me.status.said", { age: age(heard, nowMs), time: minuteTime(heard, nowMs) })
        : t("me.status.says");
    if (!member) {
        const lines = [t("me.status.notFollowed")];
        return { state: "unknown", isOld, asOf, word: "", since: "", lines, guess: guessed };
    }
    const state = shownState(asLive(own), member);
    return {
        state, isOld, asOf, word: t(`state.${state}`),
        since: member.since ? t("row.since", { time: clockTime(member.since, nowMs) }) : "",
        lines: [
            isUnsent ? t("me.status.callUnsent") : "", sourceWords(member, state), doubtLine(member, state),
            pauseWords(member, nowMs), ...presenceWords(member), contactWords(member, nowMs),
            isSaidBefore ? t("me.status.mayHaveChanged") : "",
        ].filter(Boolean),
        guess: guessed,
    };
}

/** The value that `shownState` takes as the live state: whose safety is shown. */
function asLive({ incidents, team, showsSafety }) {
    return {
        incidents: new Map(incidents.map((incident) => [incident.number, incident])),
        alwaysShown: new Set(showsSafety ? [team] : []),
    };
}

function sourceWords({ source, region, markedBy, acknowledgedBy }, state) {
    if (!sources.has(source)) { return ""; }
    const place = region ? legible(region.name || region.id) : "";
    // Outside an incident nobody needs to be in an assembly point.
    if (source === "position" && state === "located") { return ""; }
    if ((source === "region" || source === "seemsToHaveLeft") && !place) { return ""; }
    if (source === "marked" && !markedBy) { return ""; }
    const words = t(`me.status.source.${source}`, { place, name: called(markedBy) });
    return listed([words, acknowledgedBy && t("known.heardBy", { name: called(acknowledgedBy) })]);
}

function doubtLine({ doubt }, state) {
    if (!doubt || (state === "checking" && doubt === "checking")) { return ""; }
    return t("me.status.doubt", { doubt: doubtWords(doubt) });
}

function pauseWords({ pause }, nowMs) {
    if (!pause || !(Date.parse(pause.until) > nowMs)) { return ""; }
    return t("me.status.paused", { time: minuteTime(pause.until, nowMs) });
}

/** The places that the server decides about, and how sure it is of each, in a few lines. */
function presenceWords(member) {
    return presenceLines(member).slice(0, 3).map(({ words }) => words.join(""));
}

function contactWords(member, nowMs) {
    const heard = heardWords(member, nowMs);
    // The line on how the state is known already says that the person was never heard.
    if (!heard.at && member.source === "silence") { return ""; }
    return listed([heard.words, locatedWords(member, nowMs).words]);
}

/**
 * @typedef {object} Guess what the phone computes from its newest fix
 * @property {{key: string, id: string, name: string, isInside: boolean, probability?: number, isMuster: boolean}[]}
 *     regions
 * @property {boolean} isInMuster
 * @property {number} at milliseconds of the server's clock
 */

/**
 * The phone's guess in words: never as the truth, and never that somebody is safe. Beside a call for help the words say
 * that the call stands. Undefined if the phone has no fresh guess, or if the server is heard and says the same.
 */
export function guessWords({ own, isLive, guess, isCalling = false }, nowMs) {
    if (!guess || nowMs - guess.at > guessLimitMs) { return undefined; }
    const words = placeGuess({ own, isLive, guess });
    return words && isCalling ? `${words} ${t("me.status.guess.calling")}` : words;
}

function placeGuess({ own, isLive, guess }) {
    const insides = guess.regions.filter(({ isInside }) => isInside);
    // If the engine has a doubt, the phone does not say that it is in an assembly point.
    const shown = insides.filter(({ isMuster }) => isMuster === guess.isInMuster);
    const place = listed(shown.map(({ name, id }) => legible(name || id)));
    const isInsideByServer = own?.member?.state === "safe" && own.member.source === "region";
    // The lines above already say that the server has the person inside: somebody who calls for help is not "safe".
    const isSaid = shown.length > 0 && shown.every(({ key }) => isInside(own?.member, key));
    if (isLive && guess.isInMuster && isSaid) { return undefined; }
    if (guess.isInMuster) {
        return isLive && isInsideByServer ? undefined : t("me.status.guess.inside", { place });
    }
    if (isLive && !isInsideByServer) { return undefined; }
    const hasMuster = guess.regions.some(({ isMuster }) => isMuster) || own?.regions.some(isMuster);
    // If the engine does not know, the phone must not say that the person is outside.
    const isOutside = guess.safety.state === "unsafe";
    if (!hasMuster || !isOutside) { return place ? t("me.status.guess.inside", { place }) : undefined; }
    return place ? t("me.status.guess.elsewhere", { place }) : t("me.status.guess.outside");
}

/** Whether the server has a device of the person inside a region, without a doubt. */
function isInside(member, key) {
    return [...member?.presences.values() ?? []].some((presences) => {
        const { standing, doubt } = presences.get(key) ?? {};
        return standing === "inside" && !doubt;
    });
}

function isMuster({ properties }) {
    return properties?.muster === true;
}
