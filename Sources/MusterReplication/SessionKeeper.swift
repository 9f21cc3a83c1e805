import MusterCore

/// Writes down at both peers how far a session came.
struct SessionKeeper: Sendable {
    let source: any ReplicationPeer
    let target: any ReplicationPeer
    let logID: String
    let sessionID: String
    let startedAt: Instant
    /// Up to where both had everything before.
    let start: PeerSequence
    /// Whether that was within a snapshot.
    let startsInSnapshot: Bool
    /// Up to where everything is at the target now.
    private(set) var reached: PeerSequence
    /// Whether something is missing there that may be had later. From then on nothing behind it is written down as
    /// reached: what is asked for again must be found again, and a log that is past it would hide it for ever.
    private(set) var isHeld = false

    private var sourceLog: ReplicationLog
    private var targetLog: ReplicationLog
    private var keptAt: Instant
    private var kept: PeerSequence
    private var keptInSnapshot: Bool
    /// How many revisions were refused when that was written down.
    private var keptRefusals: Int64
    /// Whether the source takes logs: one that may only be read does not.
    private var sourceKeeps = true

    init(
        source: any ReplicationPeer, target: any ReplicationPeer, logID: String, sessionID: String,
        startedAt: Instant, begin: PeerSequence, sourceLog: ReplicationLog, targetLog: ReplicationLog,
        refusals: Int64
    ) {
        self.source = source
        self.target = target
        self.logID = logID
        self.sessionID = sessionID
        self.startedAt = startedAt
        self.sourceLog = sourceLog
        self.targetLog = targetLog
        let ancestor = ReplicationLog.commonAncestor(source: sourceLog, target: targetLog)
        start = ancestor?.recorded ?? begin
        startsInSnapshot = ancestor?.isInSnapshot ?? false
        reached = start
        kept = start
        keptInSnapshot = startsInSnapshot
        keptRefusals = refusals
        keptAt = startedAt
    }

    /// Notes that all up to here is at the target, unless something before it is not.
    mutating func reach(_ sequence: PeerSequence) {
        if !isHeld { reached = sequence }
    }

    /// Notes that something that stands here is not at the target, and may be had later.
    mutating func hold() { isHeld = true }

    /// Whether it is time to write down that the session got on.
    func isDue(at now: Instant, after seconds: Double) -> Bool {
        reached != kept && now.seconds(since: keptAt) >= seconds
    }

    /// Writes down how far it came, when that is farther than was written before, or when more was refused.
    ///
    /// The target first: a source that remembers more than the target would make the next run skip what the target
    /// lost. A source that takes no log remembers nothing, and so the next run looks at all of it again.
    ///
    /// - Returns: whether it was.
    mutating func keep(
        _ counts: ReplicationCounts, isInSnapshot: Bool, at now: Instant
    ) async throws -> Bool {
        guard reached != kept || isInSnapshot != keptInSnapshot || counts.refused != keptRefusals else { return false }
        try await target.ensureFullCommit()
        let session = ReplicationLog.Session(
            id: sessionID, startedAt: startedAt, endedAt: now, start: start, recorded: reached, counts: counts,
            isInSnapshot: isInSnapshot)
        var log = targetLog
        log.record(session)
        targetLog = try await target.put(log, as: logID)
        log = sourceLog
        log.record(session)
        if sourceKeeps {
            do {
                sourceLog = try await source.put(log, as: logID)
            } catch ReplicationFault.unauthorized, ReplicationFault.forbidden, ReplicationFault.refused {
                sourceKeeps = false
            }
        }
        kept = reached
        keptInSnapshot = isInSnapshot
        keptRefusals = counts.refused
        keptAt = now
        return true
    }
}
