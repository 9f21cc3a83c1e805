import Logging
package import MusterCore
import MusterStore
import Synchronization

/// Why a push device cannot be used.
package enum PushDeviceError: Error, Hashable, Sendable {
    /// The user has reached the limit of push devices.
    case tooMany(limit: Int)
    /// The user has no such device.
    case unknown
    /// The incident of a Live Activity is over, or calls other people.
    case notCalled
    /// The server cannot send to this platform, because it has no credentials for it.
    case notServed(PushPlatform)
    /// Too many test messages were sent to the user's devices, or some are under way; another may be sent after some
    /// seconds.
    case tooManyTests(seconds: Int)
}

extension PushDeviceError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tooMany(let limit): "There are \(limit) push devices already: remove one first."
        case .unknown: "There is no such push device."
        case .notCalled: "There is no open incident of this number in your team."
        case .notServed(let platform):
            "This server cannot send by \(platform.rawValue): its operator has given it no credentials for it."
        case .tooManyTests(let seconds): "There were too many tests. Try again in \(seconds) s."
        }
    }
}

/// The outcome of a test message to one device.
package struct PushTestResult: Sendable {
    package let device: PushDevice
    package let outcome: PushOutcome
}

extension PushDispatcher {
    /// The largest number of push devices of a user.
    package static let deviceLimit = 20
    /// The largest number of a user's tokens that begin Live Activities, and of those that end one.
    package static let activityLimit = 20

    /// Registers a device of a user, or replaces its registration. A device that another user had registered, or that
    /// was registered for something else, then belongs to this registration, and its subscriptions end.
    ///
    /// Tokens of Live Activities do not count as devices. The newest `activityLimit` of each kind stay: an app does not
    /// say which of its tokens a new one replaces.
    ///
    /// - Throws: `PushDeviceError`; `CoordinatorError`, `StoreError`.
    package func register(_ address: PushAddress, for user: UserNumber, by author: Author) async throws -> PushDevice {
        guard senders.serves(address.platform) else { throw PushDeviceError.notServed(address.platform) }
        let credential = address.credential(of: user, sealedBy: vault, at: now())
        guard let device = PushDevice(credential) else { throw PushDeviceError.unknown }
        try await coordinator.edit(by: author) { directory, draft in
            guard directory.users[user] != nil else { throw PushDeviceError.unknown }
            try Self.requireCall(of: device.activity, user, directory, draft.transaction)
            let former = try draft.transaction.credential(.pushDevice, key: credential.key)
            if former?.user != user || former.flatMap({ PushDevice($0) })?.activity != device.activity {
                try Self.makeRoom(for: device, of: user, &draft)
                if former != nil { try draft.transaction.removePushDevice(device.id) }
            }
            draft.credentials.append(credential)
        }
        return device
    }

    /// - Throws: `PushDeviceError.notCalled` for the activity of an incident that does not call this user.
    private static func requireCall(
        of activity: PushActivity?, _ user: UserNumber, _ directory: Directory, _ transaction: any StoreTransaction
    ) throws {
        guard case .incident(let number)? = activity else { return }
        guard let team = directory.users[user]?.team, let incident = try transaction.incident(number),
            incident.isOpen, incident.team == team
        else { throw PushDeviceError.notCalled }
    }

    /// Removes a user's oldest tokens of the same kind of Live Activity beyond the limit.
    ///
    /// - Throws: `PushDeviceError.tooMany` for a device: the server removes no other device for it.
    private static func makeRoom(for device: PushDevice, of user: UserNumber, _ draft: inout Draft) throws {
        let others = try draft.store.credentials(.pushDevice, of: user).compactMap { PushDevice($0) }
            .filter { $0.id != device.id }
        guard let activity = device.activity else {
            guard others.count(where: { $0.activity == nil }) < deviceLimit else {
                throw PushDeviceError.tooMany(limit: deviceLimit)
            }
            return
        }
        let alike = others.filter { activity.isAlike($0.activity) }
            .sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
        for oldest in alike.dropLast(activityLimit - 1) { try draft.transaction.removePushDevice(oldest.id) }
    }

    /// Tells the operator, once, that a service refuses the configuration for its platform. `/health` shows it until
    /// the service accepts a message.
    func watchConfiguration(_ outcome: PushOutcome, of platform: PushPlatform, device: String) {
        let fault = record.withLock { [moment = now()] in
            $0.recordConfiguration(outcome, of: platform, device: device, at: moment)
        }
        guard let fault else { return }
        logger.error(
            "A push service refuses this server's configuration: no message arrives until it is mended",
            metadata: [
                "platform": "\(platform.rawValue)", "why": "\(fault.reason)", "do": "\(fault.advice)",
                "meanwhile": "devices stay registered, and their messages wait",
            ])
    }

    /// Why an address may not be called; nil where it may, or where that is known only once its name is looked up.
    package func refusal(of address: PushAddress) -> String? { senders.refusal(of: address) }

    /// A user's push devices and tokens of Live Activities, each with the datasets that it subscribed to, oldest first.
    ///
    /// - Throws: `StoreError`.
    package func devices(of user: UserNumber) async throws -> [(device: PushDevice, datasets: [String])] {
        try await coordinator.read { store in
            try store.credentials(.pushDevice, of: user).compactMap { PushDevice($0) }
                .sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
                .map { ($0, try store.pushSubscriptions(of: $0.id)) }
        }
    }

