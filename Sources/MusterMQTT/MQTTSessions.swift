import MusterCore
import MusterHTTP
import MusterServer
import MusterStore
import ServiceLifecycle
import Synchronization

/// The will of a client whose connection has ended, and how long it waits.
struct DelayedWill: Sendable {
    /// Seconds until it is published; 0 to publish it at once.
    let delaySeconds: UInt32
    /// Stores the will, if its client still may publish it, and returns then.
    let publish: @Sendable () async -> Void
}

/// The connected clients and the kept sessions. It limits both, and stores each session's place in the log.
final class MQTTSessions: Service {
    private struct State {
        var open: [MQTTSession.Key: MQTTConnection] = [:]
        /// The sessions that changed since they were stored; nil for a session that has ended.
        var unsaved: [MQTTSession.Key: MQTTSession?] = [:]
        var shares = FeedShares(capacity: MQTTLimits.connections)
        /// The counted bytes of connections that have not signed in, by the prefix of their address.
        var strangerBytes: [String: Int] = [:]
        var strangerByteCount = 0
        /// The wills that wait for their delay, or are being published.
        var wills: [MQTTSession.Key: WaitingWill] = [:]
        var willCount = 0
        /// The kept sessions of connections that began while the store had none of them.
        var reserved: [UserNumber: Set<MQTTSession.Key>] = [:]

        mutating func endReservation(of key: MQTTSession.Key) {
            reserved[key.user]?.remove(key)
            if reserved[key.user]?.isEmpty == true { reserved[key.user] = nil }
        }
    }

    private struct WaitingWill {
        /// Distinguishes the will from others of the same session.
        let number: Int
        let will: DelayedWill
        let task: Task<Void, Never>
        /// Whether the delay is over.
        var isBeingPublished: Bool
    }

    private let coordinator: StoreCoordinator
    private let state = Mutex(State())
    /// The connections that have not signed in.
    let strangers = StrangerCount(limit: MQTTLimits.strangers, limitOfAddress: MQTTLimits.strangersOfAddress)
    private let subscribeRates = RequestRates(
        .init(tries: MQTTLimits.subscribeBurst, perSecond: MQTTLimits.subscribesPerSecond))

    init(_ coordinator: StoreCoordinator) { self.coordinator = coordinator }

    /// Counts a SUBSCRIBE or an UNSUBSCRIBE, because each may have to look through everything retained, or write a
    /// session.
    ///
    /// - Returns: false when the user has sent too many, and then it is not counted.
    func countSubscribing(of user: UserNumber) -> Bool {
        subscribeRates.spendRequest("\(user.rawValue)", at: coordinator.now()) == 0
    }

    // MARK: Connections

    /// Changes how many bytes a connection holds that has not signed in.
    ///
    /// - Returns: false when the address, or all addresses together, would hold too many; then nothing changes.
    func changeStrangerBytes(from address: String, by change: Int) -> Bool {
        let prefix = AddressPrefix.of(address)
        return state.withLock { state in
            let ofAddress = state.strangerBytes[prefix, default: 0] + change
            let ofAll = state.strangerByteCount + change
            guard change <= 0 || (ofAddress <= MQTTLimits.strangerBytesOfAddress && ofAll <= MQTTLimits.strangerBytes)
            else { return false }
            state.strangerBytes[prefix] = ofAddress > 0 ? ofAddress : nil
            state.strangerByteCount = ofAll
            return true
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
            defer { state.open[key] = connection }
            return .success(state.open[key])
        }.get()
    }

    /// Removes a client from the count of its owner's clients. The session then has no connection, unless another
    /// connection has taken it over.
    func close(_ key: MQTTSession.Key, by owner: FeedOwner, _ connection: MQTTConnection) {
        state.withLock { state in
            state.shares.close(owner)
            guard state.open[key] === connection else { return }
            state.open[key] = nil
            // A session that is still to be stored counts until it is stored.
            if case .some(.some(_)) = state.unsaved[key] { return }
            state.endReservation(of: key)
        }
    }

    /// Publishes a client's will after its delay, unless the client connects again before then. When too many wills
    /// wait, this will is published at once.
    func publishWill(_ will: DelayedWill, of key: MQTTSession.Key) {
        state.withLock { state in
            let waiting = state.wills.filter { !$0.value.isBeingPublished }
            let mayWait =
                waiting.count < MQTTLimits.waitingWills
                && waiting.keys.count { $0.user == key.user } < MQTTLimits.waitingWillsOfUser
            let seconds = mayWait ? will.delaySeconds : 0
            state.willCount += 1
            let number = state.willCount
            let task = Task { [self] in
                if seconds > 0 { try? await Task.sleep(for: .seconds(Double(seconds))) }
                guard beginPublishing(willOf: key, number) else { return }
                await will.publish()
                endPublishing(willOf: key, number)
            }
            state.wills[key] = WaitingWill(number: number, will: will, task: task, isBeingPublished: seconds == 0)
        }
    }

    /// Marks a will as being published, because its delay is over.
    ///
    /// - Returns: false when its client came back before.
    private func beginPublishing(willOf key: MQTTSession.Key, _ number: Int) -> Bool {
        state.withLock { state in
            guard state.wills[key]?.number == number else { return false }
            state.wills[key]?.isBeingPublished = true
            return true
        }
    }

