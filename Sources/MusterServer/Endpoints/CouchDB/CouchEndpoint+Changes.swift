import HTTPTypes
import Hummingbird
import MusterCore
import MusterDocuments
import MusterWire
import NIOCore
import ServiceLifecycle
import Synchronization

extension CouchEndpoint {
    func addChanges(to routes: inout RouteTable) {
        let summary = "What was touched since, once or as it happens."
        add(.get, "/{db}/_changes", summary, to: &routes) { try await changes($0, body: .object([])) }
        add(.post, "/{db}/_changes", summary, body: ["application/json"], to: &routes) { call in
            _ = try call.readable()
            return try await changes(call, body: try await call.tree(limit: CouchLimits.documentBytes))
        }
    }

    private func changes(_ call: CouchCall, body: JSONValue) async throws -> Response {
        let place = try call.readable()
        guard let scope = place.scope else { throw CouchFault.forbidden("Users are not replicated.") }
        let request = try CouchChangesRequest(
            call.query, body: body, lastEventID: call.request.headers[.lastEventID])
        let changes = CouchChanges(request, in: scope)
        switch request.feed {
        case .normal: return try await call.send(changes)
        case .longpoll:
            // What is there already is told at once, and needs no feed.
            let (begun, _, _) = try await ledger.rows(of: changes)
            return try await begun.rows > 0 ? call.send(changes) : feed(begun, call)
        case .continuous, .eventsource: return try feed(changes, call)
        }
    }

    /// An answer that goes on.
    private func feed(_ changes: CouchChanges, _ call: CouchCall) throws -> Response {
        guard let principal = call.principal else { throw IdentityFault.missing }
        let limit = principal.role == .admin ? CouchLimits.feeds : CouchLimits.feedsOfOne
        guard feeds.hasRoom(for: principal.user, limit: limit) else {
            throw CouchFault.unavailable("As many feeds are open as may be.", retryAfterSeconds: 30)
        }
        let isEvents = changes.request.feed == .eventsource
        var headers: HTTPFields = [
            .contentType: isEvents ? "text/event-stream" : "application/json", .cacheControl: "no-store",
        ]
        headers[.init("X-Accel-Buffering")!] = "no"
        let follower = ChangesFollower(
            changes, endpoint: self, proof: call.proof, name: try call.parameter("db"), user: principal.user,
            limit: limit, on: call.exchange.channel)
        return Response(
            status: .ok, headers: headers,
            body: ResponseBody { writer in
                try await follower.follow(&writer)
                try await writer.finish(nil)
            })
    }
}

extension Ledger {
    /// The next page of rows, and whether it is the last at this moment.
    func rows(of changes: CouchChanges) async throws -> (CouchChanges, [UInt8], isLast: Bool) {
        try await readDocuments { reader in
            var changes = changes
            var bytes: [UInt8] = []
            let isLast = try changes.appendRows(to: &bytes, reader)
            return (changes, bytes, isLast)
        }
    }
}

/// Sends a feed: what there is, and then what is touched, for as long as whoever opened it may read it.
///
/// Ten thousand of these wait at a time, so a task that waits holds little: what has to be done between two waits is
/// done in another task.
private final class ChangesFollower: Sendable {
    private let endpoint: CouchEndpoint
    /// Proved anew before anything is told, so that a feed ends with the right to read.
    private let proof: CouchProof
    /// What the database is called.
    private let name: String
    private let user: UserNumber
    private let limit: Int
    private let channel: any Channel
    /// How far it was told.
    private let changes: Mutex<CouchChanges>
    private let request: CouchChangesRequest

    init(
        _ begun: CouchChanges, endpoint: CouchEndpoint, proof: CouchProof, name: String, user: UserNumber, limit: Int,
        on channel: any Channel
    ) {
        self.endpoint = endpoint
        self.proof = proof
        self.name = name
        self.user = user
        self.limit = limit
        self.channel = channel
        changes = Mutex(begun)
        request = begun.request
    }

