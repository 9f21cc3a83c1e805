import Crypto
import Foundation
package import HTTPTypes
import MusterCoding
package import NIOCore
import NIOHTTP1
import NIOWebSocket

/// The change of one connection from HTTP to WebSocket (RFC 6455, section 4.2), once its request was admitted.
///
/// A route's handler makes it from the request, passes it to `RequestWork.current` and answers 101. The connection then
/// sends the head and the protocol's handlers take over. A client must not send before it has that head.
package struct WebSocketUpgrade: Sendable {
    /// The reason why a request is not a valid handshake.
    package enum HandshakeError: Error, Hashable, Sendable {
        /// The request does not ask for WebSocket, or not for this subprotocol, or has a body.
        case notRequested
        /// The request asks for another version than 13.
        case version
        /// The request's key is not 16 bytes in base 64.
        case key
    }

    /// What a protocol reads and writes.
    package enum Content: Sendable {
        /// A stream of bytes, as `ByteBuffer`.
        case bytes
        /// Messages of text, as `WebSocketMessages.Input` and `WebSocketMessages.Output`.
        case messages
    }

    /// The name of the subprotocol.
    package let subprotocol: String
    private let acceptance: String
    private let frameLimit: Int
    /// What the protocol's handlers read and write.
    package var content = Content.bytes
    /// Adds the protocol's handlers. It is called on the event loop, or never if the client has gone.
    package var addHandlers: @Sendable (any Channel) throws -> Void = { _ in }

    /// Whether a request asks for a WebSocket.
    package static func isRequested(by fields: HTTPFields) -> Bool { has("websocket", in: .upgrade, of: fields) }

    private static func has(_ token: String, in name: HTTPField.Name, of fields: HTTPFields) -> Bool {
        fields[values: name].contains { value in
            value.split(separator: ",").contains { $0.trimmingCharacters(in: .whitespaces).lowercased() == token }
        }
    }

    /// Reads a handshake.
    ///
    /// - Parameters:
    ///   - fields: the fields of a GET request over HTTP/1.1.
    ///   - subprotocols: those that the server speaks, the preferred ones first. The client must offer one of them.
    ///   - frameLimit: the most bytes of a frame that the client may send, and of a message.
    /// - Throws: `HandshakeError`.
    package init(_ fields: HTTPFields, subprotocols: [String], frameLimit: Int) throws(HandshakeError) {
        let subprotocol = subprotocols.first { Self.has($0, in: .secWebSocketProtocol, of: fields) }
        guard Self.isRequested(by: fields), Self.has("upgrade", in: .connection, of: fields), let subprotocol,
            fields[.transferEncoding] == nil, ["0", nil].contains(fields[.contentLength])
        else { throw .notRequested }
        guard fields[values: .secWebSocketVersion] == ["13"] else { throw .version }
        let keys = fields[values: .secWebSocketKey]
        // Some clients send 22 random characters, whose last bits a strict decoder refuses; Foundation's ignores them.
        guard keys.count == 1, Data(base64Encoded: keys[0])?.count == 16 else { throw .key }
        let digest = Insecure.SHA1.hash(data: Data((keys[0] + Self.suffix).utf8))
        acceptance = Base64.encode(Array(digest))
        self.subprotocol = subprotocol
        self.frameLimit = frameLimit
    }

    /// The text that is appended to the key before it is hashed (RFC 6455, section 1.3).
    private static let suffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    /// The head of the answer. PyPI's gql finds the subprotocol only where its field is written as RFC 6455 writes it.
    var head: HTTPResponseHead {
        HTTPResponseHead(
            version: .http1_1, status: .switchingProtocols,
            headers: [
                "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": acceptance,
                "Sec-WebSocket-Protocol": subprotocol, "server": "muster",
            ])
    }

    /// Adds the handlers of WebSocket and those of the protocol to a channel without handlers of HTTP.
    func takeOver(_ channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(WebSocketFrameEncoder())
        try pipeline.addHandler(ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: frameLimit)))
        try pipeline.addHandler(WebSocketProtocolErrorHandler(isServer: true))
        switch content {
        case .bytes: try WebSocketBytes.addHandlers(to: channel)
        case .messages: try WebSocketMessages.addHandlers(to: channel, limitBytes: frameLimit)
        }
        try addHandlers(channel)
    }
}
