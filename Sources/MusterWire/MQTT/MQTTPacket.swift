/// A packet of MQTT 3.1.1 or 5.0.
///
/// Format: OASIS, MQTT Version 3.1.1 (2014) and MQTT Version 5.0 (2019).
package enum MQTTPacket: Hashable, Sendable {
    case connect(MQTTConnect)
    case connectAnswer(MQTTConnectAnswer)
    case publish(MQTTPublish)
    case acknowledgement(MQTTAcknowledgement)
    case subscribe(MQTTSubscribe)
    case subscribeAnswer(MQTTReasons)
    case unsubscribe(MQTTUnsubscribe)
    case unsubscribeAnswer(MQTTReasons)
    case ping
    case pingAnswer
    case disconnect(MQTTReason, MQTTProperties)
    case authenticate(MQTTReason, MQTTProperties)

    /// The number of topic filters in the packet.
    package var filterCount: Int {
        switch self {
        case .subscribe(let subscribe): subscribe.subscriptions.count
        case .unsubscribe(let unsubscribe): unsubscribe.filters.count
        default: 0
        }
    }
}

/// CONNECT: opens a client's connection to the server.
package struct MQTTConnect: Hashable, Sendable {
    package var version: MQTTVersion
    /// Whether the client is the bridge of another broker, which MQTT 3.1 and 3.1.1 mark by the highest bit of the
    /// protocol level. MQTT 5.0 has options of a subscription instead.
    package var isBridge: Bool
    package var clientID: String
    /// Whether the client discards its earlier session.
    package var isClean: Bool
    /// The longest time between two packets of the client, in seconds; 0 for no limit.
    package var keepAliveSeconds: UInt16
    package var userName: String?
    package var password: [UInt8]?
    package var will: Will?
    package var properties: MQTTProperties

    /// A message that the server publishes for the client when the connection breaks.
    package struct Will: Hashable, Sendable {
        package var topic: String
        package var payload: [UInt8]
        package var qos: MQTTQoS
        package var isRetained: Bool
        package var properties: MQTTProperties

        package init(
            topic: String, payload: [UInt8], qos: MQTTQoS = .atMostOnce, isRetained: Bool = false,
            properties: MQTTProperties = MQTTProperties()
        ) {
            self.topic = topic
            self.payload = payload
            self.qos = qos
            self.isRetained = isRetained
            self.properties = properties
        }
    }

    package init(
        version: MQTTVersion, isBridge: Bool = false, clientID: String, isClean: Bool = true,
        keepAliveSeconds: UInt16 = 60,
        userName: String? = nil, password: [UInt8]? = nil, will: Will? = nil,
        properties: MQTTProperties = MQTTProperties()
    ) {
        self.version = version
        self.isBridge = isBridge
        self.clientID = clientID
        self.isClean = isClean
        self.keepAliveSeconds = keepAliveSeconds
        self.userName = userName
        self.password = password
        self.will = will
        self.properties = properties
    }
}

/// CONNACK: reports whether the server accepts the client.
package struct MQTTConnectAnswer: Hashable, Sendable {
    package var isSessionPresent: Bool
    package var reason: MQTTReason
    package var properties: MQTTProperties

    package init(
        _ reason: MQTTReason, isSessionPresent: Bool = false, properties: MQTTProperties = MQTTProperties()
    ) {
        self.reason = reason
        self.isSessionPresent = isSessionPresent
        self.properties = properties
    }
}

