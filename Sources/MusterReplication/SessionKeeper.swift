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
    /// Up to where everything is at the target now.
    var reached: PeerSequence

    private var sourceLog: ReplicationLog
    private var targetLog: ReplicationLog
    private var keptAt: Instant
    private var kept: PeerSequence

    init(
        source: any ReplicationPeer, target: any ReplicationPeer, logID: String, sessionID: String,
        startedAt: Instant, sourceLog: ReplicationLog, targetLog: ReplicationLog
    ) {
        self.source = source
        self.target = target
        self.logID = logID
        self.sessionID = sessionID
        self.startedAt = startedAt
        self.sourceLog = sourceLog
        self.targetLog = targetLog
        start = ReplicationLog.commonAncestor(source: sourceLog, target: targetLog)
        reached = start
        kept = start
        keptAt = startedAt
    }

    /// Whether it is time to write down that the session got on.
    func isDue(at now: Instant, after seconds: Double) -> Bool {
        reached != kept && now.seconds(since: keptAt) >= seconds
    }

    /// Writes down how far it came, when that is farther than was written before.
    ///
    /// The target first: a source that remembers more than the target would make the next run skip what the target
    /// lost.
    mutating func keep(_ counts: ReplicationCounts, at now: Instant) async throws {
        guard reached != kept else { return }
        try await target.ensureFullCommit()
        let session = ReplicationLog.Session(
            id: sessionID, startedAt: startedAt, endedAt: now, start: start, recorded: reached, counts: counts)
        var log = targetLog
        log.record(session)
        targetLog = try await target.put(log, as: logID)
        log = sourceLog
        log.record(session)
        sourceLog = try await source.put(log, as: logID)
        kept = reached
        keptAt = now
    }
}
