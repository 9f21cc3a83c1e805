import NIOCore
import Synchronization

/// A way to a server that looks at what is asked: it passes on, answers itself, or lets the asker wait for ever.
final class PickyNetwork: Passage {
    /// What becomes of a request.
    enum Verdict: Sendable {
        case passes
        /// Nothing of it goes on, and nothing comes back.
        case hangs
        /// It is answered with a status and a body, and the connection ends.
        case isAnswered(status: Int, body: String)
    }

    let targetPort: Int
    private let verdict = Mutex<@Sendable (String) -> Verdict>({ _ in .passes })
    private let hanging = Mutex(0)

    init(to targetPort: Int) { self.targetPort = targetPort }

    /// A way to a server at an address.
    convenience init(to server: RunningServer) {
        self.init(to: server.address.split(separator: ":").last.flatMap { Int($0) } ?? 0)
    }

    /// How many requests hang, or have hung.
    var hung: Int { hanging.withLock { $0 } }

    /// Decides of requests from now on, by how they begin.
    func decide(_ decide: @escaping @Sendable (String) -> Verdict) { verdict.withLock { $0 = decide } }

    /// Passes on while `body` runs, which is given the address.
    func run<Result: Sendable>(_ body: @escaping @Sendable (String) async throws -> Result) async throws -> Result {
        try await run { (port: Int) in try await body("http://127.0.0.1:\(port)") }
    }

    func nextFate() {}

    func passOn(_ pieces: Source, to server: Sink, answeringTo client: Sink, _: Void) async throws {
        for try await piece in pieces {
            switch verdict.withLock({ $0 })(String(buffer: piece)) {
            case .passes: try await server.write(piece)
            case .hangs: hanging.withLock { $0 += 1 }
            case .isAnswered(let status, let body):
                let head = "HTTP/1.1 \(status) It is\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n"
                return try await client.write(ByteBuffer(string: head + body))
            }
        }
    }

    func passBack(_ pieces: Source, to client: Sink, _: Void) async throws {
        for try await piece in pieces { try await client.write(piece) }
    }
}