/// PUBLISH: carries a message to a topic.
package struct MQTTPublish: Hashable, Sendable {
    /// The topic; empty when the packet uses a topic alias instead.
    package var topic: String
    package var payload: [UInt8]
    package var qos: MQTTQoS
    /// The packet identifier, which the acknowledgement repeats; nil for QoS 0.
    package var packetID: UInt16?
    package var isRetained: Bool
    package var isDuplicate: Bool
    package var properties: MQTTProperties

    package init(
        topic: String, payload: [UInt8], qos: MQTTQoS = .atMostOnce, packetID: UInt16? = nil, isRetained: Bool = false,
        isDuplicate: Bool = false, properties: MQTTProperties = MQTTProperties()
    ) {
        self.topic = topic
        self.payload = payload
        self.qos = qos
        self.packetID = packetID
        self.isRetained = isRetained
        self.isDuplicate = isDuplicate
        self.properties = properties
    }
}

/// PUBACK, PUBREC, PUBREL or PUBCOMP: a step in acknowledging a message.
package struct MQTTAcknowledgement: Hashable, Sendable {
    /// The kind of acknowledgement, by its packet type.
    package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        /// PUBACK: acknowledges a message of QoS 1.
        case published = 4
        /// PUBREC: the receiver has a message of QoS 2.
        case received = 5
        /// PUBREL: the sender releases a message of QoS 2. The receiver answers with `completed`.
        case released = 6
        case completed = 7
    }

    package var kind: Kind
    package var packetID: UInt16
    package var reason: MQTTReason
    package var properties: MQTTProperties

    package init(
        _ kind: Kind, of packetID: UInt16, _ reason: MQTTReason = .success,
        properties: MQTTProperties = MQTTProperties()
    ) {
        self.kind = kind
        self.packetID = packetID
        self.reason = reason
        self.properties = properties
    }
}

/// SUBSCRIBE: the topic filters that a client subscribes to.
package struct MQTTSubscribe: Hashable, Sendable {
    /// The largest number of filters in one SUBSCRIBE or UNSUBSCRIBE that is read. A filter of one letter has four
    /// bytes in the packet, and many more once it is read.
    package static let filterLimit = 1_000

    package var packetID: UInt16
    package var subscriptions: [Subscription]
    package var properties: MQTTProperties

    /// A topic filter with the options for its messages.
    package struct Subscription: Hashable, Sendable {
        package var filter: String
        package var qos: MQTTQoS
        /// Whether the server leaves out messages that the client itself published.
        package var isNoLocal: Bool
        /// Whether the server sends messages with the retain flag that they were published with.
        package var keepsRetain: Bool
        package var retained: Retained

        /// When the server sends retained messages after a subscription.
        package enum Retained: UInt8, Hashable, Sendable, CaseIterable { case always, forNewSubscription, never }

        package init(
            _ filter: String, qos: MQTTQoS = .atMostOnce, isNoLocal: Bool = false, keepsRetain: Bool = false,
            retained: Retained = .always
        ) {
            self.filter = filter
            self.qos = qos
            self.isNoLocal = isNoLocal
            self.keepsRetain = keepsRetain
            self.retained = retained
        }
    }

    package init(
        packetID: UInt16, _ subscriptions: [Subscription], properties: MQTTProperties = MQTTProperties()
    ) {
        self.packetID = packetID
        self.subscriptions = subscriptions
        self.properties = properties
    }
}

/// UNSUBSCRIBE: the topic filters that a client no longer wants.
package struct MQTTUnsubscribe: Hashable, Sendable {
    package var packetID: UInt16
    package var filters: [String]
    package var properties: MQTTProperties

    package init(packetID: UInt16, _ filters: [String], properties: MQTTProperties = MQTTProperties()) {
        self.packetID = packetID
        self.filters = filters
        self.properties = properties
    }
}

/// SUBACK or UNSUBACK: the result for each topic filter. UNSUBACK of MQTT 3.1.1 has no reasons.
package struct MQTTReasons: Hashable, Sendable {
    package var packetID: UInt16
    package var reasons: [MQTTReason]
    package var properties: MQTTProperties

    package init(packetID: UInt16, _ reasons: [MQTTReason], properties: MQTTProperties = MQTTProperties()) {
        self.packetID = packetID
        self.reasons = reasons
        self.properties = properties
    }
}
