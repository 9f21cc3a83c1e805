package import MusterCore

/// Reads documents in one snapshot of the file. A reader is valid only inside the closure that received it.
///
/// Ids are ordered by their bytes. Reads block, so the caller never calls them on the cooperative pool. Every function
/// throws `DatabaseError` if SQLite fails, and `CodecError` if stored bytes are damaged.
package protocol DocumentReader: AnyObject {
    /// The number of the newest change in this snapshot.
    var lastSequence: LogSequence { get }

    /// Returns the databases that clients made, in the order of their numbers.
    func databases() throws -> [StoredDatabase]

    /// Returns the number and the size of the documents in a scope.
    func counts(in scope: DatabaseScope) throws -> DocumentCounts

    /// Counts the documents, deleted ones included, whose id begins with a prefix. In the union it counts only
    /// documents that have their own ids there. Complexity: O(documents with the prefix).
    func count(idPrefix: String, in scope: DatabaseScope) throws -> Int

    /// Returns the number of the documents in a database whose id begins with a prefix, and the size of their winners'
    /// JSON without attachments. Complexity: O(documents with the prefix).
    func counts(ofIDPrefix prefix: String, in database: DatabaseNumber) throws -> DocumentCounts

    /// Returns a document with the body of its winner; nil if there is none.
    func document(_ id: String, in scope: DatabaseScope) throws -> StoredDocument?
    /// Returns, for each request and in the order of the requests, the revisions that the database does not have
    /// (`_revs_diff`).
    func missing(_ wanted: [WantedRevisions], in scope: DatabaseScope) throws -> [MissingRevisions]
    /// Returns the body of a revision; nil if the body never arrived or `compact` deleted it.
    func body(of revision: Revision, of id: String, in scope: DatabaseScope) throws -> DocumentBody?

    /// Returns the documents of a range whose winner is not deleted, in the order of their ids.
    func documents(in scope: DatabaseScope, _ range: DocumentRange) throws -> [StoredDocument]

    /// Returns documents in the order of the change that last touched each: those after `since`, ascending; or, if
    /// `isDescending`, those up to and including `since`, newest first. At most `limit`.
    func changes(
        in scope: DatabaseScope, since: LogSequence, isDescending: Bool, withBodies: Bool, limit: Int
    ) throws -> [StoredDocument]
    /// Counts the documents that a change after `since` touched last.
    func pendingChanges(in scope: DatabaseScope, since: LogSequence) throws -> Int

    /// Returns the indexes of a database, ordered by design document and name.
    func indexes(in database: DatabaseNumber) throws -> [StoredIndex]
    /// Returns the entries of an index in a range of keys, in the index's order or backwards, beginning after `entry`.
    /// At most `limit`.
    func entries(
        of index: StoredIndex, in range: KeyRange, after entry: IndexEntry?, isDescending: Bool, limit: Int
    ) throws -> [IndexEntry]

    /// Returns a local document (`_local/…`), which is never replicated; nil if there is none.
    func local(_ id: String, in database: DatabaseNumber) throws -> LocalDocument?
    /// Returns local documents in the order of their ids. The range holds ids without `_local/`.
    func locals(in database: DatabaseNumber, _ range: DocumentRange) throws -> [LocalDocument]

    /// Returns part of an attachment's bytes: empty at its end, nil if there is no such attachment.
    ///
    /// - Parameters:
    ///   - key: the SHA-256 digest of the whole attachment.
    ///   - offset: where the part begins, in bytes.
    ///   - limit: the largest number of bytes to return.
    func bytes(of key: [UInt8], from offset: Int64, limit: Int) throws -> [UInt8]?
}

extension DocumentReader {
    package func missing(_ wanted: [WantedRevisions], in scope: DatabaseScope) throws -> [MissingRevisions] {
        try wanted.map { MissingRevisions($0, in: try document($0.id, in: scope)?.tree) }
    }
}

