import HTTPTypes
import Hummingbird
import MusterCore
import MusterHTTP
import MusterServer
import MusterWire

/// The routes `_changes` and `_db_updates`: once, by long polling, continuous, or as server-sent events.
struct CouchChangeRoutes: CouchRoutes {
    let identity: Identity
    let follower: FeedFollower

    func register(in routes: inout CouchRouteTable) {
        let summary = "List or follow the changes of a database."
        routes.add(.get, "/{db}/_changes", summary) { try await changes($0, body: .object([])) }
        routes.add(.post, "/{db}/_changes", summary, body: ["application/json"]) { call in
            _ = try call.readable()
            return try await changes(call, body: try await call.tree(limit: CouchLimits.documentBytes))
        }
        routes.add(.get, "/_db_updates", "List or follow which databases are created, changed and removed.") {
            try await updates($0)
        }
    }

    private func changes(_ call: CouchCall, body: JSONValue) async throws -> Response {
        let database = try call.readable()
        guard let scope = database.scope else { throw CouchError.forbidden("Users are not replicated.") }
        if let program = try CouchFilterProgram(call.query) {
            throw try await call.coordinator.readDocuments { try program.refusal(in: scope, $0) }
        }
        let request = try CouchChangesRequest(
            call.query, body: body, lastEventID: call.request.headers[.lastEventID])
        let changes = CouchChanges(request, in: scope)
        let name = try call.parameter("db")
        let mayFollow = { @Sendable (access: Access, directory: Directory) in
            directory.database(named: name).map { access.mayRead($0) } ?? false
        }
        switch request.terms.feed {
        case .normal: return try await call.send(changes)
        case .longpoll:
            // Changes that exist already are sent at once, without a feed.
            let (begun, _, _) = try await changes.advanced(in: call.coordinator)
            return try await begun.rows > 0 ? call.send(changes) : feed(begun, call, whereAllowed: mayFollow)
        case .continuous, .eventsource: return try feed(changes, call, whereAllowed: mayFollow)
        }
    }

    private func updates(_ call: CouchCall) async throws -> Response {
        try call.requireAdmin()
        let updates = DatabaseUpdates(
            try FeedTerms(call.query, lastEventID: call.request.headers[.lastEventID]))
        let mayFollow = { @Sendable (access: Access, _: Directory) in access.mayAdministerDatabases }
        guard updates.terms.form == .list else { return try feed(updates, call, whereAllowed: mayFollow) }
        let (begun, rows, _) = try await updates.advanced(in: call.coordinator)
        if updates.terms.feed == .longpoll, begun.rows == 0 {
            return try feed(begun, call, whereAllowed: mayFollow)
        }
        let text = DatabaseUpdates.head + rows + (try await begun.ending(in: call.coordinator))
        return Response(
            status: .ok, headers: [.contentType: "application/json"], body: .init(byteBuffer: ByteBuffer(bytes: text)))
    }

    /// Makes a response that continues for as long as its opener may have it.
    private func feed(
        _ answer: some FollowedAnswer, _ call: CouchCall,
        whereAllowed mayFollow: @escaping @Sendable (Access, Directory) -> Bool
    ) throws -> Response {
        guard let principal = call.principal, let proof = call.context.proof else { throw IdentityError.missing }
        let isEvents = answer.terms.feed == .eventsource
        var headers: HTTPFields = [
            .contentType: isEvents ? "text/event-stream" : "application/json", .cacheControl: "no-store",
        ]
        headers[.init("X-Accel-Buffering")!] = "no"
        // A `HEAD` request opens no feed.
        if call.request.method == .head { return Response(status: .ok, headers: headers) }
        let content = CouchFeed(
            answer, coordinator: call.coordinator, identity: identity, proof: proof, whereAllowed: mayFollow)
        do throws(FeedShares.Refusal) {
            return Response(
                status: .ok, headers: headers,
                body: try follower.open(content, by: FeedOwner(principal), on: call.context.channel))
        } catch .isStopping {
            throw CouchError.unavailable("The server is shutting down.", retryAfterSeconds: 30)
        } catch {
            throw CouchError.tooManyRequests(retryAfterSeconds: 30, error.words)
        }
    }
}

extension CouchChanges: FollowedAnswer {
    var terms: FeedTerms { request.terms }
    var topic: LogFeeds.Topic { .documents(scope) }

    func advanced(in coordinator: StoreCoordinator) async throws -> (CouchChanges, [UInt8], isLast: Bool) {
        try await coordinator.readDocuments { reader in
            var changes = self
            var bytes: [UInt8] = []
            let isLast = try changes.appendRows(to: &bytes, reader)
            return (changes, bytes, isLast)
        }
    }

    func ending(in coordinator: StoreCoordinator) async throws -> [UInt8] {
        try await coordinator.readDocuments { reader in
            switch terms.form {
            case .list: try tail(reader)
            case .lines: try lastLine(reader)
            case .events: []
            }
        }
    }
}
