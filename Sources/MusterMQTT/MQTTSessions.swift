import MusterCore
import MusterHTTP
import MusterServer
import MusterStore
import ServiceLifecycle
import Synchronization

/// The connected clients and the kept sessions. Limits both, and stores how far each session has the log.
final class MQTTSessions: Service {
    private struct State {
        var open: [MQTTSession.Key: MQTTConnection] = [:]
        /// Sessions that the store has in an older form. nil for one that has ended.
        var unsaved: [MQTTSession.Key: MQTTSession?] = [:]
        var shares = FeedShares(capacity: MQTTLimits.connections)
        var strangers: [String: Int] = [:]
        var strangerCount = 0
        var refusedStrangers = 0
        /// The wills that wait until their delay is over.
        var wills: [MQTTSession.Key: Int] = [:]
        var willCount = 0
    }

    private let coordinator: StoreCoordinator
    private let state = Mutex(State())

    init(_ coordinator: StoreCoordinator) { self.coordinator = coordinator }

    // MARK: Connections

    /// Counts a connection that has not signed in.
    ///
    /// - Returns: whether there is room for it.
    func admitStranger(from address: String) -> Bool {
        let prefix = AddressPrefix.of(address)
        return state.withLock { state in
            guard state.strangerCount < MQTTLimits.strangers,
                state.strangers[prefix, default: 0] < MQTTLimits.strangersOfAddress
            else {
                state.refusedStrangers += 1
                return false
            }
            state.strangers[prefix, default: 0] += 1
            state.strangerCount += 1
            return true
        }
    }

    /// Ends the count of a connection that has signed in, or has closed before.
    func forgetStranger(from address: String) {
        let prefix = AddressPrefix.of(address)
        state.withLock { state in
            state.strangers[prefix] = state.strangers[prefix].flatMap { $0 > 1 ? $0 - 1 : nil }
            state.strangerCount -= 1
        }
    }

    /// Counts a client of a user and makes it the session's connection.
    ///
    /// - Returns: the connection that had the session before, which must end.
    /// - Throws: `FeedShares.Refusal` when the user or the server has reached a limit.
    func open(
        _ key: MQTTSession.Key, by owner: FeedOwner, _ connection: MQTTConnection
    ) throws(FeedShares.Refusal) -> MQTTConnection? {
        try state.withLock { state -> Result<MQTTConnection?, FeedShares.Refusal> in
            do throws(FeedShares.Refusal) { try state.shares.open(owner) } catch { return .failure(error) }
            // The client is back before its will was due.
            state.wills[key] = nil
            defer { state.open[key] = connection }
            return .success(state.open[key])
        }.get()
    }

    /// Ends the count of a client. The session has no connection any more, unless another has taken it.
    func close(_ key: MQTTSession.Key, by owner: FeedOwner, _ connection: MQTTConnection) {
        state.withLock { state in
            state.shares.close(owner)
            if state.open[key] === connection { state.open[key] = nil }
        }
    }

    /// Publishes a client's will after a delay, unless the session is taken up again before.
    func publishWill(
        of key: MQTTSession.Key, afterSeconds seconds: UInt32, _ publish: @escaping @Sendable () async -> Void
    ) {
        let number = state.withLock { state -> Int? in
            guard seconds > 0, state.wills.count < MQTTLimits.waitingWills else { return nil }
            state.willCount += 1
            state.wills[key] = state.willCount
            return state.willCount
        }
        Task {
            if let number {
                try? await Task.sleep(for: .seconds(Double(seconds)))
                let isDue = state.withLock { state in
                    guard state.wills[key] == number else { return false }
                    state.wills[key] = nil
                    return true
                }
                guard isDue else { return }
            }
            await publish()
        }
    }

    /// All clients.
    var connections: [MQTTConnection] { state.withLock { Array($0.open.values) } }

    /// The metrics of the endpoint's connections.
    var families: [MetricFamily] {
        let (open, strangers, refused) = state.withLock { ($0.open.count, $0.strangerCount, $0.refusedStrangers) }
        return [
            MetricFamily(
                "muster_mqtt_connections", .gauge, "Connections of MQTT clients, by whether they have signed in.",
                by: "signed_in", [("yes", Double(open)), ("no", Double(strangers))]),
            MetricFamily(
                "muster_mqtt_refused_connections_total", .counter,
                "Connections that were closed because too many had not signed in.", Double(refused)),
        ]
    }

    // MARK: Kept sessions

    /// Returns a session that was kept; nil where there is none, or it has expired.
    ///
    /// - Throws: the errors of reading the store.
    func kept(_ key: MQTTSession.Key) async throws -> MQTTSession? {
        if let unsaved = state.withLock({ $0.unsaved[key] }) { return unsaved }
        let storeKey = MQTTSession.storeKey(key)
        let stored = try await coordinator.read { try $0.credential(.messagingSession, key: storeKey) }
        guard let stored, stored.expiresAt.map({ $0 > coordinator.now() }) ?? true else { return nil }
        return MQTTSession(key, stored: stored)
    }

    /// Whether the user may have one more session kept.
    ///
    /// - Throws: the errors of reading the store.
    func hasRoom(for key: MQTTSession.Key) async throws -> Bool {
        let storeKey = MQTTSession.storeKey(key)
        let now = coordinator.now()
        let others = try await coordinator.read { store in
            try store.credentials(.messagingSession, of: key.user)
                .count { $0.key != storeKey && $0.expiresAt.map { $0 > now } ?? true }
        }
        return others < MQTTLimits.keptSessions
    }

    /// Stores a session at once.
    ///
    /// - Returns: once it is on disk.
    func save(_ session: MQTTSession) async throws {
        try await coordinator.storeState { try Self.put(session, session.key, in: $0, at: $1) }
    }

    /// Stores a session within `MQTTLimits.saveSeconds`. One that is not kept is removed.
    func saveSoon(_ session: MQTTSession) {
        state.withLock { $0.unsaved[session.key] = .some(session.isKept ? session : nil) }
    }

    private static func put(
        _ session: MQTTSession?, _ key: MQTTSession.Key, in transaction: any StoreTransaction, at now: Instant
    ) throws {
        guard let session else {
            return try transaction.removeCredential(.messagingSession, key: MQTTSession.storeKey(key))
        }
        try transaction.put(session.stored(at: now))
    }

    /// Stores what changed, every second and at the end.
    func run() async throws {
        try? await cancelWhenGracefulShutdown { [self] in
            while true {
                try await Task.sleep(for: .seconds(MQTTLimits.saveSeconds))
                await saveSome()
            }
        }
        while !state.withLock({ $0.unsaved.isEmpty }), await saveSome() {}
    }

    /// Stores some sessions. What the disk refuses is tried again.
    ///
    /// - Returns: whether they were stored.
    @discardableResult
    private func saveSome() async -> Bool {
        let directory = coordinator.directory
        let some = state.withLock { state in
            let some = state.unsaved.prefix(MQTTLimits.savedAtOnce).map { ($0.key, $0.value) }
            for (key, _) in some { state.unsaved[key] = nil }
            return some
        }
        guard !some.isEmpty else { return true }
        do {
            try await coordinator.storeState { transaction, now in
                // A user or a device that was removed meanwhile leaves no session behind.
                for (key, session) in some
                where directory.users[key.user] != nil && key.device.map({ directory.devices[$0] != nil }) ?? true {
                    try Self.put(session, key, in: transaction, at: now)
                }
            }
            return true
        } catch {
            state.withLock { state in
                for (key, session) in some where state.unsaved[key] == nil { state.unsaved[key] = .some(session) }
            }
            return false
        }
    }
}
