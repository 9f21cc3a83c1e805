/// A message that the server sends by a WebSocket.
package enum GraphQLSocketAnswer: Hashable, Sendable {
    /// The connection is open. A client may take it for broken when it hears nothing for so long. The sequence is the
    /// newest number of the log, from which a client resumes that was told of no change yet.
    case acknowledge(timeoutMilliseconds: Int64, sequence: Int64)
    /// The server refuses the connection. `graphql-transport-ws` has no such message, only a close code.
    case refuse(GraphQLError)
    /// The server hears the client, and the connection is in use.
    case beat
    case pong(payload: JSONValue?)
    /// The operation has begun. `graphql-transport-ws` has no message for that.
    case started(id: String)
    case next(id: String, JSONValue)
    /// The operation ended without having been executed, or cannot continue.
    case error(id: String?, [GraphQLError])
    case complete(id: String)

    /// The message as JSON; nil where the protocol has none.
    package func json(as wireProtocol: GraphQLSocketProtocol) -> JSONValue? {
        let isRealtime = wireProtocol == .realtime
        switch self {
        case .acknowledge(let milliseconds, let sequence):
            let timeout = JSONValue.Member("connectionTimeoutMs", .integer(milliseconds))
            let place = JSONValue.Member("sequence", .string("\(sequence)"))
            return Self.message("connection_ack", payload: .object(isRealtime ? [timeout, place] : [place]))
        case .refuse(let error): return isRealtime ? Self.message("connection_error", payload: Self.list([error])) : nil
        case .beat: return Self.message(isRealtime ? "ka" : "ping")
        case .pong(let payload): return isRealtime ? nil : Self.message("pong", payload: payload)
        case .started(let id): return isRealtime ? Self.message("start_ack", id) : nil
        case .next(let id, let answer): return Self.message(isRealtime ? "data" : "next", id, payload: answer)
        case .error(let id, let errors):
            if isRealtime { return Self.message("error", id, payload: Self.list(errors)) }
            return id.map { Self.message("error", $0, payload: .array(errors.map(\.json))) }
        case .complete(let id): return Self.message("complete", id)
        }
    }

    private static func message(_ type: String, _ id: String? = nil, payload: JSONValue? = nil) -> JSONValue {
        var members: [JSONValue.Member] = [.init("type", .string(type))]
        if let id { members.append(.init("id", .string(id))) }
        if let payload { members.append(.init("payload", payload)) }
        return .object(members)
    }

    /// Errors as AppSync lists them: with the type beside the message, where its clients look for it.
    private static func list(_ errors: [GraphQLError]) -> JSONValue {
        let listed = errors.map { error in
            let type = JSONValue.Member("errorType", .string(error.code ?? "BadRequestException"))
            return JSONValue.object([type] + (error.json.members ?? []))
        }
        return .object([.init("errors", .array(listed))])
    }
}
