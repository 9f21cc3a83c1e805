public import Foundation
import MusterCoding
import MusterReplication
import MusterWire

/// Registering a device for silent pushes about datasets.
extension Muster {
    /// The push service through which a device receives pushes.
    public enum PushPlatform: String, Hashable, Sendable {
        /// Apple's push notification service.
        case apns
        /// Apple's push notification service for development builds (the sandbox).
        case apnsSandbox = "apns-sandbox"
        /// Firebase Cloud Messaging.
        case fcm
    }

    /// A subscription of Web Push (RFC 8030), as a UnifiedPush distributor gives it.
    public struct WebPushSubscription: Hashable, Sendable {
        /// The address that pushes are posted to.
        public var endpoint: String
        /// The device's public key on P-256 (`p256dh`), in base64url.
        public var publicKey: String
        /// The authentication secret (`auth`), in base64url.
        public var secret: String

        /// Makes a subscription of what the distributor gave the app.
        public init(endpoint: String, publicKey: String, secret: String) {
            self.endpoint = endpoint
            self.publicKey = publicKey
            self.secret = secret
        }
    }

    /// Registers this device for pushes of the person who is signed in, or registers it again with another token. This
    /// device stores the id that the server returns. The server sends a device no push about the device's own changes.
    ///
    /// - Parameters:
    ///   - platform: the push service that sends to this device.
    ///   - token: the device's token, as the push service gave it; Apple's as hexadecimal digits.
    /// - Returns: the id of the device.
    /// - Throws: `.away`, `.signedOut`, `.signInNeeded`; `.unexpected` for a token that the server refuses;
    ///   `.deviceFull`, `.storeUnavailable`, `.cancelled`, `.closed`.
    @discardableResult
    public func registerDevice(_ platform: PushPlatform, token: String) async throws(MusterError) -> String {
        try await register([.init("platform", .string(platform.rawValue)), .init("token", .string(token))])
    }

    /// Registers this Apple device, with the result and the errors of `registerDevice(_:token:)`.
    ///
    /// - Parameters:
    ///   - token: the token that the system passed to `didRegisterForRemoteNotificationsWithDeviceToken`.
    ///   - isDebugging: whether the app is signed for development.
    @discardableResult
    public func registerDevice(_ token: Data, isDebugging: Bool = false) async throws(MusterError) -> String {
        try await registerDevice(isDebugging ? .apnsSandbox : .apns, token: [UInt8](token).hexadecimal)
    }

    /// What a token of ActivityKit is for.
    public enum LiveActivity: Hashable, Sendable {
        /// The token begins Live Activities: `pushToStartTokenUpdates` gives it.
        case start
        /// The token ends the Live Activity of this incident: the activity's `pushTokenUpdates` gives it.
        case incident(Int64)
    }

    /// Registers a token of ActivityKit, by which the server begins or ends this device's Live Activities of incidents
    /// (docs/push.md). `unregisterDevice` removes it, too.
    ///
    /// - Parameters:
    ///   - activity: what the token is for.
    ///   - token: the token that the system gave.
    ///   - isDebugging: whether the app is signed for development.
    /// - Returns: the id of the registration.
    /// - Throws: as `registerDevice(_:token:)`; `.unexpected` also for an incident that is over, or of another team.
    @discardableResult
    public func registerActivity(
        _ activity: LiveActivity, token: Data, isDebugging: Bool = false
    ) async throws(MusterError) -> String {
        let platform = isDebugging ? PushPlatform.apnsSandbox : .apns
        let value: JSONValue =
            switch activity {
            case .start: .string("start")
            case .incident(let number): .integer(number)
            }
        return try await inWords {
            let id = try await requestRegistration([
                .init("platform", .string(platform.rawValue)), .init("token", .string([UInt8](token).hexadecimal)),
                .init("activity", value),
            ])
            try await store.addPushActivity(id)
            return id
        }
    }

    /// Registers this device by a subscription of Web Push, with the result and the errors of
    /// `registerDevice(_:token:)`.
    @discardableResult
    public func registerDevice(_ subscription: WebPushSubscription) async throws(MusterError) -> String {
        let keys = JSONValue.object([
            .init("p256dh", .string(subscription.publicKey)), .init("auth", .string(subscription.secret)),
        ])
        return try await register([
            .init("platform", .string("webpush")),
            .init("subscription", .object([.init("endpoint", .string(subscription.endpoint)), .init("keys", keys)])),
        ])
    }

    /// Whether this device was registered for pushes.
    public var isDeviceRegistered: Bool {
        get async throws(MusterError) { try await unlessClosed { try await store.pushDeviceID() != nil } }
    }

