import HTTPTypes
import Hummingbird
import MusterHTTP
import MusterServer
import MusterWire

/// Opens WebSockets.
extension GraphQLEndpoint {
    /// Answers a request for a WebSocket. The client proves who it is by its first message, where the request does not.
    ///
    /// - Throws: `GraphQLRefusal` for a page of another site; `Problem` when the request asks for no WebSocket of a
    ///   known subprotocol, or a limit is reached.
    func openSocket(_ request: Request, _ context: AppRequestContext) throws -> Response {
        try requireOwnPage(request)
        let limits = seats.limits
        var upgrade: WebSocketUpgrade
        do throws(WebSocketUpgrade.HandshakeError) {
            upgrade = try WebSocketUpgrade(
                request.headers, subprotocols: GraphQLSocketProtocol.allCases.map(\.rawValue),
                frameLimit: limits.messageBytes)
        } catch {
            throw Self.notRequested
        }
        guard request.method == .get, let work = RequestWork.current,
            let wireProtocol = GraphQLSocketProtocol(rawValue: upgrade.subprotocol)
        else { throw Self.notRequested }
        guard !parts.connections.isStopping else {
            throw Problem.unavailable("The server is stopping.", retryAfterSeconds: 30)
        }
        // A signature proves this one request, and nothing that later messages ask for.
        guard wireProtocol == .realtime || !request.headers.isSignature else { throw IdentityError.refused }
        let seat: SocketSeats.Seat
        do throws(SocketSeats.Refusal) {
            seat = try seats.takeSeat(from: context.remoteAddress, isProven: context.principal != nil)
        } catch {
            throw Problem.tooManyRequests(retryAfterSeconds: 30, error.words)
        }
        let credentials = wireProtocol == .realtime ? SocketCredentials(realtime: request) : nil
        upgrade.content = .messages
        upgrade.addHandlers = { [service, connections = parts.connections] channel in
            let socket = GraphQLSocket(service, wireProtocol, limits, credentials, context, seat, on: channel)
            try channel.pipeline.syncOperations.addHandler(GraphQLSocketHandler(socket, on: channel, connections))
        }
        work.setUpgrade(upgrade)
        return Response(status: .switchingProtocols)
    }

    private static var notRequested: Problem {
        let names = GraphQLSocketProtocol.allCases.map(\.rawValue).joined(separator: " or ")
        return .upgradeRequired("Ask for a WebSocket (version 13) of the subprotocol \(names).")
    }
}
