package import MusterCore

/// What one look at the documents sees: all of it of one moment. Valid only inside the call that lent it.
///
/// Ids are ordered by their bytes. Reads block; never call them on the cooperative pool.
package protocol DocumentReader: AnyObject {
    /// The number of the newest change that this look sees.
    var lastSequence: LogSequence { get }

    /// The databases that someone made, in number order.
    func databases() throws -> [StoredDatabase]

    /// How many documents a scope has.
    func counts(in scope: DatabaseScope) throws -> DocumentCounts

    /// How many documents, deleted ones too, have an id that begins so; of the union, those that stand in it under
    /// their own ids.
    func count(idPrefix: String, in scope: DatabaseScope) throws -> Int

    /// How many documents of a database have an id that begins so, and how large they are. Complexity: O(documents).
    func counts(ofIDPrefix prefix: String, in database: DatabaseNumber) throws -> DocumentCounts

    /// A document, with what its winner says.
    func document(_ id: String, in scope: DatabaseScope) throws -> StoredDocument?
    /// Which of these revisions are not there (`_revs_diff`), in the order asked for.
    func missing(_ wanted: [WantedRevisions], in scope: DatabaseScope) throws -> [MissingRevisions]
    /// What a revision says; nil where that is not known, or is compacted away.
    func body(of revision: Revision, of id: String, in scope: DatabaseScope) throws -> DocumentBody?

    /// Documents whose winner lives, by id.
    func documents(in scope: DatabaseScope, _ range: DocumentRange) throws -> [StoredDocument]

    /// Documents by the number of the change that touched each last: those after `since`, ascending, or where
    /// `isDescending` those up to it, newest first. At most `limit`.
    func changes(
        in scope: DatabaseScope, since: LogSequence, isDescending: Bool, withBodies: Bool, limit: Int
    ) throws -> [StoredDocument]
    /// How many documents were touched after `since`.
    func pendingChanges(in scope: DatabaseScope, since: LogSequence) throws -> Int

    /// The indexes of a database, by design document and name.
    func indexes(in database: DatabaseNumber) throws -> [StoredIndex]
    /// Part of an index, in its order or backwards, behind an entry; at most `limit`.
    func entries(
        of index: StoredIndex, in range: KeyRange, after entry: IndexEntry?, isDescending: Bool, limit: Int
    ) throws -> [IndexEntry]

    /// A document that is never replicated.
    func local(_ id: String, in database: DatabaseNumber) throws -> LocalDocument?
    /// Documents that are never replicated, by id; the range is of their ids without `_local/`.
    func locals(in database: DatabaseNumber, _ range: DocumentRange) throws -> [LocalDocument]

    /// Part of an attachment's bytes; empty at its end, nil where there is no such attachment.
    ///
    /// - Parameter key: the SHA-256 digest of the whole.
    func bytes(of key: [UInt8], from offset: Int64, limit: Int) throws -> [UInt8]?
}

extension DocumentReader {
    package func missing(_ wanted: [WantedRevisions], in scope: DatabaseScope) throws -> [MissingRevisions] {
        try wanted.map { MissingRevisions($0, in: try document($0.id, in: scope)?.tree) }
    }
}

/// Revisions of a document that a peer has.
package struct WantedRevisions: Hashable, Sendable {
    /// The document's id.
    package var id: String
    /// The revisions.
    package var revisions: [Revision]

    package init(id: String, revisions: [Revision]) {
        self.id = id
        self.revisions = revisions
    }
}

/// Those of a peer's revisions of a document that are not there.
package struct MissingRevisions: Hashable, Sendable {
    /// Which.
    package var missing: [Revision]
    /// Leaves that a missing one may have been made from.
    package var possibleAncestors: [Revision]

    /// What a tree has not; nil for no document.
    package init(_ wanted: WantedRevisions, in tree: RevisionTree?) {
        missing = tree?.missing(wanted.revisions) ?? wanted.revisions
        possibleAncestors = missing.isEmpty ? [] : tree?.possibleAncestors(of: missing) ?? []
    }
}

/// How many documents there are.
package struct DocumentCounts: Hashable, Sendable {
    /// Those whose winner lives.
    package var living: Int
    /// Those whose winner says that they are no more.
    package var deleted: Int
    /// Bytes of what winners say, and of their attachments.
    package var bytes: Int64
    /// Bytes of what other revisions say that are kept, until `compact` and as conflicts, and of their attachments. Not
    /// counted for the union of all locations.
    package var keptBytes: Int64

    package init(living: Int = 0, deleted: Int = 0, bytes: Int64 = 0, keptBytes: Int64 = 0) {
        self.living = living
        self.deleted = deleted
        self.bytes = bytes
        self.keptBytes = keptBytes
    }

    /// Bytes that are stored of the documents, whichever revision says them.
    package var storedBytes: Int64 { bytes + keptBytes }
}

/// Which documents, by id.
package struct DocumentRange: Hashable, Sendable {
    /// The first id that may be; nil for any.
    package var lower: String?
    /// Whether `lower` itself may be.
    package var includesLower: Bool
    /// The last id that may be; nil for any.
    package var upper: String?
    /// Whether `upper` itself may be.
    package var includesUpper: Bool
    /// Whether from the last to the first.
    package var isDescending: Bool
    /// Whether what the winner says is wanted.
    package var withBodies: Bool
    /// At most so many.
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

    /// Leaves the documents of a partition: those whose ids begin with its name and a colon.
    package mutating func narrow(to partition: String) {
        let (first, end) = (partition + ":", partition + ";")
        if lower.map({ $0.utf8.lexicographicallyPrecedes(first.utf8) }) ?? true {
            (lower, includesLower) = (first, true)
        }
        if upper.map({ end.utf8.lexicographicallyPrecedes($0.utf8) }) ?? true { (upper, includesUpper) = (end, false) }
    }

    /// Goes on behind a document.
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

/// A document that is never replicated (`_local/…`): a peer's checkpoint.
package struct LocalDocument: Hashable, Sendable {
    /// Its id, without `_local/`.
    package var id: String
    /// How often it was written: its revision is `0-` and this.
    package var revision: Int64
    /// The text of one JSON object.
    package var json: [UInt8]

    package init(id: String, revision: Int64, json: [UInt8]) {
        self.id = id
        self.revision = revision
        self.json = json
    }
}