    private func endPublishing(willOf key: MQTTSession.Key, _ number: Int) {
        state.withLock { if $0.wills[key]?.number == number { $0.wills[key] = nil } }
    }

    /// Ends the delay of a client's will because the client has connected again. If the will is published, this returns
    /// after it is stored, so that it precedes everything that the new connection publishes.
    ///
    /// - Parameter isSessionResumed: whether the client resumes the session, which drops the will (MQTT-3.1.3-9).
    ///   Otherwise the session ends, and the will is published now (MQTT 5.0, section 3.1.3.2.2).
    func endWaiting(willOf key: MQTTSession.Key, isSessionResumed: Bool) async {
        let found = state.withLock { state -> WaitingWill? in
            guard let found = state.wills[key] else { return nil }
            if !found.isBeingPublished { state.wills[key] = nil }
            return found
        }
        guard let found else { return }
        if found.isBeingPublished { return await found.task.value }
        found.task.cancel()
        if !isSessionResumed { await found.will.publish() }
    }

    /// The connections of all clients.
    var connections: [MQTTConnection] { state.withLock { Array($0.open.values) } }

    /// The metrics of the endpoint's connections.
    var families: [MetricFamily] {
        let (open, (strangers, refused)) = (state.withLock { $0.open.count }, strangers.counts)
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

    /// Returns a kept session; nil when there is none or it has expired.
    ///
    /// - Throws: the errors of reading the store.
    func kept(_ key: MQTTSession.Key) async throws -> MQTTSession? {
        if let unsaved = state.withLock({ $0.unsaved[key] }) { return unsaved }
        let storeKey = MQTTSession.storeKey(key)
        let stored = try await coordinator.read { try $0.credential(.messagingSession, key: storeKey) }
        guard let stored, stored.expiresAt.map({ $0 > coordinator.now() }) ?? true else { return nil }
        return MQTTSession(key, stored: stored)
    }

    /// Counts a session of an open connection as kept, unless the user's limit is reached.
    ///
    /// - Returns: false when the limit is reached.
    /// - Throws: the errors of reading the store.
    func reserveRoom(for key: MQTTSession.Key) async throws -> Bool {
        let now = coordinator.now()
        let stored = try await coordinator.read { store in
            try store.credentials(.messagingSession, of: key.user)
                .filter { $0.expiresAt.map { $0 > now } ?? true }.map(\.key)
        }
        return state.withLock { state in
            var others = Set(stored)
            for other in state.reserved[key.user] ?? [] { others.insert(MQTTSession.storeKey(other)) }
            others.remove(MQTTSession.storeKey(key))
            guard others.count < MQTTLimits.keptSessions else { return false }
            state.reserved[key.user, default: []].insert(key)
            return true
        }
    }

    /// Stores a session and returns once it is on disk. Does nothing when its user or device has been removed.
    func save(_ session: MQTTSession) async throws {
        try await coordinator.storeState { [coordinator] transaction, now in
            guard Self.hasOwner(session.key, in: coordinator.directory) else { return }
            try Self.storeSession(session, session.key, in: transaction, at: now)
        }
    }

    /// Whether the user of a session, and its device if it has one, still exist.
    private static func hasOwner(_ key: MQTTSession.Key, in directory: Directory) -> Bool {
        directory.users[key.user] != nil && key.device.map { directory.devices[$0] != nil } ?? true
    }

    /// Stores a session within `MQTTLimits.saveSeconds`. Deletes the stored one if the session is not to be kept.
    func saveSoon(_ session: MQTTSession) {
        state.withLock { $0.unsaved[session.key] = .some(session.isKept ? session : nil) }
    }

    private static func storeSession(
        _ session: MQTTSession?, _ key: MQTTSession.Key, in transaction: any StoreTransaction, at now: Instant
    ) throws {
        guard let session else {
            return try transaction.removeCredential(.messagingSession, key: MQTTSession.storeKey(key))
        }
        try transaction.put(session.stored(at: now))
    }

    /// Stores the changed sessions every second, and once more when the server stops.
    func run() async throws {
        try? await cancelWhenGracefulShutdown { [self] in
            while true {
                try await Task.sleep(for: .seconds(MQTTLimits.saveSeconds))
                await saveSome()
            }
        }
        while !state.withLock({ $0.unsaved.isEmpty }), await saveSome() {}
    }

    /// Stores some sessions. Sessions that could not be written are stored in a later round.
    ///
    /// - Returns: whether the sessions were stored.
    @discardableResult
    private func saveSome() async -> Bool {
        let some = state.withLock { state in
            let some = state.unsaved.prefix(MQTTLimits.savedAtOnce).map { ($0.key, $0.value) }
            for (key, _) in some { state.unsaved[key] = nil }
            return some
        }
        guard !some.isEmpty else { return true }
        do {
            try await coordinator.storeState { [coordinator] transaction, now in
                // A session is not stored when its user or device has been removed meanwhile.
                let directory = coordinator.directory
                for (key, session) in some where Self.hasOwner(key, in: directory) {
                    try Self.storeSession(session, key, in: transaction, at: now)
                }
            }
            state.withLock { state in
                for (key, _) in some where state.open[key] == nil && state.unsaved[key] == nil {
                    state.endReservation(of: key)
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
