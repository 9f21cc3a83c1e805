import MusterCore
import MusterDocuments
import MusterServer
import MusterWire

/// The local documents of a database as `_local_docs` lists them. As in CouchDB, the list has no count.
struct LocalRows: ListedRows {
    /// The database that stores them; nil if there is none to list.
    private let database: DatabaseNumber?

    /// - Parameter locals: where the documents are stored. The local documents of a principal that may only read the
    ///   database are not listed.
    init(in locals: LocalDocumentKey?) { database = locals?.isReader == false ? locals?.database : nil }

    func narrow(_ listing: inout CouchListing) { listing.keepLocals() }

    func count(_ reader: any DocumentReader) throws -> Int? { nil }

    func newest(_ reader: any DocumentReader) throws -> MusterCore.LogSequence? {
        try database.map { try reader.newest(in: .database($0)) }
    }

    func rows(in range: DocumentRange, _ reader: any DocumentReader) throws -> [LocalDocument] {
        try database.map { try reader.locals(in: $0, range) } ?? []
    }

    func row(_ id: String, _ reader: any DocumentReader) throws -> LocalDocument? {
        guard let database, id.hasPrefix(DocumentID.localPrefix) else { return nil }
        return try reader.local(String(id.dropFirst(DocumentID.localPrefix.count)), in: database)
    }

    func id(of row: LocalDocument) -> String { row.id }

    func write(
        _ local: LocalDocument, as listing: CouchListing, to writer: inout JSONWriter, _ reader: any DocumentReader
    ) {
        let id = DocumentID.localPrefix + local.id
        writer.beginObject()
        writer.member("id", id)
        writer.member("key", id)
        writer.key("value")
        writer.beginObject()
        writer.member("rev", "0-\(local.revision)")
        writer.endObject()
        if listing.includesDocuments {
            writer.key("doc")
            writer.local(local, local.id)
        }
        writer.endObject()
    }
}

extension CouchListing {
    /// Restricts the listing to local documents, and removes `_local/` from the bounds of its range.
    fileprivate mutating func keepLocals() {
        let prefix = Array(DocumentID.localPrefix.utf8)
        func rest(_ id: String) -> String { String(decoding: id.utf8.dropFirst(prefix.count), as: UTF8.self) }
        if let lower = range.lower {
            if lower.utf8.starts(with: prefix) {
                range.lower = rest(lower)
            } else {
                isEmpty = isEmpty || prefix.lexicographicallyPrecedes(lower.utf8)
                range.lower = nil
                range.includesLower = true
            }
        }
        if let upper = range.upper {
            if upper.utf8.starts(with: prefix) {
                range.upper = rest(upper)
            } else {
                isEmpty = isEmpty || upper.utf8.lexicographicallyPrecedes(prefix)
                range.upper = nil
                range.includesUpper = true
            }
        }
    }
}
