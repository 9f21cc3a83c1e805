/** What an edit of a region would change for the people who stand there now, in words. Pure. */
import { legible } from "../shared/text.js";
import { listed, t } from "../shared/words.js";

/** The most people who are named. */
const mostNames = 12;

/**
 * @param {object} outlook what the server answers to an edit with `dryRun`
 * @param {(user: string) => string} [nameOf] what a person is called
 * @returns {string[]} sentences; what changes nobody is said, too
 */
export function outlookSentences({ people, safety = {}, isComplete = true, leftOut = 0 }, nameOf = legible) {
    const leaving = people.leaving ?? people.wouldLeave.length;
    const entering = people.entering ?? people.wouldEnter.length;
    const named = (users, count) => {
        const names = users.slice(0, mostNames).map(nameOf);
        return listed(count > names.length ? [...names, t("regions.outlook.more", { count: count - names.length })]
            : names);
    };
    const sentences = [
        leaving > 0 && t("regions.outlook.leave", {
            count: leaving, all: people.inside, names: named(people.wouldLeave, leaving),
        }),
        entering > 0 && t("regions.outlook.enter", { count: entering, names: named(people.wouldEnter, entering) }),
        safety.wouldEndSafe > 0 && t("regions.outlook.endSafe", { count: safety.wouldEndSafe }),
        safety.wouldBecomeSafe > 0 && t("regions.outlook.becomeSafe", { count: safety.wouldBecomeSafe }),
    ].filter(Boolean);
    if (sentences.length === 0) {
        sentences.push(people.inside > 0 ? t("regions.outlook.same", { count: people.inside })
            : t("regions.outlook.nobody"));
    }
    if (!isComplete) { sentences.push(t("regions.outlook.partial", { count: leftOut })); }
    return sentences;
}

/** Whether somebody would be outside or no longer safe, or nobody can tell: it is asked before it is saved. */
export function isGrave({ people, safety = {}, isComplete = true }) {
    return people.wouldLeave.length > 0 || safety.wouldEndSafe > 0 || safety.wouldBecomeSafe > 0 || !isComplete;
}
