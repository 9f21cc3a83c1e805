package import MusterCore

// The bodies of CouchDB's bulk requests: `_bulk_docs`, `_bulk_get`, `_revs_diff`, `_purge`.

/// The body of `POST _bulk_docs`.
package struct CouchBulk: Sendable {
    /// The documents in order, and the refusals of those that cannot be read.
    package var documents: [Result<CouchDocument, Refusal>] = []
    /// Whether the documents are edits. Otherwise they are revisions that another database made.
    package var areNewEdits = true
    /// Whether the client wants all documents to be stored or none.
    package var isAllOrNothing = false

    /// One document that is refused. The others of the request are not affected.
    package struct Refusal: Error {
        /// The document's id.
        package var id: String
        /// The value of `_rev`; nil if the document lacks it.
        package var revisionText: String?
        /// `JSONError`, `CouchDocumentError`, or another error of reading it.
        package var error: any Error

        package init(id: String, revisionText: String?, error: any Error) {
            self.id = id
            self.revisionText = revisionText
            self.error = error
        }
    }

    /// Parses `{"docs": […], "new_edits": true}`.
    ///
    /// - Throws: `JSONError` and `CouchDocumentError` if the body is malformed, has more than `limit` documents, or an
    ///   unreadable document whose id is unknown.
    package init(parsing bytes: UnsafeRawBufferPointer, limit: Int) throws {
        var reader = JSONReader(bytes, depthLimit: CouchDocument.depthLimit + 2)
        var hasDocuments = false
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "docs" {
                hasDocuments = true
                try reader.beginArray()
                while try reader.nextElement() {
                    guard documents.count < limit else { throw reader.fault(.tooMany(limit: limit)) }
                    documents.append(try Self.document(&reader))
                }
            } else if key == "new_edits" {
                areNewEdits = try reader.boolean()
            } else if key == "all_or_nothing" {
                isAllOrNothing = try reader.boolean()
            } else {
                try reader.skip()
            }
        }
        try reader.finish()
        guard hasDocuments else { throw CouchDocumentError.invalidBody("POST body must include `docs` parameter.") }
    }

    /// Parses one document. A fault in its value alone makes it a refusal, after which the next one can be parsed.
    private static func document(_ reader: inout JSONReader) throws -> Result<CouchDocument, Refusal> {
        do {
            return .success(
                try reader.alone(depthLimit: CouchDocument.depthLimit) { try CouchDocument(reading: &$0) })
        } catch let fault as JSONError where !fault.reason.isOfOneValue {
            throw reader.fault(fault.reason, at: reader.offset + fault.offset)
        } catch {
            guard let name = try? CouchDocumentName(passingOver: &reader), let id = name.id else { throw error }
            return .failure(Refusal(id: id, revisionText: name.revisionText, error: error))
        }
    }
}

/// A document that a client requests by `_bulk_get`.
package struct CouchWanted: Hashable, Sendable {
    /// The document's id.
    package var id: String
    /// The revision to return; nil for all leaves.
    package var revision: String?
    /// Revisions that the client has. Attachments that these or their ancestors have come without their bytes.
    package var attachmentsSince: [Revision] = []

    /// The largest number of revisions in `atts_since`.
    private static let sinceLimit = 1_000

    /// Parses `{"docs": [{"id": …, "rev": …}]}`.
    ///
    /// - Throws: `JSONError`, `CouchDocumentError`.
    package static func list(parsing bytes: UnsafeRawBufferPointer, limit: Int) throws -> [CouchWanted] {
        var reader = JSONReader(bytes)
        var list: [CouchWanted]?
        try reader.beginObject()
        while let key = try reader.nextKey() {
            guard key == "docs" else {
                try reader.skip()
                continue
            }
            var wanted: [CouchWanted] = []
            try reader.beginArray()
            while try reader.nextElement() {
                guard wanted.count < limit else { throw reader.fault(.tooMany(limit: limit)) }
                wanted.append(try CouchWanted(reading: &reader))
            }
            list = wanted
        }
        try reader.finish()
        guard let list else { throw CouchDocumentError.invalidBody("Missing JSON list of 'docs'.") }
        return list
    }

    private init(reading reader: inout JSONReader) throws {
        var id: String?
        var revision: String?
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch (key.string, try reader.peek()) {
            case ("id", .string): id = try reader.text().string
            case ("rev", .string): revision = try reader.text().string
            case ("atts_since", .array):
                try reader.beginArray()
                while try reader.nextElement() {
                    guard attachmentsSince.count < Self.sinceLimit else {
                        throw reader.fault(.tooMany(limit: Self.sinceLimit))
                    }
                    if try reader.peek() == .string, let revision = Revision(try reader.text()) {
                        attachmentsSince.append(revision)
                    } else {
                        throw CouchDocumentError.invalidRevision("")
                    }
                }
            default: try reader.skip()
            }
        }
        guard let id else { throw CouchDocumentError.illegalID("document id missed") }
        self.id = id
        self.revision = revision
    }
}

/// The revisions of one document in a request to `_revs_diff`, `_missing_revs` or `_purge`.
package struct CouchRevisions: Hashable, Sendable {
    /// The document's id.
    package var id: String
    package var revisions: [Revision]

    /// Makes an entry.
    package init(id: String, revisions: [Revision]) {
        self.id = id
        self.revisions = revisions
    }

    /// Parses `{"id": ["1-…", …], …}`. The limit counts the revisions of all documents.
    ///
    /// - Throws: `JSONError`, `CouchDocumentError`.
    package static func list(parsing bytes: UnsafeRawBufferPointer, limit: Int) throws -> [CouchRevisions] {
        var reader = JSONReader(bytes)
        var list: [CouchRevisions] = []
        var count = 0
        try reader.beginObject()
        while let key = try reader.nextKey() {
            let id = key.string
            var revisions: [Revision] = []
            try reader.beginArray()
            while try reader.nextElement() {
                count += 1
                guard count <= limit else { throw reader.fault(.tooMany(limit: limit)) }
                let text = try reader.text()
                guard let revision = Revision(text) else { throw CouchDocumentError.invalidRevision(text.string) }
                revisions.append(revision)
            }
            list.append(CouchRevisions(id: id, revisions: revisions))
        }
        try reader.finish()
        return list
    }
}
