public import MusterCore
import MusterWire

/// A peer's checkpoints of the replications between it and another peer, in CouchDB's form (`_local/…`). Changes before
/// a checkpoint that both peers have need not be replicated again.
public struct ReplicationLog: Hashable, Sendable {
    /// The revision of the stored document; nil before the first write.
    public var revision: String?
    /// The newest sessions, newest first, at most `historyLimit`.
    public var history: [Session]
    /// Revisions before the newest checkpoint that the target lacks, because a peer failed at them. Only the target's
    /// log is used, because a write to the target and the removal from its list are one step.
    public var outstanding: [DocumentRevisions]

    /// The largest number of sessions in a log, as in CouchDB.
    public static let historyLimit = 50

    /// A run of a replication.
    public struct Session: Hashable, Sendable {
        /// A random id.
        public var id: String
        /// The time of its start.
        public var startedAt: Instant
        /// The time of its last checkpoint.
        public var endedAt: Instant
        /// The source's sequence at which it began.
        public var start: PeerSequence
        /// The source's sequence up to which the target has everything but outstanding revisions.
        public var recorded: PeerSequence
        /// The counts of this session and of those that it continues, as CouchDB counts them.
        public var counts: ReplicationCounts
        /// Whether the checkpoint is a mark within a snapshot.
        public var isInSnapshot: Bool

        /// A run of a replication.
        public init(
            id: String, startedAt: Instant, endedAt: Instant, start: PeerSequence, recorded: PeerSequence,
            counts: ReplicationCounts, isInSnapshot: Bool = false
        ) {
            self.id = id
            self.startedAt = startedAt
            self.endedAt = endedAt
            self.start = start
            self.recorded = recorded
            self.counts = counts
            self.isInSnapshot = isInSnapshot
        }
    }

    /// Makes a log of sessions, newest first.
    public init(revision: String? = nil, history: [Session] = [], outstanding: [DocumentRevisions] = []) {
        self.revision = revision
        self.history = history
        self.outstanding = outstanding
    }

    /// Adds a session, in place of an earlier checkpoint of it.
    mutating func record(_ session: Session) {
        history.removeAll { $0.id == session.id }
        history.insert(session, at: 0)
        history.removeLast(max(0, history.count - Self.historyLimit))
    }

    /// The newest session of both peers' logs, with the sequence up to which both have everything; nil if they share
    /// none.
    ///
    /// If the two logs differ about a session, one peer was restored from a backup or missed the last checkpoint: the
    /// smaller sequence holds for both.
    static func commonAncestor(source: ReplicationLog?, target: ReplicationLog?) -> Session? {
        guard let source, let target else { return nil }
        for session in source.history {
            guard let twin = target.history.first(where: { $0.id == session.id }) else { continue }
            guard let left = session.recorded.number, let right = twin.recorded.number else { return session }
            return left <= right ? session : twin
        }
        return nil
    }
}

/// The number of revisions that a replication has looked at and copied.
public struct ReplicationCounts: Hashable, Sendable {
    /// Revisions that the source listed, and that the target was asked about.
    public var checked: Int64 = 0
    /// Revisions that the target lacked.
    public var missing: Int64 = 0
    /// Revisions that were read from the source.
    public var read: Int64 = 0
    /// Revisions that were written to the target.
    public var written: Int64 = 0
    /// Revisions that the target refused.
    public var refused: Int64 = 0

    public init() {}

    /// The sums of both.
    package static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum.checked += right.checked
        sum.missing += right.missing
        sum.read += right.read
        sum.written += right.written
        sum.refused += right.refused
        return sum
    }
}

