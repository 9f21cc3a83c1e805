import MusterCore
import MusterWire

/// The answers of one operation as messages of its WebSocket.
struct SocketOutput: SubscriptionOutput {
    let socket: GraphQLSocket
    let id: String
    let number: Int

    mutating func send(at sequence: LogSequence, _ answer: () async throws -> JSONValue?) async throws {
        try await send {
            guard case .object(let members)? = try await answer() else { return nil }
            // A client that subscribes anew resumes after this number.
            let place = JSONValue.object([.init("sequence", .string("\(sequence.rawValue)"))])
            return .object(members + [.init("extensions", place)])
        }
    }

    /// Makes an answer once the client takes more, and sends it.
    func send(_ answer: () async throws -> JSONValue?) async throws {
        try await socket.takeTurn(id, number)
        let bytes: [UInt8]
        do {
            guard let json = try await answer() else { return await socket.passTurn() }
            bytes = GraphQLSocketAnswer.next(id: id, json).json(as: socket.wireProtocol)?.bytes ?? []
        } catch {
            await socket.passTurn()
            throw error
        }
        try await socket.write(bytes, of: id, number)
    }

    /// Ends an operation that is complete.
    func complete() async throws { await socket.complete(id, number) }

    /// The connection has beats of its own.
    mutating func beat(at sequence: LogSequence) {}

    mutating func end(_ error: GraphQLError) async { await socket.fail([error], id, number) }

    mutating func breakOff() async {
        let words = "The server cannot continue this subscription now: subscribe anew."
        await socket.fail([GraphQLError(.request, words, code: "ServiceUnavailable")], id, number)
    }
}
