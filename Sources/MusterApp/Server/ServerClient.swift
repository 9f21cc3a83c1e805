import Foundation
import MusterCoding
import MusterCore
import MusterKit
import MusterReplication
import MusterWire

/// The app's requests to the native API for what MusterKit has no call for (docs/api.md), with the credentials of the
/// present session.
struct ServerClient: Sendable {
    /// The session of the person who is signed in; nil if nobody is.
    let session: @Sendable () -> Session?

    /// An answer of the server.
    struct Answer: Sendable {
        var status: Int
        var body: JSONValue
        /// The entity tag, for an edit that must not overtake another one.
        var tag: String?
        /// The time by the clock of who answered, to the second; nil where the answer does not say it.
        var date: Date?
    }

    /// The largest number of bytes of an answer: a team of 10,000 people has about 6 MB.
    private static let limitBytes = 64 << 20
    private static let valueLimit = 2_000_000
    /// Seconds after which an order without an answer counts as failed, and the next may go before it.
    private static let orderDeadlineSeconds: Int64 = 10
    /// The largest number of pages of a list.
    private static let pageLimit = 50

    /// Requests an object.
    ///
    /// - Parameter path: below `/api/v1/`, percent-encoded.
    /// - Throws: `ServerFault`.
    func get(_ path: String) async throws(ServerFault) -> JSONValue { try await send("GET", path).body }

    /// Requests an object, and returns nil where the caller may not see it or it does not exist.
    ///
    /// - Throws: `ServerFault` but for 403, 404 and 410.
    func getIfAllowed(_ path: String) async throws(ServerFault) -> JSONValue? {
        do {
            return try await get(path)
        } catch .refused(let status, _) where [403, 404, 410].contains(status) {
            return nil
        }
    }

    /// Requests all pages of a list, 50 of 1,000 entries at most.
    func items(_ path: String, _ field: String = "items") async throws(ServerFault) -> [JSONValue] {
        var items: [JSONValue] = []
        var cursor: String?
        for _ in 0..<Self.pageLimit {
            let mark = path.contains("?") ? "&" : "?"
            let after = cursor.map { "&cursor=" + Self.encoded($0) } ?? ""
            let page = try await get("\(path)\(mark)limit=1000\(after)")
            items += page[field]?.elements ?? []
            cursor = page["nextCursor"]?.string
            if cursor == nil { break }
        }
        return items
    }

    /// Sends a request.
    ///
    /// - Throws: `ServerFault` for every status but 2xx.
    func send(
        _ method: String, _ path: String, _ json: JSONValue? = nil, headers: [HTTPHeaderField] = []
    ) async throws(ServerFault) -> Answer {
        guard let session = session() else { throw .signedOut }
        return try await Self.send(
            method, session.server + "api/v1/" + path, json, headers: headers, session.credentials, session.connections)
    }

    /// Sends a request with any credentials, for example the token of a link.
    static func send(
        _ method: String, _ address: String, _ json: JSONValue? = nil, headers: [HTTPHeaderField] = [],
        _ credentials: PeerCredentials, _ connections: HTTPConnections
    ) async throws(ServerFault) -> Answer {
        let response: HTTPTransportResponse
        let body: [UInt8]
        do {
            response = try await connections.open(
                method, address, json: json?.bytes, headers: headers, credentials: credentials,
                deadlineSeconds: method == "GET" ? 30 : orderDeadlineSeconds)
            body = try await response.collect(upTo: limitBytes)
        } catch {
            throw ServerFault(error)
        }
        let value =
            body.isEmpty
            ? .null : (try? JSONValue(parsing: body, depthLimit: 64, valueLimit: valueLimit)) ?? .null
        guard (200..<300).contains(response.status) else {
            throw ServerFault(
                status: response.status, value, retryAfter: response.header("Retry-After").flatMap { Double($0) })
        }
        let date = response.header("Date").flatMap { Instant(httpDate: $0)?.date }
        return Answer(status: response.status, body: value, tag: response.header("ETag"), date: date)
    }

    /// A name as a part of a path.
    static func encoded(_ name: String) -> String { PercentEncoding.encode(name) }
}

/// Why the server did not do what was asked.
enum ServerFault: Error, Hashable, Sendable {
    /// The server cannot be reached, or cannot answer now; waiting may help.
    case away(reason: String, retryAfterSeconds: Double?)
    /// The server does not accept the credentials, or nobody is signed in.
    case signedOut
    /// The server refuses the request for good, with its reason.
    case refused(status: Int, reason: String)
    /// The task was cancelled.
    case cancelled

    init(_ error: any Error) {
        switch error {
        case is CancellationError: self = .cancelled
        case let fault as ServerFault: self = fault
        case ReplicationError.tooLarge: self = .refused(status: 413, reason: "\(error)")
        default: self = .away(reason: "\(error)", retryAfterSeconds: nil)
        }
    }

    init(status: Int, _ problem: JSONValue, retryAfter: Double?) {
        let fault = problem["errors"]?.elements?.first
        let place = fault?["pointer"]?.string.map { "\($0): " } ?? ""
        let reason =
            fault?["detail"]?.string.map { place + $0 } ?? problem["detail"]?.string ?? problem["title"]?.string
            ?? String(status)
        switch status {
        case 401: self = .signedOut
        case 408, 425, 429, 500...599: self = .away(reason: reason, retryAfterSeconds: retryAfter)
        default: self = .refused(status: status, reason: reason)
        }
    }
}
