import MusterWire

/// Every message either is refused or is the same when it is read again, and what an operation's request becomes keeps
/// the limits of a document.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let bytes = Array(UnsafeRawBufferPointer(start: data, count: size))
    for wireProtocol in GraphQLSocketProtocol.allCases {
        do throws(GraphQLSocketFault) {
            let message = try GraphQLSocketMessage(parsing: bytes, as: wireProtocol)
            guard try GraphQLSocketMessage(parsing: bytes, as: wireProtocol) == message else {
                fatalError("a message is read in two ways")
            }
            check(message, wireProtocol)
        } catch {
            if let id = error.id { check(id) }
        }
    }
    return 0
}

private func check(_ message: GraphQLSocketMessage, _ wireProtocol: GraphQLSocketProtocol) {
    switch message {
    case .begin, .pong, .leave: break
    case .ping(let payload):
        guard let pong = GraphQLSocketAnswer.pong(payload: payload).json(as: wireProtocol) else {
            fatalError("a ping has no answer")
        }
        reread(pong)
    case .stop(let id):
        check(id)
        if let json = GraphQLSocketAnswer.complete(id: id).json(as: wireProtocol) { reread(json) }
    case .start(let id, let start):
        check(id)
        if let json = GraphQLSocketAnswer.next(id: id, start.request).json(as: wireProtocol) { reread(json) }
    }
}

private func check(_ id: String) {
    guard (1...GraphQLSocketMessage.idLimitBytes).contains(id.utf8.count) else {
        fatalError("an id of \(id.utf8.count) bytes")
    }
}

/// What the server sends is JSON that reads as it was meant.
private func reread(_ json: JSONValue) {
    guard (try? JSONValue(parsing: json.bytes, depthLimit: 64)) == json else {
        fatalError("an answer is not the JSON that was meant")
    }
}
