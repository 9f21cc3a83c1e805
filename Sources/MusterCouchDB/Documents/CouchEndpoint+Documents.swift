import HTTPTypes
import Hummingbird
import MusterCore
import MusterDocuments
import MusterServer
import MusterWire
import NIOCore

/// Routes that read one document.
extension CouchEndpoint {
    func addDocuments(to routes: inout RouteTable) {
        for path in ["/{db}/{document}", "/{db}/_design/{document}"] {
            add(.get, path, "Get a document.", to: &routes) { try await Self.showDocument($0) }
            add(.head, path, "Check that a document exists, and get its revision.", to: &routes) {
                try await Self.showDocument($0)
            }
        }
    }

    private static func showDocument(_ call: CouchCall) async throws -> Response {
        let id = try call.documentID()
        if id.hasPrefix(DocumentID.localPrefix) { return try await showLocal(call, id) }
        try DocumentID.checkForm(of: id)
        let place = try call.database(in: call.coordinator.directory) { access, place in
            access.mayRead(place) || (place.kind == .users && id == userID(access.principal.name))
        }
        guard let scope = place.scope else { return try showUser(call, id) }
        let wanted = try DocumentReadOptions(call.query)
        if let revisions = try CouchOpenRevisions(call.query, latest: wanted.latest) {
            return try await showOpenRevisions(revisions, wanted.ofSeveral, of: id, in: scope, call)
        }
        if let design = try await indexDesign(id, wanted, in: place, call) { return design }
        let takesParts = wanted.attachments && call.accepts("multipart/related")
        let (found, inline) = try await call.coordinator.readDocuments { reader in
            let found = try Self.find(wanted, of: id, in: scope, reader)
            return (found, takesParts && found.hasWantedFiles(wanted) ? nil : try found.text(wanted, reader))
        }
        guard let text = inline else { return try Self.related(found, wanted, call) }
        let tag = "\"\(found.revision.text)\""
        var headers: HTTPFields = [.contentType: "application/json"]
        if wanted.isTagged {
            headers[.eTag] = tag
            headers[.cacheControl] = "must-revalidate"
            if call.request.headers[.ifNoneMatch]?.contains(tag) == true {
                return Response(status: .notModified, headers: headers)
            }
        }
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: text)))
    }

    /// Returns the revision that a query selects: the winner, unless the query names a revision.
    static func find(
        _ wanted: DocumentReadOptions, of id: String, in scope: DatabaseScope, _ reader: any DocumentReader
    ) throws -> FoundRevision {
        guard let document = try reader.document(id, in: scope) else { throw CouchError.missing }
        guard var revision = wanted.revision else {
            guard let winner = document.tree.winner else { throw CouchError.missing }
            guard !winner.isDeleted else { throw CouchError.deleted }
            let body = try document.body ?? reader.body(of: winner.revision, document, scope)
            return FoundRevision(document: document, node: winner, body: body, scope: scope)
        }
        if wanted.latest, let leaf = document.tree.leaves(from: revision).first { revision = leaf }
        guard let node = document.tree.node(revision), node.isKnown else { throw CouchError.missing }
        // A deletion is only returned to a client that names its revision.
        guard !node.isDeleted || revision == wanted.revision else { throw CouchError.deleted }
        guard let body = try reader.body(of: revision, of: id, in: scope) else { throw CouchError.missing }
        return FoundRevision(document: document, node: node, body: body, scope: scope)
    }

    private static func showOpenRevisions(
        _ open: CouchOpenRevisions, _ wanted: DocumentReadOptions, of id: String, in scope: DatabaseScope,
        _ call: CouchCall
    ) async throws -> Response {
        if call.accepts("multipart/mixed") {
            let found = try await call.coordinator.readDocuments { try open.find(id, in: scope, $0) }
            return try mixed(found, wanted, call)
        }
        let text = try await call.coordinator.readDocuments { reader in
            var writer = JSONWriter()
            writer.beginArray()
            for result in try open.find(id, in: scope, reader) {
                writer.beginObject()
                switch result {
                case .found(let found):
                    writer.key("ok")
                    writer.raw(try found.text(wanted, reader))
                case .missing(let revision): writer.member("missing", revision)
                }
                writer.endObject()
            }
            writer.endArray()
            return writer.bytes
        }
        return Response(
            status: .ok, headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(bytes: text)))
    }
}

extension CouchCall {
    /// Returns the id of the document in the path: `x`, `_design/x`, `_design%2Fx`.
    func documentID() throws(CouchError) -> String {
        let id = try parameter("document")
        let segments = request.uri.path.split(separator: "/")
        let start = segments.first.map { $0 == CouchEndpoint.prefix.dropFirst() } == true ? 2 : 1
        guard segments.count > start + 1, segments[start] == "_design" || segments[start] == "_local" else { return id }
        return "\(segments[start])/\(id)"
    }
}
