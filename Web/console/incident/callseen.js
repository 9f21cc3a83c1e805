/** Says who has seen the call of an incident. Pure. */
import { clockTime } from "../shared/time.js";
import { t } from "../shared/words.js";

/** Says when somebody saw the incident's call; empty if they have not seen it since the incident was last opened. */
export function callSeenWords({ callSeenAt }, { startedAt, reopenedAt }, nowMs) {
    const isOfThisCall = Date.parse(callSeenAt) >= Date.parse(reopenedAt ?? startedAt);
    return isOfThisCall ? t("incident.callSeen", { time: clockTime(callSeenAt, nowMs) }) : "";
}
