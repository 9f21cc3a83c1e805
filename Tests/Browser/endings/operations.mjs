/** The keys of the operations, and of their parts, that end in what the code says. */
import { actions, declarations, entities, fields, groupKeys, incidents, rolls, ruleTurns, timers } from
    "../../../Web/console/audit/auditwords.js";
import { purposes } from "../../../Web/console/operations/codes.js";
import { parts } from "../../../Web/console/operations/screen.js";
import { states } from "../../../Web/console/operations/replicationwords.js";
import { eventKinds } from "../../../Web/console/rules/eventtitle.js";
import { templateKeys } from "../../../Web/console/rules/templates.js";
import { deliveryStates, kinds } from "../../../Web/console/targets/targetwords.js";

const ill = [
    "unread", "stalled", "unwritable", "low", "damaged", "clockAhead", "clockBehind", "certificateEnded",
    "certificateEnding", "pushFault", "targetFailing", "deadLetters", "disabledWaiting", "replicationFailed",
    "replicationCrashing", "replicationBehind", "queue", "failedCommits", "givenUpPushes", "logins",
    "certificateNotRead", "files", "noBackup", "oldBackup", "quota", "reports", "clocks",
    "gatewaySilent",
];

export default {
    "operations.part.": parts.map(({ name }) => name),
    "targets.state.": deliveryStates,
    "operations.ill.": ill, "operations.advice.": ill,
    "operations.level.": ["ill", "watch"], "operations.verdict.": ["well", "watch", "ill", "old"],
    "operations.look.": ["health", "metrics", "deliveries", "replications", "reports", "gateways"],
    "operations.figure.": [
        "version", "running", "positions", "queue", "feeds", "pending", "database", "memory", "free",
    ],
    "operations.secret.": ["key", "accessKeyId", "secretAccessKey", "sessionToken"],
    "operations.codes.for.": purposes,
    "operations.signing.": ["access-tokens", "user-pool"],
    "operations.replication.": [
        "source", "target", "sourceUser", "targetUser", "sourcePassword", "targetPassword",
    ],
    "operations.state.": states,
    "operations.platform.": ["webpush", "apns", "apns-sandbox", "fcm"],
    "operations.outcome.": ["delivered", "failed", "gone", "refused"],
    "operations.heard.": ["heard", "silent", "never"],
    "operations.proximity.": ["immediate", "near", "far"],
    "operations.tag.": ["beacon", "tag", "radio"],
    "rules.template.": templateKeys, "rules.event.": eventKinds,
    "rules.input.": ["event", "template", "path", "constant"], "rules.inputText.": ["template", "path", "constant"],
    "targets.kind.": [...kinds, "sms"],
    "targets.do.": ["test", "pause", "resume", "run", "byHand", "atOnce", "rotate", "remove"],
    "targets.order.": ["test", "pause", "resume", "byHand", "atOnce", "rotate"],
    "audit.entity.": [...entities, "attendance", "proximity"], "audit.group.": groupKeys,
    "audit.declaration.": declarations, "audit.timer.": timers, "audit.incident.": incidents, "audit.roll.": rolls,
    "audit.turn.": ruleTurns, "audit.action.": actions,
    "audit.field.": fields,
};