/// The revisions of a document that a peer has.
package struct WantedRevisions: Hashable, Sendable {
    package var id: String
    package var revisions: [Revision]

    package init(id: String, revisions: [Revision]) {
        self.id = id
        self.revisions = revisions
    }
}

/// The revisions of a peer's document that the database does not have.
package struct MissingRevisions: Hashable, Sendable {
    package var missing: [Revision]
    /// Stored leaves that may be ancestors of a missing revision.
    package var possibleAncestors: [Revision]

    /// Compares the wanted revisions with a tree; nil if there is no document.
    package init(_ wanted: WantedRevisions, in tree: RevisionTree?) {
        missing = tree?.missing(wanted.revisions) ?? wanted.revisions
        possibleAncestors = missing.isEmpty ? [] : tree?.possibleAncestors(of: missing) ?? []
    }
}

/// The number of documents and the bytes that they take.
package struct DocumentCounts: Hashable, Sendable {
    /// The number of documents whose winner is not deleted.
    package var living: Int
    /// The number of documents whose winner is a deletion.
    package var deleted: Int
    /// The bytes of the winners' JSON, and of their attachments.
    package var bytes: Int64
    /// The bytes of other revisions' JSON, and of their attachments. These are conflicts, and revisions that were
    /// edited since the last `compact`. Not counted for the union of all locations.
    package var keptBytes: Int64

    package init(living: Int = 0, deleted: Int = 0, bytes: Int64 = 0, keptBytes: Int64 = 0) {
        self.living = living
        self.deleted = deleted
        self.bytes = bytes
        self.keptBytes = keptBytes
    }

    /// The bytes of all stored revisions.
    package var storedBytes: Int64 { bytes + keptBytes }
}

/// A range of document ids, with the order and the number of documents to read.
package struct DocumentRange: Hashable, Sendable {
    /// The lower bound; nil for none.
    package var lower: String?
    /// Whether a document with the id `lower` is in the range.
    package var includesLower: Bool
    /// The upper bound; nil for none.
    package var upper: String?
    /// Whether a document with the id `upper` is in the range.
    package var includesUpper: Bool
    /// Whether the reader returns the highest ids first.
    package var isDescending: Bool
    /// Whether the reader returns the winners' bodies too.
    package var withBodies: Bool
    /// The largest number of documents to return.
    package var limit: Int

    package init(
        lower: String? = nil, includesLower: Bool = true, upper: String? = nil, includesUpper: Bool = true,
        isDescending: Bool = false, withBodies: Bool = false, limit: Int
    ) {
        self.lower = lower
        self.includesLower = includesLower
        self.upper = upper
        self.includesUpper = includesUpper
        self.isDescending = isDescending
        self.withBodies = withBodies
        self.limit = limit
    }

    /// Restricts the range to the documents of a partition: those whose ids begin with its name and a colon.
    package mutating func narrow(to partition: String) {
        let (first, end) = (partition + ":", partition + ";")
        if lower.map({ $0.utf8.lexicographicallyPrecedes(first.utf8) }) ?? true {
            (lower, includesLower) = (first, true)
        }
        if upper.map({ end.utf8.lexicographicallyPrecedes($0.utf8) }) ?? true { (upper, includesUpper) = (end, false) }
    }

    /// Restricts the range to what follows a document in the order of reading.
    package mutating func advance(past id: String) {
        if isDescending {
            upper = id
            includesUpper = false
        } else {
            lower = id
            includesLower = false
        }
    }
}

/// A local document (`_local/…`), which is never replicated. Peers keep their replication checkpoints in them.
package struct LocalDocument: Hashable, Sendable {
    /// The id without `_local/`.
    package var id: String
    /// The number of times the document was written; its revision is `0-` and this number.
    package var revision: Int64
    /// The text of one JSON object, in UTF-8.
    package var json: [UInt8]

    package init(id: String, revision: Int64, json: [UInt8]) {
        self.id = id
        self.revision = revision
        self.json = json
    }
}
