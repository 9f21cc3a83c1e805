public import Foundation
import MusterCoding
import MusterReplication
import MusterWire

/// How an app registers its device for silent pushes about datasets.
extension Muster {
    /// Through whose service pushes reach a device.
    public enum PushPlatform: String, Hashable, Sendable {
        /// Apple's push notification service.
        case apns
        /// Apple's, for an app that is being developed.
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

    /// Registers this device for pushes of the person who is signed in, or registers it again with another token. The
    /// server's id of it is stored, and the server sends it no push about what it changed itself.
    ///
    /// - Parameters:
    ///   - platform: the push service that sends to this device.
    ///   - token: the device's token, as the push service gave it; Apple's as hexadecimal digits.
    /// - Returns: the id of the device.
    /// - Throws: `.away`, `.signedOut`, `.signInNeeded`; `.unexpected` for a token that the server does not take;
    ///   `.deviceFull`, `.storeUnavailable`, `.cancelled`, `.closed`.
    @discardableResult
    public func registerDevice(_ platform: PushPlatform, token: String) async throws(MusterError) -> String {
        try await register([.init("platform", .string(platform.rawValue)), .init("token", .string(token))])
    }

    /// Registers this Apple device, as above.
    ///
    /// - Parameters:
    ///   - token: what `didRegisterForRemoteNotificationsWithDeviceToken` was called with.
    ///   - isDebugging: whether the app is signed for development.
    @discardableResult
    public func registerDevice(_ token: Data, isDebugging: Bool = false) async throws(MusterError) -> String {
        try await registerDevice(isDebugging ? .apnsSandbox : .apns, token: [UInt8](token).hexadecimal)
    }

    /// Registers this device by a subscription of Web Push, as above.
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
        get async throws(MusterError) { try await inWords { try await store.pushDeviceID() != nil } }
    }

    /// Removes this device from those that pushes are sent to.
    ///
    /// - Throws: as `registerDevice`; a device that was not registered is no failure.
    public func unregisterDevice() async throws(MusterError) {
        try await inWords {
            guard let id = try await store.pushDeviceID() else { return }
            try await native.requestJSON("DELETE", "push/devices/\(PercentEncoding.encode(id))", admitting: 404)
            try await store.storePushDevice(nil)
        }
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
            let answer = try await native.requestJSON("POST", "push/devices", json: JSONValue.object(members).bytes)
            guard let id = answer["id"]?.string else { throw ReplicationError.malformed("the answer has no id") }
            try await store.storePushDevice(id)
            return id
        }
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
    ///   its token was no longer good; `.away`, `.signedOut`, `.signInNeeded`, `.cancelled`, `.closed`.
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
                try await store.storePushDevice(nil)
                throw MusterError.deviceNotRegistered
            }
        }
    }
}

extension LocalStore {
    /// This device as the server's pushes reach it.
    private struct RegisteredDevice: Codable, Sendable {
        /// The server's id of it; nil where it is not registered.
        var id: String?
    }

    private static let deviceNote = "push-device"

    /// The server's id of this push device; nil where it was not registered.
    func pushDeviceID() async throws -> String? {
        try await storedValue(of: Self.deviceNote, as: RegisteredDevice.self)?.id
    }

    /// Stores the server's id of this push device; nil forgets it.
    func storePushDevice(_ id: String?) async throws {
        guard try await pushDeviceID() != id else { return }
        try await storeValue(RegisteredDevice(id: id), note: Self.deviceNote)
    }
}
