import HTTPTypes
import Hummingbird
import MusterCore
import MusterServer
import NIOCore

/// The route `_snapshot`: all documents as one stream.
struct CouchSnapshotRoutes: CouchRoutes {
    let feeds: LogFeeds

    func register(in routes: inout CouchRouteTable) {
        routes.add(
            .get, "/{db}/_snapshot",
            "Get all documents as lines of JSON, for a first replication; `since` continues after a mark."
        ) { try await sendSnapshot($0) }
    }

    private func sendSnapshot(_ call: CouchCall) async throws -> Response {
        let database = try call.readable()
        guard let principal = call.principal else { throw IdentityError.missing }
        guard database.scope != nil else { throw CouchError.forbidden("Users are not replicated.") }
        let home = try await StoredDatabaseHome(database, by: principal.user, call.coordinator, feeds)
        // A client that was interrupted continues after the last sequence (`last_seq`) that it received.
        let mark = try call.query.text("since").flatMap { text in try FeedTerms.sequence(text) }
        let answer = SnapshotAnswer(home, since: mark ?? .zero)
        let isPacked = (call.request.headers[.acceptEncoding] ?? "").contains("gzip")
        var headers: HTTPFields = [.contentType: "application/x-ndjson"]
        if isPacked { headers[.contentEncoding] = "gzip" }
        let coordinator = call.coordinator
        return Response(
            status: .ok, headers: headers,
            body: ResponseBody { writer in
                var answer = answer
                var packing = isPacked ? try GzipStream() : nil
                while !answer.isComplete {
                    let (advanced, bytes) = try await coordinator.page(of: answer)
                    answer = advanced
                    let piece = try packing?.pack(bytes, isLast: answer.isComplete) ?? ByteBuffer(bytes: bytes)
                    try await writer.write(piece)
                }
                packing = nil
                try await writer.finish(nil)
            })
    }
}
