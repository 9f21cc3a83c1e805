import MusterCoding
import MusterCore
import MusterMutex
import MusterWire

/// A database behind CouchDB's protocol: Muster's, CouchDB's, or a PouchDB server's.
public final class HTTPPeer: ReplicationPeer {
    /// The address of the database.
    public let address: DatabaseAddress
    let exchange: HTTPExchange
    /// Seconds between the heartbeats that a wait for changes requests.
    private let heartbeatSeconds: Int
    /// Seconds after which a wait for changes ends without a change.
    private let waitSeconds: Double
    /// Whether the server has `_bulk_get`; nil before the first request.
    let knowsBulkGet = Mutex<Bool?>(nil)
    /// The approximate number of document bytes in a request. It shrinks when the server, or a proxy, refuses a size.
    let requestBytes = Mutex(4 << 20)

    /// Makes a peer of an address.
    public init(
        _ address: DatabaseAddress, connections: HTTPConnections = .shared, heartbeatSeconds: Int = 20,
        waitSeconds: Double = 60
    ) {
        self.address = address
        self.heartbeatSeconds = heartbeatSeconds
        self.waitSeconds = waitSeconds
        exchange = HTTPExchange(address: address, connections: connections)
    }

    // MARK: The database

    /// Returns the server's UUID with the database's name as identity, so that a device that reaches one server by two
    /// addresses uses the same checkpoints.
    public func information() async throws -> PeerInformation {
        let answer = try await exchange.send(exchange.makeRequest(.GET), admitting: [404])
        guard answer.status != 404 else { throw ReplicationError.noDatabase(address.segment) }
        guard let database = try? JSONValue(parsing: answer.body) else {
            throw ReplicationError.malformed("the database information")
        }
        let server = try await exchange.send(HTTPExchange.Request(path: ""))
        let name = database["db_name"]?.string ?? address.segment
        let uuid = (try? JSONValue(parsing: server.body))?["uuid"]?.string
        return PeerInformation(
            identity: uuid.map { "\($0)/\(name)" } ?? address.description,
            documentCount: database["doc_count"]?.integer.flatMap { Int(exactly: $0) })
    }

    /// Makes the database if there is none.
    public func create() async throws {
        let answer = try await exchange.send(exchange.makeRequest(.GET), admitting: [404])
        guard answer.status == 404 else { return }
        // Another client may have made it meanwhile.
        _ = try await exchange.send(exchange.makeRequest(.PUT), admitting: [412])
    }

    /// Requests `_ensure_full_commit`.
    public func ensureFullCommit() async throws {
        _ = try await exchange.send(exchange.makeRequest(.POST, "_ensure_full_commit", json: Array("{}".utf8)))
    }

    // MARK: Logs

    /// Reads `_local/ID`.
    public func log(_ id: String) async throws -> ReplicationLog? {
        let answer = try await exchange.send(
            exchange.makeRequest(.GET, "_local/" + PercentEncoding.encode(id)), admitting: [404])
        return answer.status == 404 ? nil : ReplicationLog(parsing: answer.body)
    }

    /// Writes `_local/ID`, in place of the log that was read.
    ///
    /// - Throws: `ReplicationError.busy` with 409 if the log was changed meanwhile: by another run, or because the
    ///   database was restored from a backup, and overwriting that log would hide the loss.
    public func put(_ log: ReplicationLog, as id: String) async throws -> ReplicationLog {
        var log = log
        let request = exchange.makeRequest(.PUT, "_local/" + PercentEncoding.encode(id), json: log.json(id: id))
        let answer = try await exchange.send(request, admitting: [409])
        if answer.status == 409 { throw ReplicationError.busy(status: 409, retryAfterSeconds: nil) }
        log.revision = (try? JSONValue(parsing: answer.body))?["rev"]?.string
        return log
    }

    // MARK: Changes

