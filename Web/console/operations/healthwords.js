/** What is ill about the server, what to look at, and what is well, in words. Pure. */
import { hrefOf } from "../shared/route.js";
import { sizeWords } from "../shared/size.js";
import { legible } from "../shared/text.js";
import { age, clockTime, duration } from "../shared/time.js";
import { listed, t } from "../shared/words.js";
import { silentGateways } from "./gatewaywords.js";
import { metric, samplesOf } from "./metrics.js";

const dayMs = 86_400_000;
/** A backup older than this is told. */
const backupLimitMs = 7 * dayMs;
/** Half of what the server's queue holds. */
const queueLimit = 50_000;
/** A share of a limit from which on it is told that it is nearly used up. */
const nearlyUsed = 0.9;
/** The number of changes from which a replication is reported as behind. */
const behindLimit = 1000;

/**
 * @typedef {object} Finding
 * @property {"ill"|"watch"} level whether the server does something wrong now, or somebody should look at it soon
 * @property {string} key what it is, the same at each look
 * @property {string} words
 * @property {string} advice what to do
 * @property {string} [href] where it is done
 *
 * @typedef {object} Look what was read; a part that could not be read, or that the role may not read, is undefined
 * @property {object} [health] `/health`
 * @property {object[]} [stalled] the parts that stand still, where `/health` said so
 * @property {import("./metrics.js").Sample[]} [metrics]
 * @property {object} [deliveries] `/deliveries`
 * @property {object[]} [replications] the documents of `_scheduler/docs`
 * @property {object[]} [reports] the newest refused reports, at most `reportLimit`
 * @property {object[]} [gateways] the devices of gateways
 * @property {number} clocks how many devices have a clock that is ahead
 * @property {string[]} unread the names of what could not be read
 */

/** A finding of `operations.ill.KEY`, with `operations.advice.KEY`. */
function finding(level, key, parameters = {}, more = {}) {
    const { name = "", ...others } = more;
    return {
        level, key: name ? `${key} ${name}` : key, words: t(`operations.ill.${key}`, parameters),
        advice: t(`operations.advice.${key}`, parameters), ...others,
    };
}

/** Everything that is not well, what is ill now first. @param {Look} look @returns {Finding[]} */
export function findings(look, nowMs) {
    const all = [
        ...unreadParts(look), ...ofHealth(look, nowMs), ...ofDeliveries(look), ...ofReplications(look),
        ...ofFigures(look, nowMs), ...ofDevices(look, nowMs),
    ];
    return [...all.filter(({ level }) => level === "ill"), ...all.filter(({ level }) => level !== "ill")];
}

function unreadParts({ unread = [] }) {
    return unread.map((part) => finding("ill", "unread", { what: t(`operations.look.${part}`) }, { name: part }));
}

function ofHealth({ health, stalled }, nowMs) {
    const found = [];
    if (stalled) {
        const parts = stalled.map(({ part, waitingSeconds }) => `${legible(part)} (${duration(waitingSeconds)})`);
        found.push(finding("ill", "stalled", { parts: parts.join(t("between.parts")) }));
    }
    if (!health) { return found; }
    const { storage, serverClock: clock, certificate, pushFaults = [] } = health;
    if (storage && !storage.writable) {
        found.push(finding("ill", "unwritable", { time: clockTime(storage.since), reason: legible(storage.message) }));
    } else if (storage?.low) {
        const free = storage.freeBytes === undefined ? "–" : sizeWords(storage.freeBytes);
        found.push(finding("watch", "low", { size: free }));
    }
    if (health.damaged > 0) { found.push(finding("ill", "damaged", { count: health.damaged })); }
    if (clock?.suspect) {
        const off = { duration: duration(Math.abs(clock.aheadSeconds ?? 0)), count: clock.devices ?? 0 };
        found.push(finding("ill", clock.aheadSeconds < 0 ? "clockBehind" : "clockAhead", off));
    }
    if (certificate && Date.parse(certificate.endsAt) <= nowMs) {
        found.push(finding("ill", "certificateEnded", { time: clockTime(certificate.endsAt, nowMs) }));
    } else if (certificate?.ending) {
        found.push(finding("watch", "certificateEnding", { time: clockTime(certificate.endsAt, nowMs) }));
    }
    for (const { platform, reason, advice, since } of pushFaults) {
        const parameters = {
            platform: legible(platform), reason: legible(reason), advice: legible(advice), time: clockTime(since),
        };
        found.push(finding("ill", "pushFault", parameters, { name: platform }));
    }
    return found;
}

