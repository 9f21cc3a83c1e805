/// A protocol of the messages by which a WebSocket carries GraphQL operations. The raw value is its name as a
/// subprotocol.
package enum GraphQLSocketProtocol: String, Hashable, Sendable, CaseIterable {
    /// The protocol of the library graphql-ws (github.com/enisdenjo/graphql-ws, PROTOCOL.md).
    case transport = "graphql-transport-ws"
    /// AppSync's real-time protocol (AppSync's developer guide, "Building a real-time WebSocket client").
    case realtime = "graphql-ws"
}

/// A client's message.
package enum GraphQLSocketMessage: Hashable, Sendable {
    /// `connection_init`: the client begins, with credentials perhaps.
    case begin(payload: JSONValue)
    case ping(payload: JSONValue?)
    case pong
    /// `subscribe` or `start`: the client begins an operation.
    case start(id: String, GraphQLSocketStart)
    /// `complete` or `stop`: the client ends an operation.
    case stop(id: String)
    /// `connection_terminate`: the client ends the connection.
    case leave

    /// The longest id of an operation, in bytes.
    package static let idLimitBytes = 128
    /// How deep a message may nest, and how many values it may have.
    private static let (depthLimit, valueLimit) = (40, 20_000)

    /// Reads a message.
    ///
    /// - Throws: the message is not JSON, or none of its protocol.
    package init(parsing bytes: [UInt8], as wireProtocol: GraphQLSocketProtocol) throws(GraphQLSocketFault) {
        let value = try Self.parse(bytes, "The message")
        guard let type = value["type"]?.string else { throw GraphQLSocketFault("The message has no `type`.") }
        let payload = value["payload"] ?? .null
        switch (type, wireProtocol) {
        case ("connection_init", _):
            guard payload == .null || payload.members != nil else {
                throw GraphQLSocketFault("The payload of `connection_init` must be an object.")
            }
            self = .begin(payload: payload)
        case ("ping", .transport): self = .ping(payload: payload == .null ? nil : payload)
        case ("pong", .transport): self = .pong
        case ("subscribe", .transport):
            self = .start(id: try Self.id(in: value), GraphQLSocketStart(request: payload))
        case ("start", .realtime):
            let id = try Self.id(in: value)
            self = .start(id: id, try Self.realtimeStart(payload, of: id))
        case ("complete", .transport), ("stop", .realtime): self = .stop(id: try Self.id(in: value))
        case ("connection_terminate", .realtime): self = .leave
        default: throw GraphQLSocketFault("Unknown type of message.")
        }
    }

    private static func parse(_ bytes: [UInt8], _ subject: String, of id: String? = nil) throws(GraphQLSocketFault)
        -> JSONValue
    {
        do throws(JSONError) {
            return try JSONValue(parsing: bytes, depthLimit: depthLimit, valueLimit: valueLimit)
        } catch {
            throw GraphQLSocketFault("\(subject) is not JSON: byte \(error.offset), \(error.reason).", of: id)
        }
    }

    private static func id(in value: JSONValue) throws(GraphQLSocketFault) -> String {
        guard let id = value["id"]?.string, (1...idLimitBytes).contains(id.utf8.count) else {
            throw GraphQLSocketFault("`id` must be a text of 1 to \(idLimitBytes) bytes.")
        }
        return id
    }

    private static func realtimeStart(
        _ payload: JSONValue, of id: String
    ) throws(GraphQLSocketFault) -> GraphQLSocketStart {
        guard let text = payload["data"]?.string else {
            throw GraphQLSocketFault("`payload.data` must be the request as a text.", of: id)
        }
        return GraphQLSocketStart(
            request: try parse(Array(text.utf8), "`payload.data`", of: id), text: text,
            authorization: payload["extensions"]?["authorization"])
    }
}

/// The operation that a client begins.
package struct GraphQLSocketStart: Hashable, Sendable {
    /// The request: `query`, `operationName`, `variables`.
    package var request: JSONValue
    /// The request as the client wrote it, which a signature covers; empty in a protocol without signatures.
    package var text = ""
    /// The header fields of an authorized request; nil where the connection is authorized.
    package var authorization: JSONValue?
}

/// Why a message is none of its protocol.
package struct GraphQLSocketFault: Error, Hashable, Sendable {
    /// The reason, one sentence for the developer of the client.
    package let words: String
    /// The operation that the message is about; nil when it is about none, or none can be read from it.
    package let id: String?

    package init(_ words: String, of id: String? = nil) {
        self.words = words
        self.id = id
    }
}
