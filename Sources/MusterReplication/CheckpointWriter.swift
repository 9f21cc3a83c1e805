import MusterCore

/// Writes down at both peers how far a session came.
struct CheckpointWriter: Sendable {
    let source: any ReplicationPeer
    let target: any ReplicationPeer
    let logID: String
    let sessionID: String
    let startedAt: Instant
    /// Up to where both had everything before.
    let start: PeerSequence
    /// Whether that was within a snapshot.
    let startsInSnapshot: Bool
    /// Up to where everything is at the target now, but for what is outstanding.
    private(set) var reached: PeerSequence
    /// Whether a revision that is asked for by its name is one that would be found. Where a selector picks, or winners
    /// alone go, another may stand there by then.
    let canAskByName: Bool
    /// Whether something is missing there that cannot be asked for by its name. From then on nothing behind it is
    /// written down as reached: it must be found again.
    private var isHeld = false
    /// What is missing there all the same, and may be had later: the log names it, for it would be hidden by being past
    /// it.
    private(set) var outstanding: Set<ReplicatedRevision.Key>

    /// What both were last known to remember alike; nil: nothing.
    private var basis: ReplicationLog.Session?
    private var sourceLog: ReplicationLog
    private var targetLog: ReplicationLog
    private var keptAt: Instant
    private var kept: PeerSequence
    private var keptInSnapshot: Bool
    private var keptOutstanding: Set<ReplicatedRevision.Key>
    /// What the runs before this one had counted.
    let countsBefore: ReplicationCounts
    /// How many revisions were refused when that was written down.
    private var keptRefusals: Int64
    /// Whether the source takes logs: one that may only be read does not.
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

    /// What a log names as outstanding, as far as this replication may ask for it: a target's log is another's text.
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

    /// Notes that all up to here is at the target, but for what is outstanding.
    mutating func reach(_ sequence: PeerSequence) {
        if !isHeld { reached = sequence }
    }

    /// Notes that something that stands here is not at the target, may be had later, and must be found again.
    mutating func hold() { isHeld = true }

    /// Notes of some revisions that those which `failed` are not at the target and may be had later, and that nothing
    /// is to be waited for of the others.
    mutating func settle(_ asked: Set<ReplicatedRevision.Key>, failed: [ReplicatedRevision.Key]) {
        outstanding.subtract(asked)
        outstanding.formUnion(failed)
    }

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

    /// Puts a log in the place of the one that was read, or beside what another run of the same replication wrote there
    /// meanwhile.
    ///
    /// - Throws: `ReplicationError.busy` with 409 where what this session builds on stands there no more: the peer was
    ///   set back, and the next session begins where both remember.
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
                // One name too many does no harm: what is there is not missing.
                stored.outstanding = Set(stored.outstanding.keys).union(log.outstanding.keys).byDocument
                next = stored
            }
        }
        throw ReplicationError.busy(status: 409, retryAfterSeconds: nil)
    }

    /// How often a log is put beside what others write there at the same time.
    private static let putLimit = 10
}
