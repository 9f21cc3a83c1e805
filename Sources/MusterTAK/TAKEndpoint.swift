package import MusterServer
package import ServiceLifecycle

/// Receives positions and calls for help from TAK clients (ATAK, iTAK, WinTAK), and sends them the people whom they may
/// see, the regions of their team, and calls for help (docs/tak.md).
///
/// Each client shows the certificate of a device, which is the device's credential as its token is elsewhere. Nothing
/// that a client sends makes anybody safe: positions take the way of all positions, and a call for help is the only
/// declaration.
package struct TAKEndpoint: Endpoint {
    private let parts: ServerParts
    private let clients = TAKClients()

    package init(_ parts: ServerParts) {
        self.parts = parts
        guard parts.configuration.tak.port != nil else { return }
        parts.metrics.addSource { [clients] in clients.families }
    }

    /// Adds the routes by which clients enroll; everything else goes over a port of its own.
    package func register(in routes: inout RouteTable) { TAKEnrollment(parts: parts).register(in: &routes) }

    /// The services of the port and of its clients. Services stop in reverse order, so the port stops first.
    package var services: [any Service] {
        guard let port = parts.configuration.tak.port else { return [] }
        let picture = TAKPicture(parts)
        let broadcast = TAKBroadcast(parts, picture)
        return [
            clients, broadcast,
            ProofWatch(parts, beatSeconds: TAKLimits.beatSeconds) { [clients] in
                for connection in clients.connections { await connection.verifyStill() }
            },
            TAKPort(parts: parts, clients: clients, picture: picture, broadcast: broadcast, port: port),
        ]
    }
}