function ofDeliveries({ deliveries }) {
    return (deliveries?.targets ?? []).flatMap(({ target, enabled, failing, pending, deadLetters }) => {
        const more = { name: target, href: hrefOf("operations", "targets", "of", target) };
        const parameters = { target: legible(target) };
        return [
            failing && finding("ill", "targetFailing", { ...parameters, count: pending }, more),
            deadLetters > 0 && finding("watch", "deadLetters", { ...parameters, count: deadLetters }, more),
            !enabled && pending > 0 && finding("watch", "disabledWaiting", { ...parameters, count: pending }, more),
        ].filter(Boolean);
    });
}

function ofReplications({ replications = [] }) {
    return replications.flatMap(({ doc_id: name, state, info }) => {
        const more = { name, href: hrefOf("operations", "replications") };
        const parameters = { name: legible(name), reason: legible(info?.error ?? "") };
        if (state === "failed") { return [finding("ill", "replicationFailed", parameters, more)]; }
        if (state === "crashing") { return [finding("ill", "replicationCrashing", parameters, more)]; }
        const count = info?.changes_pending ?? 0;
        return count > behindLimit ? [finding("watch", "replicationBehind", { ...parameters, count }, more)] : [];
    });
}

function ofFigures({ metrics }, nowMs) {
    if (!metrics) { return []; }
    const value = (name, labels) => metric(metrics, name, labels) ?? 0;
    const backupMs = value("muster_last_backup_timestamp_seconds") * 1000;
    const refusedLogins = value("muster_logins_total", { outcome: "throttled" })
        + value("muster_logins_total", { outcome: "busy" });
    const failedCommits = value("muster_failed_commits_total") + value("muster_storage_failed_commits_total");
    const counted = [
        ["queue", value("muster_queue_depth") > queueLimit, value("muster_queue_depth")],
        ["failedCommits", failedCommits > 0, failedCommits],
        ["givenUpPushes", value("muster_pushes_given_up_total") > 0, value("muster_pushes_given_up_total")],
        ["logins", refusedLogins > 0, refusedLogins],
        ["certificateNotRead", value("muster_tls_reload_failures_total") > 0,
            value("muster_tls_reload_failures_total")],
        ["files", value("process_open_fds") > nearlyUsed * (metric(metrics, "process_max_fds") ?? Infinity),
            value("process_open_fds")],
    ].filter(([, isSo]) => isSo).map(([key, , count]) => finding("watch", key, { count }));
    if (backupMs === 0) {
        counted.push(finding("watch", "noBackup"));
    } else if (nowMs - backupMs > backupLimitMs) {
        counted.push(finding("watch", "oldBackup", { age: age(new Date(backupMs).toISOString(), nowMs) }));
    }
    return [...counted, ...ofQuotas(metrics)];
}

function ofQuotas(metrics) {
    return samplesOf(metrics, "muster_quota_limit").flatMap(({ labels, value: limit }) => {
        const used = metric(metrics, "muster_quota_used", labels) ?? 0;
        if (limit <= 0 || used < nearlyUsed * limit) { return []; }
        const percent = String(Math.floor(100 * used / limit));
        return [finding("watch", "quota", { quota: legible(labels.quota), percent }, { name: labels.quota })];
    });
}

function ofDevices({ reports = [], gateways = [], clocks = 0 }, nowMs) {
    const silent = silentGateways(gateways, nowMs).map(({ id, heard }) => finding("watch", "gatewaySilent",
        { name: legible(id), time: clockTime(heard, nowMs), age: age(heard, nowMs) },
        { name: id, href: hrefOf("operations", "gateways") }));
    const fresh = reports.filter(({ receivedTime }) => nowMs - Date.parse(receivedTime) < dayMs);
    return [
        fresh.length > 0 && refusedReports(fresh, nowMs),
        clocks > 0 && finding("watch", "clocks", { count: clocks }),
        ...silent,
    ].filter(Boolean);
}

