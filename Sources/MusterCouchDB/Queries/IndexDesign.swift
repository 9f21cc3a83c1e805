import HTTPTypes
import Hummingbird
import MusterCore
import MusterDocuments
import MusterServer
import MusterWire
import NIOCore

/// The design document in which CouchDB would keep some indexes. Muster stores indexes beside the documents, and makes
/// this one for a client that reads the design document in which it created an index.
struct IndexDesign: Sendable {
    private let id: String
    private let indexes: [IndexDefinition]

    /// Reads the indexes of a design document.
    ///
    /// - Parameter id: the document's id, which begins with `_design/`.
    /// - Returns: nil if a document with this id is stored, or the database has no such index.
    init?(_ id: String, in database: ResolvedDatabase, _ reader: any DocumentReader) throws {
        guard let scope = database.scope else { return nil }
        if let winner = try reader.document(id, in: scope)?.tree.winner, !winner.isDeleted { return nil }
        let design = id.dropFirst(DocumentID.designPrefix.count)
        let indexes = try reader.indexes(of: database).map(\.definition).filter { $0.design == design }
        guard !indexes.isEmpty else { return nil }
        self.id = id
        self.indexes = indexes
    }

    /// The HTTP response with the document.
    var response: Response {
        let body = JSONValue.object([
            .init("language", .string("query")),
            .init("views", .object(indexes.map { JSONValue.Member($0.name, $0.view) })),
        ])
        let revision = "1-" + Fingerprint.text(of: body.bytes)
        let document = JSONValue.object(
            [.init("_id", .string(id)), .init("_rev", .string(revision))] + (body.members ?? []))
        return Response(
            status: .ok, headers: [.contentType: "application/json", .eTag: "\"\(revision)\""],
            body: .init(byteBuffer: ByteBuffer(bytes: document.bytes)))
    }
}

extension IndexDefinition {
    /// The index as a view of a design document, in CouchDB's form.
    fileprivate var view: JSONValue {
        let direction = JSONValue.string(isDescending ? "desc" : "asc")
        let partial = partialSelector.flatMap { try? JSONValue(parsing: $0) }
        let map = JSONValue.object([
            .init("fields", .object(fields.map { .init($0.text, direction) })),
            .init("partial_filter_selector", partial ?? .object([])),
        ])
        let options = JSONValue.object([.init("def", definition)])
        return .object([.init("map", map), .init("reduce", .string("_count")), .init("options", options)])
    }
}