    /// Removes this device's registration, and those of its Live Activities: the server sends it no more pushes.
    ///
    /// - Throws: as `registerDevice`; a device that was not registered is not a failure.
    public func unregisterDevice() async throws(MusterError) {
        try await unlessClosed {
            // All requests go at once, so that signing out is quick, and one that fails ends no other. A token that
            // stayed would show the next evacuation on a phone on which nobody is signed in.
            let ids = try await store.registrationIDs()
            let outcomes = await withTaskGroup(of: (String, Result<Void, any Error>).self) { group in
                for id in ids {
                    group.addTask {
                        do { return (id, .success(try await self.remove(id))) } catch { return (id, .failure(error)) }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            try await store.forgetRegistrations(outcomes.filter { (try? $0.1.get()) != nil }.map(\.0))
            for outcome in outcomes { try outcome.1.get() }
        }
    }

    private func remove(_ device: String) async throws {
        try await native.requestJSON("DELETE", "push/devices/\(PercentEncoding.encode(device))", admitting: 404)
    }

    /// Subscribes this device to pushes about datasets.
    ///
    /// - Parameter names: the datasets; nil: all that this device has (`datasetNames()`).
    /// - Throws: as `Dataset.subscribe()`.
    public func subscribeAll(_ names: [String]? = nil) async throws(MusterError) {
        let known = try await datasetNames()
        for name in names ?? known { try await dataset(name).subscribe() }
    }

    private func register(_ members: [JSONValue.Member]) async throws(MusterError) -> String {
        try await inWords {
            let id = try await requestRegistration(members)
            try await store.storePushDevice(id)
            return id
        }
    }

    private func requestRegistration(_ members: [JSONValue.Member]) async throws -> String {
        let answer = try await native.requestJSON("POST", "push/devices", json: JSONValue.object(members).bytes)
        guard let id = answer["id"]?.string else { throw ReplicationError.malformed("the answer has no id") }
        return id
    }

    /// Requests to the native API as the person who is signed in.
    private var native: DatasetService {
        DatasetService { [weak self] in
            guard let self else { throw MusterError.closed }
            return try await self.exchange($0, $1, $2)
        }
    }
}

extension Muster.Dataset {
    /// Subscribes this device to pushes about the dataset. The dataset need not exist on the server yet.
    ///
    /// - Throws: `.deviceNotRegistered` before `Muster.registerDevice`, and where the server removed the device because
    ///   its token was no longer valid; `.away`, `.signedOut`, `.signInNeeded`, `.cancelled`, `.closed`.
    public func subscribe() async throws(MusterError) { try await changeSubscription("PUT") }

    /// Ends the subscription. Where there is none, this does nothing.
    ///
    /// - Throws: as `subscribe`.
    public func unsubscribe() async throws(MusterError) { try await changeSubscription("DELETE") }

    private func changeSubscription(_ method: String) async throws(MusterError) {
        try await inWords {
            guard let id = try await store.pushDeviceID() else { throw MusterError.deviceNotRegistered }
            let path = "datasets/\(PercentEncoding.encode(name))/subscriptions/\(PercentEncoding.encode(id))"
            do {
                try await server.requestJSON(method, path)
            } catch ReplicationError.refused(status: 404, _, _) {
                if method == "DELETE" { return }
                try await store.forgetRegistrations([id])
                throw MusterError.deviceNotRegistered
            }
        }
    }
}

extension LocalStore {
    /// This device's registration for pushes.
    private struct RegisteredDevice: Codable, Sendable {
        /// The id that the server gave this device; nil if it is not registered.
        var id: String?
        /// The ids of this device's Live Activities, the newest last; nil in a note of an earlier version.
        var activities: [String]?
    }

    private static let deviceNote = "push-device"
    /// The largest number of ids of Live Activities: the server keeps no more.
    private static let activityLimit = 40

    /// The server's id of this push device; nil where it was not registered.
    func pushDeviceID() async throws -> String? {
        try await registeredDevice().id
    }

    /// Stores the server's id of this push device.
    func storePushDevice(_ id: String) async throws { try await changeRegisteredDevice { $0.id = id } }

    /// The server's ids of this push device and of its Live Activities.
    func registrationIDs() async throws -> [String] {
        let device = try await registeredDevice()
        return (device.id.map { [$0] } ?? []) + (device.activities ?? [])
    }

    /// Stores the server's id of a Live Activity.
    func addPushActivity(_ id: String) async throws {
        try await changeRegisteredDevice { device in
            let others = (device.activities ?? []).filter { $0 != id }
            device.activities = (others + [id]).suffix(Self.activityLimit)
        }
    }

    /// Forgets ids of the server's; one that was stored since stays.
    func forgetRegistrations(_ ids: [String]) async throws {
        guard !ids.isEmpty else { return }
        try await changeRegisteredDevice { device in
            if let id = device.id, ids.contains(id) { device.id = nil }
            device.activities?.removeAll { ids.contains($0) }
        }
    }

    private func registeredDevice() async throws -> RegisteredDevice {
        try await storedValue(of: Self.deviceNote, as: RegisteredDevice.self) ?? RegisteredDevice()
    }

    private func changeRegisteredDevice(_ change: @escaping @Sendable (inout RegisteredDevice) -> Void) async throws {
        try await changeValue(note: Self.deviceNote, from: RegisteredDevice(), change)
    }
}
