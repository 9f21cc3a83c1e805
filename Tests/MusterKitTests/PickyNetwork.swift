import NIOCore
import Synchronization

/// A way to a server that looks at what is asked: it passes on, answers itself, or lets the asker wait for ever.
final class PickyNetwork: Passage {
    /// What becomes of a request.
    enum Verdict: Sendable {
        case passes
        /// It passes once the gate is open.
        case passesLater(Gate)
        /// Nothing of it goes on, and nothing comes back.
        case hangs
        /// It is answered with a status and a body, and the connection ends.
        case isAnswered(status: Int, body: String)
    }

    /// What holds requests back until it is opened.
    final class Gate: Sendable {
        private let isOpen = Mutex(false)

        func open() { isOpen.withLock { $0 = true } }

        /// Waits until it is open.
        func wait() async throws {
            while !isOpen.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(10)) }
        }
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

    /// Decides of requests from now on, by their text.
    func decide(_ decide: @escaping @Sendable (String) -> Verdict) { verdict.withLock { $0 = decide } }

    /// Passes on while `body` runs, which is given the address.
    func run<Result: Sendable>(_ body: @escaping @Sendable (String) async throws -> Result) async throws -> Result {
        try await run { (port: Int) in try await body("http://127.0.0.1:\(port)") }
    }

    func nextFate() {}

    func passOn(_ pieces: Source, to server: Sink, answeringTo client: Sink, _: Void) async throws {
        var request = ByteBuffer()
        for try await piece in pieces {
            // However it comes, it is looked at whole.
            request.writeImmutableBuffer(piece)
            guard Self.isWhole(request) else { continue }
            defer { request.clear() }
            switch verdict.withLock({ $0 })(String(buffer: request)) {
            case .passes: try await server.write(request)
            case .passesLater(let gate):
                try await gate.wait()
                try await server.write(request)
            case .hangs: hanging.withLock { $0 += 1 }
            case .isAnswered(let status, let body):
                let head = "HTTP/1.1 \(status) It is\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n"
                return try await client.write(ByteBuffer(string: head + body))
            }
        }
    }

    /// Whether a request has come to its end (RFC 9112, section 6).
    static func isWhole(_ request: ByteBuffer) -> Bool {
        let bytes = request.readableBytesView
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return false }
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).lowercased().split(separator: "\r\n")
        if head.contains(where: { $0.hasPrefix("transfer-encoding:") }) {
            return bytes.suffix(5).elementsEqual("0\r\n\r\n".utf8)
        }
        let length = head.first { $0.hasPrefix("content-length:") }.flatMap { Int($0.filter(\.isNumber)) }
        return bytes[end.upperBound...].count >= length ?? 0
    }

    func passBack(_ pieces: Source, to client: Sink, _: Void) async throws {
        for try await piece in pieces { try await client.write(piece) }
    }
}
