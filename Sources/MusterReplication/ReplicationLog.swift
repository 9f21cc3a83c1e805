public import MusterCore
import MusterWire

/// What a peer remembers of replications between it and another, as CouchDB writes it (`_local/…`): what both
/// remember alike is what need not be replicated again.
public struct ReplicationLog: Hashable, Sendable {
    /// The revision it is kept under; nil while it was never kept.
    public var revision: String?
    /// The last session, newest first, at most `historyLimit`.
    public var history: [Session]
    /// Revisions that the newest session is past and that are not at the target: a peer failed at them, and they may be
    /// had later. Only a target's log is believed: what came since is there, and gone from here, in one.
    public var outstanding: [DocumentRevisions]

    /// How many sessions are remembered: CouchDB's own number.
    public static let historyLimit = 50

    /// One run of a replication.
    public struct Session: Hashable, Sendable {
        /// What it is known by.
        public var id: String
        /// When it began.
        public var startedAt: Instant
        /// When this was written.
        public var endedAt: Instant
        /// Where it began in the source.
        public var start: PeerSequence
        /// Up to where everything is at the target but what is outstanding.
        public var recorded: PeerSequence
        /// How many revisions went which way in this session and those that it builds on, as CouchDB counts them.
        public var counts: ReplicationCounts
        /// Whether a snapshot was being taken, and had not come to its end.
        public var isInSnapshot: Bool

        /// One run of a replication.
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

    /// A log of sessions, newest first.
    public init(revision: String? = nil, history: [Session] = [], outstanding: [DocumentRevisions] = []) {
        self.revision = revision
        self.history = history
        self.outstanding = outstanding
    }

    /// Writes a session down, in place of what was written of it before.
    mutating func record(_ session: Session) {
        history.removeAll { $0.id == session.id }
        history.insert(session, at: 0)
        history.removeLast(max(0, history.count - Self.historyLimit))
    }

    /// The newest session that both peers remember, by their logs, and with it up to where both have everything; nil
    /// where they share none.
    ///
    /// Where the two say different things of one session, one of them was set back, by a backup say, or was not told
    /// the last of it; the lesser is true of both.
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

/// How many revisions a replication has looked at and moved.
public struct ReplicationCounts: Hashable, Sendable {
    /// Revisions that the target was asked about.
    public var checked: Int64 = 0
    /// Those that it did not have.
    public var missing: Int64 = 0
    /// Those that were read from the source.
    public var read: Int64 = 0
    /// Those that were written to the target.
    public var written: Int64 = 0
    /// Those that the target will not have.
    public var refused: Int64 = 0

    /// Nothing yet.
    public init() {}

    /// All of both.
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
    /// Reads a log as a peer keeps it; what cannot be read is as if it were not there, and so is the log then.
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

    /// The text of a JSON object, with `_id` and `_rev` where an id is given.
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

    /// The sessions as the text of a JSON array.
    package var historyText: String {
        var writer = JSONWriter()
        writer.beginArray()
        for session in history { session.write(to: &writer) }
        writer.endArray()
        return String(decoding: writer.takeBytes(), as: UTF8.self)
    }
}

extension ReplicationLog.Session {
    /// Whether this is what is remembered of the same session, and as far or farther.
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
            // Logs that Muster wrote before have RFC 3339.
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
    /// A sequence as it stands in JSON.
    init(_ value: JSONValue) { self.init(json: String(decoding: value.bytes, as: UTF8.self)) }
}