    /// Reads `_changes`, as a longpoll if the request waits.
    public func changes(_ request: ChangesRequest) async throws -> ChangesPage {
        let style = request.winnersOnly ? "main_only" : "all_docs"
        var query = "style=\(style)&limit=\(request.limit)&since=\(Self.query(request.since))"
        if request.waits { query += "&feed=longpoll&heartbeat=\(heartbeatSeconds * 1000)" }
        var sent: HTTPExchange.Request
        switch request.filter {
        case .all: sent = exchange.makeRequest(.GET, "_changes", query: query)
        case .documents(let ids):
            let body = JSONValue.object([.init("doc_ids", .array(ids.map { .string($0) }))])
            sent = exchange.makeRequest(.POST, "_changes", query: query + "&filter=_doc_ids", json: body.bytes)
        case .selector(let selector):
            let body = Array("{\"selector\":\(selector)}".utf8)
            sent = exchange.makeRequest(.POST, "_changes", query: query + "&filter=_selector", json: body)
        }
        // A longpoll has no deadline; the read timeout between heartbeats bounds it.
        if request.waits { sent.deadlineSeconds = nil }
        guard let answer = try await awaitResponse(to: sent, withinSeconds: request.waits ? waitSeconds : nil) else {
            // No change arrived in time. The empty page of a request that does not wait has the sequence up to which
            // the server has read its changes.
            var request = request
            request.waits = false
            return try await changes(request)
        }
        do {
            return try answer.body.withUnsafeBytes { bytes in
                var reader = JSONReader(bytes, depthLimit: DocumentText.depthLimit)
                return try Self.page(&reader, since: request.since)
            }
        } catch let error as JSONError {
            throw ReplicationError.malformed("_changes: \(error)")
        }
    }

    /// Waits for a response; nil if it did not arrive in time, and the request is then cancelled.
    private func awaitResponse(
        to request: HTTPExchange.Request, withinSeconds seconds: Double?
    ) async throws -> HTTPExchange.Response? {
        guard let seconds else { return try await exchange.send(request) }
        let exchange = exchange
        return try await withThrowingTaskGroup(of: HTTPExchange.Response?.self) { group in
            group.addTask { try await exchange.send(request) }
            group.addTask {
                try await Task.sleep(for: .seconds(seconds))
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    static func query(_ sequence: PeerSequence) -> String {
        guard case .string(let text)? = try? JSONValue(parsing: Array(sequence.json.utf8)) else {
            return PercentEncoding.encode(sequence.json)
        }
        return PercentEncoding.encode(text)
    }

    private static func page(_ reader: inout JSONReader, since: PeerSequence) throws -> ChangesPage {
        var page = ChangesPage(changes: [], last: since)
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "results" {
                try reader.beginArray()
                while try reader.nextElement() {
                    if let change = try change(&reader) { page.changes.append(change) }
                }
            } else if key == "last_seq" {
                page.last = PeerSequence(json: String(decoding: try reader.skip(), as: UTF8.self))
            } else if key == "pending" {
                page.pending = Int(exactly: try reader.number())
            } else {
                _ = try reader.skip()
            }
        }
        try reader.finish()
        return page
    }

    private static func change(_ reader: inout JSONReader) throws -> DocumentRevisions? {
        var id: String?
        var revisions: [Revision] = []
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "id" {
                id = try reader.text().string
            } else if key == "changes" {
                try reader.beginArray()
                while try reader.nextElement() {
                    try reader.beginObject()
                    while let key = try reader.nextKey() {
                        if key == "rev" {
                            if let revision = Revision(try reader.text()) { revisions.append(revision) }
                        } else {
                            _ = try reader.skip()
                        }
                    }
                }
            } else {
                _ = try reader.skip()
            }
        }
        return id.map { DocumentRevisions(id: $0, revisions: revisions) }
    }

    /// Requests `_revs_diff`.
    public func missing(_ revisions: [DocumentRevisions]) async throws -> [DocumentRevisions] {
        var writer = JSONWriter()
        writer.beginObject()
        for document in revisions {
            writer.key(document.id)
            writer.beginArray()
            for revision in document.revisions { writer.value(revision.text) }
            writer.endArray()
        }
        writer.endObject()
        let answer: HTTPExchange.Response
        do {
            answer = try await exchange.send(exchange.makeRequest(.POST, "_revs_diff", json: writer.takeBytes()))
        } catch ReplicationError.requestTooLarge {
            let (left, right) = BatchSize.halves(of: revisions)
            if left.isEmpty || right.isEmpty { throw ReplicationError.requestTooLarge }
            return try await missing(left) + missing(right)
        }
        do {
            let value = try JSONValue(parsing: answer.body, valueLimit: 10_000_000)
            return (value.members ?? []).map { member in
                let missing = member.value["missing"]?.elements ?? []
                return DocumentRevisions(
                    id: member.key, revisions: missing.compactMap { $0.string.flatMap { Revision($0) } })
            }
        } catch {
            throw ReplicationError.malformed("_revs_diff: \(error)")
        }
    }
}
