import MusterCore

/// Writes the checkpoints of a session to both peers.
struct CheckpointWriter: Sendable {
    let source: any ReplicationPeer
    let target: any ReplicationPeer
    let logID: String
    let sessionID: String
    let startedAt: Instant
    /// The source's sequence up to which the target has everything from earlier sessions.
    let start: PeerSequence
    /// Whether `start` is a checkpoint within a snapshot.
    let startsInSnapshot: Bool
    /// The source's sequence up to which the target has everything now, except for `outstanding`.
    private(set) var reached: PeerSequence
    /// Whether a revision that failed can be requested by its id later. With a selector, or with winners only, another
    /// revision may be the one to replicate by then.
    let canAskByName: Bool
    /// Whether the target lacks a revision that cannot be requested by its id. The checkpoint then stays before it, so
    /// that the changes feed lists it again.
    private var isHeld = false
    /// Revisions before `reached` that the target lacks because a peer failed at them. The log lists them, since the
    /// changes feed after `reached` does not.
    private(set) var outstanding: Set<ReplicatedRevision.Key>

    /// The newest session that both logs contain; nil if they share none.
    private var basis: ReplicationLog.Session?
    private var sourceLog: ReplicationLog
    private var targetLog: ReplicationLog
    private var keptAt: Instant
    private var kept: PeerSequence
    private var keptInSnapshot: Bool
    private var keptOutstanding: Set<ReplicatedRevision.Key>
    /// The counts of earlier runs.
    let countsBefore: ReplicationCounts
    /// The number of refused revisions in the last checkpoint.
    private var keptRefusals: Int64
    /// Whether the source accepts logs; one that is read-only does not.
    private var sourceKeeps = true

    init(
        source: any ReplicationPeer, target: any ReplicationPeer, logID: String, sessionID: String,
        startedAt: Instant, begin: PeerSequence, sourceLog: ReplicationLog, targetLog: ReplicationLog,
        refusals: Int64, countsBefore: ReplicationCounts?, options: Replication.Options
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
        basis = ancestor
        canAskByName = Self.canAskByName(options)
        outstanding = canAskByName ? Self.outstanding(in: targetLog, options) : []
        keptOutstanding = outstanding
        kept = start
        keptInSnapshot = startsInSnapshot
        self.countsBefore = countsBefore ?? ancestor?.counts ?? ReplicationCounts()
        keptRefusals = refusals
        keptAt = startedAt
    }

    /// The outstanding revisions of a target's log that this replication's filter admits. The log is another party's
    /// text and is not trusted.
    private static func outstanding(
        in log: ReplicationLog, _ options: Replication.Options
    ) -> Set<ReplicatedRevision.Key> {
        guard case .documents(let ids) = options.filter else {
            return Set(log.outstanding.keys.prefix(RevisionFailures.limit))
        }
        let admitted = Set(ids)
        return Set(log.outstanding.filter { admitted.contains($0.id) }.keys.prefix(RevisionFailures.limit))
    }

    private static func canAskByName(_ options: Replication.Options) -> Bool {
        if case .selector = options.filter { return false }
        return !options.takesWinnersOnly
    }

    /// Records that the target has everything up to a sequence, except for `outstanding`. Does nothing after `hold()`.
    mutating func reach(_ sequence: PeerSequence) {
        if !isHeld { reached = sequence }
    }

    /// Holds the checkpoint before the present page, because it lists a revision that must be found again.
    mutating func hold() { isHeld = true }

    /// Updates `outstanding` by the outcome of revisions: adds those that `failed`, and removes the others.
    mutating func recordOutcome(of asked: Set<ReplicatedRevision.Key>, failed: [ReplicatedRevision.Key]) {
        outstanding.subtract(asked)
        outstanding.formUnion(failed)
    }

    func isDue(at now: Instant, after seconds: Double) -> Bool {
        reached != kept && now.seconds(since: keptAt) >= seconds
    }

    /// Writes a checkpoint, if `reached` or the number of refused revisions has grown since the last one.
    ///
    /// The target's is written first: if the source's were ahead, the next run would skip revisions that the target
    /// lost. If the source accepts no log, the next run reads all of its changes again.
    ///
    /// - Returns: whether a checkpoint was written.
    mutating func writeCheckpoint(
        _ counts: ReplicationCounts, isInSnapshot: Bool, at now: Instant
    ) async throws -> Bool {
        guard
            reached != kept || isInSnapshot != keptInSnapshot || counts.refused != keptRefusals
                || outstanding != keptOutstanding
        else { return false }
        try await target.ensureFullCommit()
        let session = ReplicationLog.Session(
            id: sessionID, startedAt: startedAt, endedAt: now, start: start, recorded: reached,
            counts: countsBefore + counts, isInSnapshot: isInSnapshot)
        var log = targetLog
        log.record(session)
        log.outstanding = outstanding.byDocument
        targetLog = try await put(log, at: target)
        log = sourceLog
        log.record(session)
        log.outstanding = targetLog.outstanding
        if sourceKeeps {
            do {
                sourceLog = try await put(log, at: source)
            } catch ReplicationError.unauthorized, ReplicationError.forbidden, ReplicationError.refused {
                sourceKeeps = false
            }
        }
        basis = session
        kept = reached
        keptInSnapshot = isInSnapshot
        keptRefusals = counts.refused
        keptOutstanding = outstanding
        keptAt = now
        return true
    }

    /// Replaces a peer's log, or merges with the one that another run of the same replication wrote there meanwhile.
    ///
    /// - Throws: `ReplicationError.busy` with 409 if the log no longer contains the session that this one continues.
    ///   The peer was then restored from a backup, and the next session begins at the newest session of both logs.
    private func put(_ log: ReplicationLog, at peer: any ReplicationPeer) async throws -> ReplicationLog {
        var next = log
        for _ in 0..<Self.putLimit {
            do {
                return try await peer.put(next, as: logID)
            } catch ReplicationError.busy(status: 409, let seconds) {
                guard var stored = try await peer.log(logID), let session = log.history.first,
                    basis.map({ basis in stored.history.contains { $0.isAtLeast(basis) } }) ?? true
                else { throw ReplicationError.busy(status: 409, retryAfterSeconds: seconds) }
                stored.record(session)
                // An outstanding revision that the target has does no harm: it is not missing when it is requested.
                stored.outstanding = Set(stored.outstanding.keys).union(log.outstanding.keys).byDocument
                next = stored
            }
        }
        throw ReplicationError.busy(status: 409, retryAfterSeconds: nil)
    }

    /// The number of attempts to write a log while others write it at the same time.
    private static let putLimit = 10
}
