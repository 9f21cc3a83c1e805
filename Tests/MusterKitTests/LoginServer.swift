import Foundation
import MusterKit
import MusterReplication
import MusterWire
import Synchronization

/// A server in memory that signs people in, and has nothing else. The password "wrong" is refused.
final class LoginServer: HTTPTransport {
    private struct State {
        var gates: [String: AsyncStream<Void>.Continuation] = [:]
        var streams: [String: AsyncStream<Void>] = [:]
        var hangs = false
        var logins: [String] = []
        var others = 0
        var hung = 0
    }

    private let state = Mutex(State())

    /// Whether no request is answered: each ends when its task is cancelled.
    var hangs: Bool {
        get { state.withLock { $0.hangs } }
        set { state.withLock { $0.hangs = newValue } }
    }
    /// The users of all logins that were asked for.
    var logins: [String] { state.withLock { $0.logins } }
    /// How many requests were no logins. An attempt to send makes one: it ends, or hangs, with its first.
    var others: Int { state.withLock { $0.others } }
    /// How many requests hang, or have hung.
    var hung: Int { state.withLock { $0.hung } }

    /// Answers logins of a user only after `release`, however long their callers have given up by then.
    func hold(_ user: String) {
        let (stream, gate) = AsyncStream.makeStream(of: Void.self)
        state.withLock { ($0.streams[user], $0.gates[user]) = (stream, gate) }
    }

    func release(_ user: String) { state.withLock { $0.gates.removeValue(forKey: user) }?.finish() }

    func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
        var login: JSONValue?
        if request.url.hasSuffix("/api/login"), case .bytes(let body)? = request.body {
            login = try? JSONValue(parsing: body)
        }
        let user = login?["username"]?.string
        let (gate, hangs) = state.withLock { state in
            if let user { state.logins.append(user) } else { state.others += 1 }
            if state.hangs { state.hung += 1 }
            return (user.flatMap { state.streams[$0] }, state.hangs)
        }
        if hangs { try await Task.sleep(for: .seconds(3_600)) }
        guard let user else { throw ReplicationError.unreachable("there is nothing but the login") }
        if let gate { await Task { for await _ in gate {} }.value }
        if login?["password"]?.string == "wrong" { return Self.response(401, #"{"error":"wrong"}"#) }
        return Self.response(
            200, #"{"api_key":"k","api_password":"p","location_db_name":"of_\#(user)","account":"id-\#(user)"}"#)
    }

    private static func response(_ status: Int, _ json: String) -> HTTPTransportResponse {
        let pieces = Mutex<[[UInt8]]>([Array(json.utf8)])
        return HTTPTransportResponse(status: status, headers: [HTTPHeaderField("Content-Type", "application/json")]) {
            pieces.withLock { $0.popLast() }
        }
    }

    func close() async {}
}

/// Keeps credentials in memory, and writes down what happens to them.
final class RecordingKeeper: CredentialKeeper {
    struct Refusal: Error {}

    private let state = Mutex<(secret: Data?, log: [String], refuses: Bool)>((nil, [], false))

    /// What was stored, by the user's name, and deleted.
    var log: [String] { state.withLock { $0.log } }
    /// Whether it refuses to store and to delete.
    var refuses: Bool {
        get { state.withLock { $0.refuses } }
        set { state.withLock { $0.refuses = newValue } }
    }

    func loadCredentials() throws -> Data? { state.withLock { $0.secret } }

    func storeCredentials(_ secret: Data) throws {
        let user = try JSONValue(parsing: Array(secret))["user"]?.string ?? ""
        try state.withLock { state in
            if state.refuses { throw Refusal() }
            state.secret = secret
            state.log.append("stored \(user)")
        }
    }

    func deleteCredentials() throws {
        try state.withLock { state in
            if state.refuses { throw Refusal() }
            state.secret = nil
            state.log.append("deleted")
        }
    }
}