extension ReplicationLog {
    /// Parses a peer's log. A member that is malformed counts as absent, and so does a malformed log.
    package init(parsing json: [UInt8]) {
        self.init()
        guard let value = try? JSONValue(parsing: json) else { return }
        revision = value["_rev"]?.string
        outstanding = (value["outstanding"]?.members ?? []).map { member in
            let revisions = (member.value.elements ?? []).compactMap { $0.string.flatMap { Revision($0) } }
            return DocumentRevisions(id: member.key, revisions: revisions)
        }
        history = (value["history"]?.elements ?? []).prefix(Self.historyLimit).compactMap(Session.init)
        if history.isEmpty, let id = value["session_id"]?.string, let recorded = value["source_last_seq"] {
            let epoch = Instant(milliseconds: 0)
            history = [
                Session(
                    id: id, startedAt: epoch, endedAt: epoch, start: .start, recorded: PeerSequence(recorded),
                    counts: ReplicationCounts())
            ]
        }
    }

    /// The log as a JSON object, with `_id` and `_rev` if an id is given.
    package func json(id: String? = nil) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        if let id {
            writer.key("_id")
            writer.value("_local/" + id)
            if let revision {
                writer.key("_rev")
                writer.value(revision)
            }
        }
        writer.key("session_id")
        writer.value(history.first?.id ?? "")
        writer.key("source_last_seq")
        writer.raw((history.first?.recorded ?? .start).json)
        writer.key("replication_id_version")
        writer.value(3)
        writer.key("history")
        writer.raw(historyText)
        if !outstanding.isEmpty {
            writer.key("outstanding")
            writer.beginObject()
            for document in outstanding {
                writer.key(document.id)
                writer.beginArray()
                for revision in document.revisions { writer.value(revision.text) }
                writer.endArray()
            }
            writer.endObject()
        }
        writer.endObject()
        return writer.takeBytes()
    }

    /// The sessions as a JSON array.
    package var historyText: String {
        var writer = JSONWriter()
        writer.beginArray()
        for session in history { session.write(to: &writer) }
        writer.endArray()
        return String(decoding: writer.takeBytes(), as: UTF8.self)
    }
}

extension ReplicationLog.Session {
    /// Whether this is the same session, with an equal or later checkpoint.
    func isAtLeast(_ other: Self) -> Bool {
        guard id == other.id else { return false }
        guard let number = recorded.number, let otherNumber = other.recorded.number else {
            return recorded == other.recorded
        }
        return number >= otherNumber
    }

    fileprivate init?(_ value: JSONValue) {
        guard let id = value["session_id"]?.string, let recorded = value["recorded_seq"] else { return nil }
        var counts = ReplicationCounts()
        counts.checked = value["missing_checked"]?.integer ?? 0
        counts.missing = value["missing_found"]?.integer ?? 0
        counts.read = value["docs_read"]?.integer ?? 0
        counts.written = value["docs_written"]?.integer ?? 0
        counts.refused = value["doc_write_failures"]?.integer ?? 0
        func instant(_ key: String) -> Instant {
            let text = value[key]?.string
            // Logs of earlier versions of Muster have RFC 3339 times.
            return text.flatMap { Instant(httpDate: $0) ?? (try? Instant(rfc3339: $0)) } ?? Instant(milliseconds: 0)
        }
        self.init(
            id: id, startedAt: instant("start_time"), endedAt: instant("end_time"),
            start: value["start_last_seq"].map { PeerSequence($0) } ?? .start, recorded: PeerSequence(recorded),
            counts: counts, isInSnapshot: value["snapshot"]?.boolean ?? false)
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("session_id")
        writer.value(id)
        writer.key("start_time")
        writer.value(startedAt.httpDate)
        writer.key("end_time")
        writer.value(endedAt.httpDate)
        writer.key("start_last_seq")
        writer.raw(start.json)
        writer.key("end_last_seq")
        writer.raw(recorded.json)
        writer.key("recorded_seq")
        writer.raw(recorded.json)
        writer.key("missing_checked")
        writer.value(counts.checked)
        writer.key("missing_found")
        writer.value(counts.missing)
        writer.key("docs_read")
        writer.value(counts.read)
        writer.key("docs_written")
        writer.value(counts.written)
        writer.key("doc_write_failures")
        writer.value(counts.refused)
        if isInSnapshot {
            writer.key("snapshot")
            writer.value(true)
        }
        writer.endObject()
    }
}

extension PeerSequence {
    init(_ value: JSONValue) { self.init(json: String(decoding: value.bytes, as: UTF8.self)) }
}
