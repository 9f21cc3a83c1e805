import MusterCore
import MusterReplication
import MusterWire

/// A replication that runs, or that waits before it tries again.
struct ReplicationJob: Sendable {
    /// The order that the job carries out.
    let order: ReplicationOrder
    /// The document that contains the order; nil for an order of `_replicate`.
    let document: DocumentName?
    /// The user who gave the order. The job runs by this user's rights.
    let user: UserNumber
    /// When the job began.
    let startedAt: Instant
    /// The last reported progress.
    var progress = ReplicationProgress()
    /// When the progress was last reported.
    var reportedAt: Instant
    /// The number of interruptions.
    var failures = 0
    /// Cancels the job's task.
    let cancel: @Sendable () -> Void

    /// A version of a document that contains an order.
    struct DocumentName: Hashable, Sendable {
        var id: String
        /// The revision that was read.
        var revision: Revision
    }

    init(
        _ order: ReplicationOrder, document: DocumentName?, by user: UserNumber, startedAt: Instant,
        cancel: @escaping @Sendable () -> Void
    ) {
        self.order = order
        self.document = document
        self.user = user
        self.startedAt = startedAt
        reportedAt = startedAt
        self.cancel = cancel
    }

    /// Records reported progress.
    mutating func recordProgress(_ progress: ReplicationProgress, at moment: Instant) {
        if case .waiting = progress.state { failures += 1 }
        self.progress = progress
        reportedAt = moment
    }

    /// The job's state, as CouchDB names it.
    var state: ScheduledState {
        if case .waiting = progress.state { .crashing } else { .running }
    }
}

/// The states of a replication that a document orders. The names are CouchDB's.
enum ScheduledState: String, Sendable {
    /// The replication waits for its turn, because `Replicator.jobLimit` others run.
    case pending
    /// The replication runs, or has transferred everything and waits for changes.
    case running
    /// The replication was interrupted, and tries again.
    case crashing
    /// The replication has transferred everything. This state is written into the document.
    case completed
    /// The replication cannot succeed. This state is written into the document.
    case failed
}

extension JSONWriter {
    /// Writes the members that count what was transferred.
    mutating func counts(of progress: ReplicationProgress) {
        member("revisions_checked", progress.counts.checked)
        member("missing_revisions_found", progress.counts.missing)
        member("docs_read", progress.counts.read)
        member("docs_written", progress.counts.written)
        member("doc_write_failures", progress.counts.refused)
        if let pending = progress.pending { member("changes_pending", pending) }
        key("checkpointed_source_seq")
        raw(progress.sequence?.json ?? "null")
    }
}
