import Synchronization

/// What the sessions of a replication learn from one another.
struct Learned: Hashable, Sendable {
    var interruptions = Interruptions()
    var failures = RevisionFailures()
    /// What the runs before had counted, by the log that the first session found; nil before that session read it.
    var countsBefore: ReplicationCounts?
}

/// Brings what one peer has to another, as CouchDB does: the one algorithm of push and pull.
///
/// It may be cut off at any moment, at either end: what was written is written, what was not is found missing by the
/// next run, which begins where both peers remember that all was well. Nothing is ever written twice, for a revision is
/// known by its name; nothing is lost, for a sequence is remembered only after everything before it is at the target,
/// or is named beside it as what a peer failed at.
///
/// ```
/// scout: changes ──▶ reader: which are missing, what do they say ──▶ writer: write, remember
/// ```
///
/// The three work at the same time, each at most one page ahead of the next.
public struct Replication: Sendable {
    /// Where from.
    public let source: any ReplicationPeer
    /// Where to.
    public let target: any ReplicationPeer
    /// What and how.
    public let options: Options
    /// How long it waits.
    public let pacing: ReplicationPacing
    /// What its runs learn, for a program that runs it again and again; nil: each run learns for itself.
    package var retryMemory: RetryMemory?

    /// What replications between the same two peers learn of the network and of what a peer fails at.
    package final class RetryMemory: Sendable {
        fileprivate let all = Mutex(Learned())

        /// Nothing yet.
        package init() {}
    }

    /// What is replicated and how.
    public struct Options: Hashable, Sendable {
        /// Which documents.
        public var filter = ReplicationFilter.all
        /// Whether of each document the winner alone goes, without its conflicts.
        public var takesWinnersOnly = false
        /// Only what changed at the source after this; nil: everything.
        public var since: PeerSequence?
        /// Whether both peers remember how far it came. If not, each run begins anew.
        public var keepsLogs = true
        /// Whether to go on when all is done, and wait for what comes.
        public var isContinuous = false
        /// Whether to make the target's database where there is none.
        public var createsTarget = false
        /// Whether to begin with a snapshot where the target is empty and the source has one.
        public var takesSnapshot = true
        /// At most so many changes at once.
        public var pageLimit = 1_000
        /// About so many bytes of documents at once.
        public var batchBytes = 2 << 20

        /// The usual.
        public init() {}
    }

    /// A replication between two peers.
    public init(
        from source: any ReplicationPeer, to target: any ReplicationPeer, options: Options = Options(),
        pacing: ReplicationPacing = ReplicationPacing()
    ) {
        self.source = source
        self.target = target
        self.options = options
        self.pacing = pacing
    }

    /// Runs until all is done, or for ever where it is continuous and the pacing persists; ends when the task is
    /// cancelled.
    ///
    /// - Parameter report: told how it goes, in order; what it does delays the replication.
    /// - Returns: how it went.
    /// - Throws: `ReplicationError` that will not pass, or that did not within the attempts; `CancellationError`.
    @discardableResult
    public func run(
        report: @escaping @Sendable (ReplicationProgress) -> Void = { _ in }
    ) async throws -> ReplicationProgress {
        var progress = ReplicationProgress()
        var learned = retryMemory?.all.withLock { $0 } ?? Learned()
        defer { retryMemory?.all.withLock { [learned] in $0 = learned } }
        while true {
            let session = ReplicationSession(replication: self, report: report, before: progress, after: learned)
            do {
                let done = try await session.run()
                learned = session.learned
                return done
            } catch let fault as ReplicationError where fault.isPassing {
                try Task.checkCancellation()
                progress = session.progress
                learned = session.learned
                if let seconds = session.quietSeconds, seconds >= pacing.longestDelaySeconds {
                    learned.interruptions.noteProgress()
                }
                learned.interruptions.noteCut()
                let failures = learned.interruptions.failures
                let isForEver = options.isContinuous && pacing.persists
                guard isForEver || failures < pacing.attempts else { throw fault }
                var seconds = pacing.delaySeconds(afterFailures: failures)
                if case .busy(_, let asked?) = fault { seconds = max(seconds, min(asked, pacing.longestDelaySeconds)) }
                progress.state = .waiting(seconds: seconds, after: fault)
                report(progress)
                try await pacing.sleep(seconds)
            }
        }
    }

    /// What the target remembers of replications like this one; nil where it remembers none.
    package func log() async throws -> ReplicationLog? {
        let id = ReplicationSession.logID(
            try await source.information().identity, try await target.information().identity, options)
        return try await target.log(id)
    }

    /// Runs as `run` does, as a sequence of how it goes; whoever stops reading it ends the replication. A reader that
    /// is slow misses some of it, never the last.
    public func progress() -> AsyncThrowingStream<ReplicationProgress, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(16)) { continuation in
            let task = Task {
                do {
                    continuation.yield(try await run { continuation.yield($0) })
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}

/// How a replication goes.
public struct ReplicationProgress: Hashable, Sendable {
    /// What it is doing.
    public var state = State.running
    /// What it has done since it was started, all attempts together.
    public var counts = ReplicationCounts()
    /// Up to where everything of the source is at the target but what was refused; nil before that is known.
    public var sequence: PeerSequence?
    /// How many changes are still to come, where the source says so.
    public var pending: Int?
    /// The last revisions that the target would not have, at most `refusalLimit`.
    public var refusals: [WriteRefusal] = []

    /// How many refusals are remembered.
    public static let refusalLimit = 20

    /// What a replication is doing.
    public enum State: Hashable, Sendable {
        /// It moves documents.
        case running
        /// Everything is at the target but what was refused; it waits for changes.
        case idle
        /// It was cut off, and tries again after some seconds.
        case waiting(seconds: Double, after: ReplicationError)
        /// Everything is at the target but what was refused, and it has ended.
        case completed
    }

    /// Nothing yet.
    public init() {}
}