/** As many of the newest refused reports are read. */
export const reportLimit = 100;
/** The most senders of refused reports that are named; of others the number is said. */
const namedSenders = 5;

function refusedReports(reports, nowMs) {
    const said = refusedWords(reports, nowMs);
    const found = finding("watch", "reports", said, { href: hrefOf("operations", "reports") });
    // Where so many were read, there may be more.
    return reports.length < reportLimit ? found
        : { ...found, words: t("operations.ill.manyReports", { ...said, least: reports.length }) };
}

/** Whose reports could not be read, how many they were, and why the newest was refused. */
function refusedWords(reports, nowMs) {
    const senders = [...new Set(reports.map(({ device, user }) => device ?? user ?? t("operations.reports.nobody")))];
    const more = senders.length - namedSenders;
    return {
        count: reports.length, time: clockTime(reports[0].receivedTime, nowMs),
        senders: listed([...senders.slice(0, namedSenders).map(legible),
            more > 0 && t("operations.reports.more", { count: more })]),
        reason: legible(reports[0].reason ?? ""),
    };
}

/** What is well: a line for each thing that was looked at and is in order. @param {Look} look @returns {string[]} */
export function wellWords({ health, metrics, deliveries, replications, reports }, nowMs) {
    const backupMs = (metrics && metric(metrics, "muster_last_backup_timestamp_seconds") * 1000) || 0;
    const free = metrics && metric(metrics, "muster_disk_free_bytes");
    const targets = deliveries?.targets;
    const isStored = health && health.storage?.writable !== false && !health.damaged;
    return [
        isStored && (free === undefined ? t("operations.well.stored")
            : t("operations.well.storedFree", { size: sizeWords(free) })),
        health && !health.serverClock?.suspect && t("operations.well.clock"),
        health && !health.pushFaults?.length && t("operations.well.push"),
        backupMs > 0 && nowMs - backupMs <= backupLimitMs
            && t("operations.well.backup", { age: age(new Date(backupMs).toISOString(), nowMs) }),
        targets && targets.every(({ failing, deadLetters }) => !failing && deadLetters === 0)
            && t("operations.well.targets", { count: targets.length }),
        replications && replications.every(({ state }) => !["failed", "crashing"].includes(state))
            && t("operations.well.replications", { count: replications.length }),
        reports && !reports.some(({ receivedTime }) => nowMs - Date.parse(receivedTime) < dayMs)
            && t("operations.well.reports"),
    ].filter(Boolean);
}

/** Figures worth a look, as pairs of what and how much. @returns {[string, string][]} */
export function figures(metrics, nowMs) {
    const number = (name, labels) => metric(metrics, name, labels);
    const count = (value) => t("operations.number", { number: value ?? 0 });
    const started = number("process_start_time_seconds");
    const file = samplesOf(metrics, "muster_database_bytes").reduce((sum, { value }) => sum + value, 0);
    const running = samplesOf(metrics, "muster_build_info")[0]?.labels.version ?? "–";
    return [
        ["version", legible(running)],
        ["running", started === undefined ? "–" : duration(Math.max(0, nowMs / 1000 - started))],
        ["positions", count(number("muster_positions_total", { outcome: "accepted" }))],
        ["queue", count(number("muster_queue_depth"))],
        ["feeds", count(samplesOf(metrics, "muster_feeds").reduce((sum, { value }) => sum + value, 0))],
        ["pending", count(number("muster_deliveries_pending"))],
        ["database", sizeWords(file)],
        ["memory", sizeWords(number("process_resident_memory_bytes") ?? 0)],
        ["free", sizeWords(number("muster_disk_free_bytes") ?? 0)],
    ].map(([key, words]) => [t(`operations.figure.${key}`), words]);
}
