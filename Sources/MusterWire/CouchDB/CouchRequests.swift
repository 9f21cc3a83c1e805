package import MusterCore

/// What `_bulk_docs` is asked.
package struct CouchBulk: Sendable {
    /// The documents, and those that are refused.
    package var documents: [Result<CouchDocument, Refusal>] = []
    /// Whether they are edits made here, and not revisions of a peer's.
    package var areNewEdits = true
    /// Whether all are wanted or none.
    package var isAllOrNothing = false

    /// A document that is refused, and no other with it.
    package struct Refusal: Error {
        /// Its id.
        package var id: String
        /// Its revision as it was written; nil where it says none.
        package var revisionText: String?
        /// `JSONError`, `CouchDocumentError` or whatever else is wrong with it.
        package var fault: any Error

        /// A document that is refused.
        package init(id: String, revisionText: String?, fault: any Error) {
            self.id = id
            self.revisionText = revisionText
            self.fault = fault
        }
    }

    /// Reads `{"docs": […], "new_edits": true}`.
    ///
    /// - Throws: `JSONError`, `CouchDocumentError` for what is no such request, or a document whose id is not known.
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

    /// Reads one document; one that cannot be read is passed over.
    private static func document(_ reader: inout JSONReader) throws -> Result<CouchDocument, Refusal> {
        do {
            return .success(
                try reader.alone(depthLimit: CouchDocument.depthLimit) { try CouchDocument(reading: &$0) })
        } catch let fault as JSONError where !fault.reason.isOfOneValue {
            throw reader.fault(fault.reason, at: reader.offset + fault.offset)
        } catch {
            guard let name = try? CouchDocumentName(passingOver: &reader), let id = name.id else { throw error }
            return .failure(Refusal(id: id, revisionText: name.revisionText, fault: error))
        }
    }
}

/// What `_bulk_get` is asked.
package struct CouchWanted: Hashable, Sendable {
    /// Which document.
    package var id: String
    /// Which revision; nil: all leaves.
    package var revision: String?
    /// Revisions that the client has: files that came with one of these, or before, come without their bytes.
    package var attachmentsSince: [Revision] = []

    /// How many of those are looked at.
    private static let sinceLimit = 1_000

    /// Reads `{"docs": [{"id": …, "rev": …}]}`.
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

/// Revisions by document, as `_revs_diff`, `_missing_revs` and `_purge` are asked of.
package struct CouchRevisions: Hashable, Sendable {
    /// Which document.
    package var id: String
    /// Which revisions of it.
    package var revisions: [Revision]

    /// Revisions of a document.
    package init(id: String, revisions: [Revision]) {
        self.id = id
        self.revisions = revisions
    }

    /// Reads `{"id": ["1-…", …], …}`.
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
