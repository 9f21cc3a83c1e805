import MusterCore
import MusterHTTP
import MusterServer
import ServiceLifecycle
import Synchronization

/// The connected clients, one for each device, and the connections that have not shown a certificate. It limits both.
final class TAKClients: Service {
    private struct State {
        var open: [DeviceNumber: (connection: TAKConnection, owner: FeedOwner)] = [:]
        var shares = FeedShares(capacity: TAKLimits.clients)
    }

    private let state = Mutex(State())
    /// The connections that have not shown a certificate.
    let strangers = StrangerCount(limit: TAKLimits.strangers, limitOfAddress: TAKLimits.strangersOfAddress)

    /// Makes a connection that of its device. It takes the place of the device's connection before, so a phone that
    /// connects again finds a place also where all are taken.
    ///
    /// - Returns: the connection that the device had before, which must end.
    /// - Throws: `FeedShares.Refusal` when the user or the server has reached a limit.
    func open(
        _ device: DeviceNumber, by owner: FeedOwner, _ connection: TAKConnection
    ) throws(FeedShares.Refusal) -> TAKConnection? {
        try state.withLock { state -> Result<TAKConnection?, FeedShares.Refusal> in
            let previous = state.open[device]
            if let previous, previous.owner.user == owner.user {
                // The place stays that of the device.
                state.open[device] = (connection, previous.owner)
                return .success(previous.connection)
            }
            if let previous { state.shares.close(previous.owner) }
            do throws(FeedShares.Refusal) {
                try state.shares.open(owner)
            } catch {
                if let previous { try? state.shares.open(previous.owner) }
                return .failure(error)
            }
            state.open[device] = (connection, owner)
            return .success(previous?.connection)
        }.get()
    }

    /// Removes a connection from the count, unless another has taken its place.
    func close(_ device: DeviceNumber, _ connection: TAKConnection) {
        state.withLock { state in
            guard let known = state.open[device], known.connection === connection else { return }
            state.shares.close(known.owner)
            state.open[device] = nil
        }
    }

    /// The connections of all devices.
    var connections: [TAKConnection] { state.withLock { $0.open.values.map(\.connection) } }

    var families: [MetricFamily] {
        let (clients, (strangers, refused)) = (state.withLock { $0.shares.count }, strangers.counts)
        return [
            MetricFamily(
                "muster_tak_connections", .gauge, "Connections of TAK clients.", by: "state",
                [("open", Double(clients)), ("without_certificate", Double(strangers))]),
            MetricFamily(
                "muster_tak_refused_total", .counter,
                "Connections to the port for TAK that were closed at once, because too many had shown no certificate.",
                Double(refused)),
        ]
    }

    /// Closes the connections when the server stops.
    func run() async throws {
        try? await gracefulShutdown()
        for connection in connections { await connection.close() }
    }
}

/// Whether something has happened, as any thread sees it.
final class TAKFlag: Sendable {
    private let state = Atomic<Bool>(false)

    var isSet: Bool { state.load(ordering: .acquiring) }

    func set() { state.store(true, ordering: .releasing) }
}
