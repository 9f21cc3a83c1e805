import MusterCore
import MusterStore
import MusterWire

/// A client's session: its subscriptions, and how much of the log it has. That is all that a restart needs, since what
/// the client has yet to receive is the log after its place.
struct MQTTSession: Sendable, Equatable {
    /// Whose session it is. A client's id is its user's own, so that nobody takes over another's session; with a
    /// device's token it is the device's own.
    struct Key: Hashable, Sendable {
        let user: UserNumber
        let device: DeviceNumber?
        let clientID: String
    }

    /// A subscription with where it begins.
    struct Subscription: Sendable, Equatable {
        var wanted: MQTTSubscribe.Subscription
        /// The number that the client gave to it; nil for none.
        var identifier: UInt32?
        /// Changes up to this one are not sent: the retained messages told of them.
        var since: LogSequence

        var isAcknowledged: Bool { wanted.qos != .atMostOnce }
    }

    let key: Key
    var subscriptions: [Subscription] = []
    /// The client has every change up to this one that it subscribed to.
    var place = LogSequence.zero
    /// Messages of changes up to this one were sent at least once.
    var sentThrough = LogSequence.zero
    /// How long the session is kept while its client is away, in seconds; 0 to end it with the connection.
    var expirySeconds: UInt32 = 0

    init(_ key: Key) { self.key = key }

    var isKept: Bool { expirySeconds > 0 }

    /// The subscription by whose terms a topic's message is sent: of several that choose it, the one of the highest
    /// QoS.
    func subscription(to topic: String, at sequence: LogSequence) -> Subscription? {
        var best: Subscription?
        for subscription in subscriptions
        where subscription.since < sequence && MQTTTopic.matches(subscription.wanted.filter, topic) {
            if best.map({ $0.wanted.qos < subscription.wanted.qos }) ?? true { best = subscription }
        }
        return best
    }

    // MARK: In the store

    /// The key under which the session is stored.
    static func storeKey(_ key: Key) -> [UInt8] {
        func bytes(_ number: Int32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
        return bytes(key.user.rawValue) + bytes(key.device?.rawValue ?? -1) + Array(key.clientID.utf8)
    }

    /// The session as the store keeps it.
    func stored(at now: Instant) -> Credential {
        Credential(
            kind: .messagingSession, key: Self.storeKey(key), user: key.user, device: key.device, label: key.clientID,
            secret: json, createdAt: now, expiresAt: now.advanced(bySeconds: Double(expirySeconds)))
    }

    private var json: [UInt8] {
        JSONWriter.object { writer in
            writer.member("place", place.rawValue)
            writer.member("sent", sentThrough.rawValue)
            writer.member("expiry", Int64(expirySeconds))
            writer.key("subscriptions")
            writer.beginArray()
            for subscription in subscriptions {
                writer.beginObject()
                writer.member("filter", subscription.wanted.filter)
                writer.member("qos", Int64(subscription.wanted.qos.rawValue))
                writer.member("noLocal", subscription.wanted.isNoLocal)
                writer.member("keepsRetain", subscription.wanted.keepsRetain)
                writer.member("retained", Int64(subscription.wanted.retained.rawValue))
                if let identifier = subscription.identifier { writer.member("identifier", Int64(identifier)) }
                writer.member("since", subscription.since.rawValue)
                writer.endObject()
            }
            writer.endArray()
        }
    }

    /// Reads a stored session; nil for one that this version cannot read, which then begins anew.
    init?(_ key: Key, stored: Credential) {
        guard let value = try? JSONValue(parsing: stored.secret), let members = value.members else { return nil }
        self.key = key
        place = LogSequence(Self.integer("place", members) ?? 0)
        sentThrough = LogSequence(Self.integer("sent", members) ?? 0)
        expirySeconds = UInt32(clamping: Self.integer("expiry", members) ?? 0)
        for element in members.first(where: { $0.key == "subscriptions" })?.value.elements ?? [] {
            guard let own = element.members, let filter = own.first(where: { $0.key == "filter" })?.value.string,
                let qos = Self.integer("qos", own).flatMap(UInt8.init(exactly:)).flatMap(MQTTQoS.init(rawValue:))
            else { return nil }
            func flag(_ name: String) -> Bool { own.first { $0.key == name }?.value.boolean ?? false }
            let retained = Self.integer("retained", own).flatMap(UInt8.init(exactly:))
                .flatMap(MQTTSubscribe.Subscription.Retained.init(rawValue:))
            subscriptions.append(
                Subscription(
                    wanted: .init(
                        filter, qos: qos, isNoLocal: flag("noLocal"), keepsRetain: flag("keepsRetain"),
                        retained: retained ?? .always),
                    identifier: Self.integer("identifier", own).map { UInt32(clamping: $0) },
                    since: LogSequence(Self.integer("since", own) ?? 0)))
        }
    }

    private static func integer(_ name: String, _ members: [JSONValue.Member]) -> Int64? {
        members.first { $0.key == name }?.value.integer
    }
}
