import HTTPTypes
import Hummingbird
import MusterCore
import MusterServer
import MusterWire
import NIOCore

/// Routes that read one document.
struct CouchDocumentRoutes: CouchRoutes {
    func register(in routes: inout CouchRouteTable) {
        for path in ["/{db}/{document}", "/{db}/_design/{document}"] {
            routes.add(.get, path, "Get a document.") { try await Self.showDocument($0) }
            routes.add(.head, path, "Check that a document exists, and get its revision.") {
                try await Self.showDocument($0)
            }
        }
    }

    private static func showDocument(_ call: CouchCall) async throws -> Response {
        let id = try call.documentID()
        if id.hasPrefix(DocumentID.localPrefix) { return try await CouchLocalRoutes.show(call, id) }
        try DocumentID.checkForm(of: id)
        let database = try call.database(in: call.access()) { access, database in
            access.mayRead(database)
                || (database.kind == .users && id == CouchUserDocuments.id(of: access.principal.name))
        }
        guard let scope = database.scope else { return try CouchUserDocuments.show(call, id) }
        let wanted = try DocumentReadOptions(call.query)
        if let revisions = try CouchOpenRevisions(call.query, latest: wanted.latest) {
            return try await showOpenRevisions(revisions, wanted.ofSeveral, of: id, in: scope, call)
        }
        if id.hasPrefix(DocumentID.designPrefix), wanted.revision == nil,
            let design = try await call.coordinator.readDocuments({ try IndexDesign(id, in: database, $0) })
        {
            return design.response
        }
        let takesParts = wanted.attachments && call.accepts("multipart/related")
        let (found, inline) = try await call.coordinator.readDocuments { reader in
            let found = try wanted.find(id, in: scope, reader)
            return (found, takesParts && found.hasWantedFiles(wanted) ? nil : try found.text(wanted, reader))
        }
        guard let text = inline else { return try CouchMultipart.related(found, wanted, call) }
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

    private static func showOpenRevisions(
        _ open: CouchOpenRevisions, _ wanted: DocumentReadOptions, of id: String, in scope: DatabaseScope,
        _ call: CouchCall
    ) async throws -> Response {
        if call.accepts("multipart/mixed") {
            let found = try await call.coordinator.readDocuments { try open.find(id, in: scope, $0) }
            return try CouchMultipart.mixed(found, wanted, call)
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
        let start = segments.first.map { $0 == CouchRouteTable.prefix.dropFirst() } == true ? 2 : 1
        guard segments.count > start + 1, segments[start] == "_design" || segments[start] == "_local" else { return id }
        return "\(segments[start])/\(id)"
    }
}
