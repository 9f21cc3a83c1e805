import MusterMutex

// `Replication`: what an app or the server calls to replicate from one peer to another.

/// The state that one session of a replication passes to the next: how often it was interrupted, and what failed.
struct RetryState: Hashable, Sendable {
    var interruptions = Interruptions()
    var failures = RevisionFailures()
    /// The counts of earlier runs, by the log that the first session read; nil before that.
    var countsBefore: ReplicationCounts?
}

/// Copies the documents of one peer to another by CouchDB's replication algorithm. Push and pull use it alike.
///
/// It may be interrupted at any moment, at either end. The next run begins at the newest checkpoint of both peers, and
/// finds the revisions that are still missing. A revision is identified by its id and hash, so none is written twice. A
/// sequence becomes a checkpoint only after the target has every revision before it, or the log lists the revision as
/// outstanding, so none is lost.
///
/// ```
/// scout: reads changes ──▶ reader: reads missing revisions ──▶ writer: writes them, and checkpoints
/// ```
///
/// The three stages run at the same time, each at most one page ahead of the next.
public struct Replication: Sendable {
    /// The peer that is read.
    public let source: any ReplicationPeer
    /// The peer that is written.
    public let target: any ReplicationPeer
    /// Selects the documents, and how the replication runs.
    public let options: Options
    /// The delays and the clock.
    public let pacing: ReplicationPacing
    /// The state that its runs share, for a program that runs it repeatedly; nil if each run starts without one.
    package var retryMemory: RetryMemory?

    /// The state that replications between the same two peers share: interruptions, and the revisions that a peer fails
    /// at.
    package final class RetryMemory: Sendable {
        fileprivate let state = Mutex(RetryState())

        /// Makes an empty one.
        package init() {}
    }

    /// Selects the documents of a replication, and how it runs.
    public struct Options: Hashable, Sendable {
        /// The documents that are replicated.
        public var filter = ReplicationFilter.all
        /// Whether only the winning revision of each document is replicated, without its conflicts.
        public var takesWinnersOnly = false
        /// The source's sequence after which changes are replicated; nil for all.
        public var since: PeerSequence?
        /// Whether checkpoints are written to both peers. If not, each run begins anew.
        public var keepsLogs = true
        /// Whether to wait for further changes at the end.
        public var isContinuous = false
        /// Whether to make the target's database if it does not exist.
        public var createsTarget = false
        /// Whether to begin with a snapshot if the target is empty and the source has one.
        public var takesSnapshot = true
        /// The largest number of changes in a page.
        public var pageLimit = 1_000
        /// The approximate number of document bytes in a batch.
        public var batchBytes = 2 << 20

        /// The defaults of every property.
        public init() {}
    }

    /// Makes a replication between two peers. It starts with `run` or `progress`.
    public init(
        from source: any ReplicationPeer, to target: any ReplicationPeer, options: Options = Options(),
        pacing: ReplicationPacing = ReplicationPacing()
    ) {
        self.source = source
        self.target = target
        self.options = options
        self.pacing = pacing
    }

    /// Runs until every change is replicated; without end if the replication is continuous and the pacing persists.
    /// Cancelling the task ends it.
    ///
    /// - Parameter report: receives the progress, in order. The replication waits for it.
    /// - Returns: the last progress.
    /// - Throws: `ReplicationError` for a permanent fault, or for a passing one that outlasts the attempts;
    ///   `CancellationError`.
    @discardableResult
    public func run(
        report: @escaping @Sendable (ReplicationProgress) -> Void = { _ in }
    ) async throws -> ReplicationProgress {
        var progress = ReplicationProgress()
        var retryState = retryMemory?.state.withLock { $0 } ?? RetryState()
        defer { retryMemory?.state.withLock { [retryState] in $0 = retryState } }
        while true {
            let session = ReplicationSession(replication: self, report: report, before: progress, after: retryState)
            do {
                let done = try await session.run()
                retryState = session.retryState
                return done
            } catch let error as ReplicationError where error.isPassing {
                try Task.checkCancellation()
                progress = session.progress
                retryState = session.retryState
                if let seconds = session.quietSeconds, seconds >= pacing.longestDelaySeconds {
                    retryState.interruptions.noteProgress()
                }
                retryState.interruptions.noteCut()
                let failures = retryState.interruptions.failures
                let isForEver = options.isContinuous && pacing.persists
                guard isForEver || failures < pacing.attempts else { throw error }
                var seconds = pacing.delaySeconds(afterFailures: failures)
                if case .busy(_, let asked?) = error { seconds = max(seconds, min(asked, pacing.longestDelaySeconds)) }
                progress.state = .waiting(seconds: seconds, after: error)
                report(progress)
                try await pacing.sleep(seconds)
            }
        }
    }

    /// Reads the target's log of this replication; nil if it has none.
    package func log() async throws -> ReplicationLog? {
        let id = ReplicationSession.logID(
            try await source.information().identity, try await target.information().identity, options)
        return try await target.log(id)
    }

    /// Runs as `run` does, and returns the progress as a stream. The replication ends when the reader stops. A slow
    /// reader misses some elements, but never the last.
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

/// The progress of a replication, and its present state.
public struct ReplicationProgress: Hashable, Sendable {
    /// The present state.
    public var state = State.running
    /// The counts since the start, of all attempts together.
    public var counts = ReplicationCounts()
    /// The source's sequence up to which the target has everything but refused revisions; nil before that is known.
    public var sequence: PeerSequence?
    /// The number of changes that are still to come; nil if the source does not report it.
    public var pending: Int?
    /// The newest refusals of revisions by the target, at most `refusalLimit`.
    public var refusals: [WriteRefusal] = []

    /// The largest number of refusals in `refusals`.
    public static let refusalLimit = 20

    /// The state of a replication.
    public enum State: Hashable, Sendable {
        /// It copies documents.
        case running
        /// The target has everything but refused revisions; the replication waits for changes.
        case idle
        /// It was interrupted, and tries again after some seconds.
        case waiting(seconds: Double, after: ReplicationError)
        /// The target has everything but refused revisions; the replication has ended.
        case completed
    }

    public init() {}
}
