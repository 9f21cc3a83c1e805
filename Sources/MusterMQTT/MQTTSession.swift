import MusterCore
import MusterStore
import MusterWire

/// A client's session: its subscriptions and its place in the log. A restart needs nothing else, because the messages
/// that the client has not received are the changes after its place.
struct MQTTSession: Sendable, Equatable {
    /// Identifies a session by its user, device and client id. Two users with the same client id have different
    /// sessions. A session that a device's token opened belongs to that device.
    struct Key: Hashable, Sendable {
        let user: UserNumber
        let device: DeviceNumber?
        let clientID: String
    }

    /// A subscription with the change after which it begins.
    struct Subscription: Sendable, Equatable {
        var wanted: MQTTSubscribe.Subscription
        /// The subscription identifier that the client chose; nil for none.
        var identifier: UInt32?
        /// The subscription begins after this change: the retained messages include the changes up to it.
        var since: LogSequence
    }

    /// How the server sends a message to a client: once, even where several subscriptions match, with the terms of all
    /// of them (MQTT 5.0, section 3.3.4).
    struct Match: Sendable, Equatable {
        /// The highest QoS of the subscriptions.
        var qos: MQTTQoS
        /// Whether a subscription asks for the flag RETAIN as the message was published with it.
        var keepsRetain: Bool
        /// The identifiers that the client gave the subscriptions; an identifier is repeated if two subscriptions have
        /// it.
        var identifiers: [UInt32] = []

        var isAcknowledged: Bool { qos != .atMostOnce }
    }

    let key: Key
    var subscriptions: [Subscription] = []
    /// The client has received every subscribed change up to this one.
    var place = LogSequence.zero
    /// Messages of changes up to this one were sent at least once.
    var sentThrough = LogSequence.zero
    /// How long the session is kept while its client is away, in seconds; 0 to end it with the connection.
    var expirySeconds: UInt32 = 0

    init(_ key: Key) { self.key = key }

    var isKept: Bool { expirySeconds > 0 }

    /// Returns the terms on which a topic's message is sent to the client; nil when no subscription matches. Topics of
    /// one level are Meshblu's: a client asks for each by its name, and no wildcard matches them.
    ///
    /// - Parameters:
    ///   - sequence: the message's change in the log. Subscriptions that began later do not count.
    ///   - isOwn: whether the client published the message. Subscriptions that leave such messages out do not count.
    ///   - filters: the filters that count; nil for all.
    func match(
        _ topic: String, at sequence: LogSequence = LogSequence(.max), isOwn: Bool = false,
        among filters: Set<String>? = nil
    ) -> Match? {
        var match: Match?
        let isNamed = !topic.utf8.contains(UInt8(ascii: "/"))
        for subscription in subscriptions where subscription.since < sequence {
            let wanted = subscription.wanted
            guard isNamed ? wanted.filter.lowercased() == topic : MQTTTopic.matches(wanted.filter, topic),
                filters?.contains(wanted.filter) ?? true, !(isOwn && wanted.isNoLocal)
            else { continue }
            match = Match(
                qos: max(match?.qos ?? .atMostOnce, wanted.qos),
                keepsRetain: match?.keepsRetain == true || wanted.keepsRetain,
                identifiers: (match?.identifiers ?? []) + [subscription.identifier].compactMap(\.self))
        }
        return match
    }

    // MARK: In the store

    /// The key under which the session is stored.
    static func storeKey(_ key: Key) -> [UInt8] {
        func bytes(_ number: Int32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
        return bytes(key.user.rawValue) + bytes(key.device?.rawValue ?? -1) + Array(key.clientID.utf8)
    }

    /// Returns the session in the form in which it is stored.
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

    /// Reads a stored session; nil for a form that this version cannot read. The client then begins a new session.
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