    /// Removes a push device of a user, with its subscriptions.
    ///
    /// - Throws: `PushDeviceError.unknown`; `CoordinatorError`, `StoreError`.
    package func remove(_ device: String, of user: UserNumber) async throws {
        try await coordinator.storeState { transaction, _ in
            try Self.requireDevice(device, of: user, transaction)
            try transaction.removePushDevice(device)
        }
    }

    /// Subscribes a device of a user to one of the user's datasets, which need not exist yet.
    ///
    /// - Throws: `PushDeviceError.unknown`; `CoordinatorError`, `StoreError`.
    package func subscribe(_ device: String, to dataset: String, of user: UserNumber) async throws {
        try await coordinator.storeState { transaction, _ in
            guard try Self.requireDevice(device, of: user, transaction).activity == nil else {
                throw PushDeviceError.unknown
            }
            try transaction.subscribe(device, to: dataset, of: user)
        }
    }

    /// Ends a subscription. Does nothing where the device has none.
    ///
    /// - Throws: `PushDeviceError.unknown`; `CoordinatorError`, `StoreError`.
    package func unsubscribe(_ device: String, from dataset: String, of user: UserNumber) async throws {
        try await coordinator.storeState { transaction, _ in
            try Self.requireDevice(device, of: user, transaction)
            _ = try transaction.unsubscribe(device, from: dataset)
        }
    }

    @discardableResult
    private static func requireDevice(
        _ device: String, of user: UserNumber, _ transaction: any StoreTransaction
    ) throws -> PushDevice {
        guard let credential = try transaction.credential(.pushDevice, key: Array(device.utf8)),
            credential.user == user, let device = PushDevice(credential)
        else { throw PushDeviceError.unknown }
        return device
    }

    /// The public key that subscriptions of Web Push are made with. It is made when it is first asked for.
    ///
    /// - Throws: `CoordinatorError`, `StoreError`.
    package func webPushKey() async throws -> String {
        try await VAPIDKey.open(of: coordinator, vault).publicText
    }

    /// Sends a test message to each push device of a user at once, and returns the outcome for each. A device that its
    /// service no longer knows is removed.
    ///
    /// - Throws: `PushDeviceError.tooManyTests`; `CoordinatorError`, `StoreError`.
    package func test(_ user: UserNumber) async throws -> [PushTestResult] {
        let moment = now()
        try testLimiter.withLock { try $0.begin(user, at: moment) }
        defer { testLimiter.withLock { $0.end(user) } }
        let credentials = try await coordinator.read { store in
            try store.credentials(.pushDevice, of: user).filter { PushDevice($0)?.activity == nil }
        }
        let message = PushMessage.test(at: now())
        let results = await withTaskGroup(of: PushTestResult?.self) { group in
            for credential in credentials {
                group.addTask { [self] in
                    guard let device = PushDevice(credential) else { return nil }
                    return PushTestResult(device: device, outcome: await attempt(message, to: credential))
                }
            }
            return await group.reduce(into: [PushTestResult]()) { if let result = $1 { $0.append(result) } }
        }
        let gone = results.compactMap { result -> (device: String, end: Instant)? in
            guard case .gone(_, let end) = result.outcome else { return nil }
            return (result.device.id, end ?? result.device.createdAt)
        }
        if !gone.isEmpty {
            try await coordinator.storeState { transaction, _ in
                for (device, end) in gone { try transaction.removePushDevice(device, registeredBy: end) }
            }
        }
        return results.sorted { ($0.device.createdAt, $0.device.id) < ($1.device.createdAt, $1.device.id) }
    }
}

/// Limits test messages, each of which makes the server call up to `PushDispatcher.deviceLimit` addresses that the user
/// chose: one test of a user at a time, 10 at once one after the other, and then one in 10 s.
struct PushTestLimiter {
    private var buckets = TokenBuckets(.init(tries: 10, perSecond: 0.1), capacity: 10_000)
    private var underWay: Set<UserNumber> = []
    /// The seconds that one test can take at most.
    private static let longestSeconds = 20

    /// - Throws: `PushDeviceError.tooManyTests`.
    mutating func begin(_ user: UserNumber, at now: Instant) throws(PushDeviceError) {
        guard !underWay.contains(user) else { throw .tooManyTests(seconds: Self.longestSeconds) }
        let wait = buckets.spendOne(for: "\(user.rawValue)", at: now)
        guard wait == 0 else { throw .tooManyTests(seconds: Int(wait.rounded(.up))) }
        underWay.insert(user)
    }

    mutating func end(_ user: UserNumber) { underWay.remove(user) }
}

extension StoreTransaction {
    /// Removes a push device that its service no longer knows, with its subscriptions and the pushes that wait for it.
    /// Does nothing if the device registered again after the moment in which it was gone.
    ///
    /// - Parameter moment: when the device was registered at the latest; nil for a device that the store did not have.
    ///   A device that registered again since then is not removed.
    func removePushDevice(_ device: String, registeredBy moment: Instant?) throws {
        if let stored = try credential(.pushDevice, key: Array(device.utf8)) {
            guard let moment, stored.createdAt <= moment else { return }
        }
        try removePushDevice(device)
    }
}