    func follow(_ writer: inout any ResponseBodyWriter) async throws {
        // One task writes; nobody else touches the writer until it has ended.
        nonisolated(unsafe) var output = writer
        defer { writer = output }
        let feed = endpoint.feeds.open(
            changes.withLock { $0.scope }, by: user, beatSeconds: request.heartbeatSeconds,
            timeoutSeconds: request.timeoutSeconds, limit: limit)
        endpoint.connections.watch(channel) { feed?.close() }
        defer {
            endpoint.connections.unwatch(channel)
            feed?.close()
        }
        var goesOn = try await inOwnTask { try await self.begin(&output) }
        while goesOn, let ring = await feed?.next() {
            goesOn = try await inOwnTask { try await self.tell(ring, &output) }
        }
        if channel.isActive { try await inOwnTask { try await self.end(&output) } }
    }

    /// Tells what there is already.
    ///
    /// - Returns: whether to wait for more; so do the others.
    private func begin(_ writer: inout any ResponseBodyWriter) async throws -> Bool {
        if request.form == .list { try await send(CouchChanges.head, &writer) }
        return try await sendRows(&writer)
    }

    /// Tells what a feed was woken for.
    private func tell(_ ring: DocumentFeed.Ring, _ writer: inout any ResponseBodyWriter) async throws -> Bool {
        guard await mayGoOn() else { return false }
        if ring.isTouched, try await !sendRows(&writer) { return false }
        if ring.isBeat { try await send(beat, &writer) }
        return !ring.isOver
    }

    /// Tells rows until there are none at this moment.
    private func sendRows(_ writer: inout any ResponseBodyWriter) async throws -> Bool {
        while true {
            let (advanced, bytes, isLast) = try await endpoint.ledger.rows(of: changes.withLock { $0 })
            changes.withLock { $0 = advanced }
            try await send(bytes, &writer)
            if advanced.isFull { return false }
            if isLast { return request.feed != .longpoll || advanced.rows == 0 }
        }
    }

    private func end(_ writer: inout any ResponseBodyWriter) async throws {
        let changes = changes.withLock { $0 }
        let bytes = try await endpoint.ledger.readDocuments { reader -> [UInt8] in
            switch changes.request.form {
            case .list: try changes.tail(reader)
            case .lines: try changes.lastLine(reader)
            case .events: []
            }
        }
        try await send(bytes, &writer)
    }

    /// Seconds that a reader may take for what was sent to it; then it is dropped, and may come back where it was.
    private static let stallSeconds: Double = 20

    private func send(_ bytes: [UInt8], _ writer: inout any ResponseBodyWriter) async throws {
        if bytes.isEmpty { return }
        try await ByteBuffer(bytes: bytes).write(to: &writer, within: Self.stallSeconds)
    }

    private var beat: [UInt8] {
        Array((request.form == .events ? "event: heartbeat\ndata: \n\n" : "\n").utf8)
    }

    /// Whether whoever opened the feed still may read the database, and that is still there.
    private func mayGoOn() async -> Bool {
        guard let principal = try? await endpoint.prove(proof, atOpening: false) else { return false }
        let directory = endpoint.ledger.directory
        guard let place = directory.database(named: name) else { return false }
        return Access(principal, in: directory).mayRead(place)
    }
}

extension ByteBuffer {
    /// Writes this, and gives up when the reader does not take it in time, or soon after the server was told to stop.
    fileprivate func write(to writer: inout any ResponseBodyWriter, within seconds: Double) async throws {
        // One task writes; nobody else touches the writer until all have ended.
        nonisolated(unsafe) var output = writer
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await output.write(self) }
            group.addTask {
                try await Task.sleep(for: .seconds(seconds))
                throw StalledReader()
            }
            group.addTask {
                try await gracefulShutdown()
                try await Task.sleep(for: .seconds(LiveFeed.shutdownSeconds))
                throw StalledReader()
            }
            defer { group.cancelAll() }
            try await group.next()
        }
        writer = output
    }
}
