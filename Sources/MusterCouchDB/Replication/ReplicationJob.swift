import MusterCore
import MusterReplication
import MusterServer
import MusterWire

/// A replication that runs, or waits to try again.
struct ReplicationJob: Sendable {
    /// What was ordered.
    let order: ReplicationOrder
    /// The document that orders it; nil for one of `_replicate`.
    let document: DocumentName?
    /// Who ordered it, and by whose right it goes on.
    let user: UserNumber
    /// When it began.
    let startedAt: Instant
    /// How it goes.
    var progress = ReplicationProgress()
    /// When it was last heard how it goes.
    var reportedAt: Instant
    /// How often it was cut off.
    var failures = 0
    /// Ends it.
    let cancel: @Sendable () -> Void

    /// A document as it was when it ordered the replication.
    struct DocumentName: Hashable, Sendable {
        /// The document's id.
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

    /// Notes how it goes.
    mutating func note(_ progress: ReplicationProgress, at moment: Instant) {
        if case .waiting = progress.state { failures += 1 }
        self.progress = progress
        reportedAt = moment
    }

    /// What CouchDB calls what it is doing.
    var state: ScheduledState {
        if case .waiting = progress.state { .crashing } else { .running }
    }
}

/// What becomes of a replication that a document orders, in CouchDB's words.
enum ScheduledState: String, Sendable {
    /// It waits for its turn: as many run as may.
    case pending
    /// It runs, or has done all and waits for changes.
    case running
    /// It was cut off, and tries again.
    case crashing
    /// All is done. Written into the document.
    case completed
    /// It cannot be done. Written into the document.
    case failed
}

extension JSONWriter {
    /// Writes the members that count what was moved.
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
