/// Why the server closes a WebSocket: the codes of `graphql-transport-ws` and of RFC 6455, section 7.4.1.
struct SocketClosing: Hashable, Sendable {
    let code: UInt16
    let reason: String

    /// A message is none of the protocol. The words may quote no secret.
    static func invalidMessage(_ words: String) -> SocketClosing { SocketClosing(code: 4_400, reason: words) }

    static let unauthorized = SocketClosing(code: 4_401, reason: "Unauthorized")
    static let forbidden = SocketClosing(code: 4_403, reason: "Forbidden")
    static let beginsTooLate = SocketClosing(code: 4_408, reason: "Connection initialisation timeout")
    static let beginsTwice = SocketClosing(code: 4_429, reason: "Too many initialisation requests")
    static let normal = SocketClosing(code: 1_000, reason: "")
    static let goingAway = SocketClosing(code: 1_001, reason: "The server is stopping.")
    static let tooBig = SocketClosing(code: 1_009, reason: "The message is too large.")

    static func duplicate(_ id: String) -> SocketClosing {
        SocketClosing(code: 4_409, reason: "Subscriber for \(id) already exists")
    }

    /// The server cannot serve the client now.
    static func tryLater(_ words: String) -> SocketClosing { SocketClosing(code: 1_013, reason: words) }
}
