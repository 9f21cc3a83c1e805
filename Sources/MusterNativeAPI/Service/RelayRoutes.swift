import HTTPTypes
import Hummingbird
import MusterCore
import MusterHTTP
import MusterServer

/// The route by which devices of a team reach each other through the server. Its rules are in docs/nearby.md.
struct RelayRoutes: NativeRoutes {
    let server: ServerParts

    /// The name of the WebSocket subprotocol.
    static let subprotocol = "muster-relay.1"

    func register(in routes: inout RouteTable) {
        routes.add(
            Route(
                .get, "\(Self.root)/nearby/relay",
                admits: .roles([.admin, .analyst, .leader, .member], devices: false),
                .init(
                    "Nearby",
                    "Reach devices of your own team that are connected too, and be shown to them, by WebSocket.",
                    answers: [
                        .init(101, "A WebSocket of the subprotocol muster-relay.1."),
                        .init(
                            409, "The caller belongs to no team.", body: ["application/problem+json": "Problem"]),
                        .init(
                            426, "The request asks for no such WebSocket.",
                            body: ["application/problem+json": "Problem"]),
                    ]), handler: open))
    }

    private func open(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        guard let principal = context.principal, let proof = context.proof else { throw Problem.unauthorized }
        var upgrade: WebSocketUpgrade
        do throws(WebSocketUpgrade.HandshakeError) {
            upgrade = try WebSocketUpgrade(
                request.headers, subprotocols: [Self.subprotocol], frameLimit: RelayConnectionHandler.pieceBytes)
        } catch {
            throw Self.notAsked
        }
        guard request.method == .get, let work = RequestWork.current else { throw Self.notAsked }
        let seat = try takeSeat(for: principal, proof)
        guard await !server.relay.hasLostRight(seat, by: server.identity) else { throw Problem.unauthorized }
        upgrade.addHandlers = { [connections = server.connections] channel in
            try channel.pipeline.syncOperations.addHandler(RelayConnectionHandler(seat, on: channel, connections))
        }
        work.setUpgrade(upgrade)
        return Response(status: .switchingProtocols)
    }

    private static var notAsked: Problem {
        .upgradeRequired("Here is a WebSocket (version 13) of the subprotocol \(subprotocol) alone.")
    }

    private func takeSeat(for principal: Principal, _ proof: any RequestProof) throws(Problem) -> Relay.Seat {
        do throws(RelayRefusal) {
            guard !server.connections.isStopping else { throw RelayRefusal.isStopping }
            return try server.relay.takeSeat(for: principal, proof)
        } catch {
            switch error {
            case .noTeam: throw Problem.conflict(error.words)
            case .isStopping, .isFull: throw Problem.unavailable(error.words, retryAfterSeconds: 30)
            case .userHasItsShare, .teamHasItsShare:
                throw Problem.tooManyRequests(retryAfterSeconds: 30, error.words)
            }
        }
    }
}
