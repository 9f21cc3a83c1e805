import HTTPTypes
import Hummingbird
import MusterCore
import MusterDocuments
import MusterServer
import MusterWire
import NIOCore

/// A CouchDB keeps its indexes in design documents. Here they lie beside the documents, and a client that reads the
/// design document that it made an index in is told what would stand there.
extension CouchEndpoint {
    /// The design document of some indexes; nil where a document of that id is stored, or there is no such index.
    static func indexDesign(
        _ id: String, _ wanted: DocumentReadOptions, in place: ResolvedDatabase, _ call: CouchCall
    ) async throws -> Response? {
        guard id.hasPrefix(DocumentID.designPrefix), wanted.revision == nil, let scope = place.scope else { return nil }
        let design = id.dropFirst(DocumentID.designPrefix.count)
        let indexes = try await call.coordinator.readDocuments { reader -> [IndexDefinition] in
            if let winner = try reader.document(id, in: scope)?.tree.winner, !winner.isDeleted { return [] }
            return try Self.indexes(of: place, reader).map(\.definition).filter { $0.design == design }
        }
        guard !indexes.isEmpty else { return nil }
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
