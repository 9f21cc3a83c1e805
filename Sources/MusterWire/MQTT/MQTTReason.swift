// MQTT's versions, qualities of service (QoS) and reason codes.

/// A version of the protocol, with the number that CONNECT uses for it.
package enum MQTTVersion: UInt8, Hashable, Sendable, CaseIterable {
    /// MQTT 3.1.1, protocol level 4.
    case v3 = 4
    /// MQTT 5.0, protocol level 5.
    case v5 = 5
}

/// The delivery guarantee of a message: at most once, at least once or exactly once.
package enum MQTTQoS: UInt8, Hashable, Sendable, Comparable, CaseIterable {
    case atMostOnce, atLeastOnce, exactlyOnce

    /// Returns whether the left level guarantees less than the right one.
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The result of an operation (MQTT 5.0, section 2.4).
package enum MQTTReason: UInt8, Hashable, Sendable, CaseIterable {
    /// Success. SUBACK uses this code for "granted QoS 0", and DISCONNECT for a normal end.
    case success = 0x00
    case grantedQoS1 = 0x01
    case grantedQoS2 = 0x02
    /// The client disconnects, and asks the server to publish its will.
    case disconnectWithWill = 0x04
    case noMatchingSubscribers = 0x10
    case noSubscriptionExisted = 0x11
    case continueAuthentication = 0x18
    case reauthenticate = 0x19
    case unspecified = 0x80
    case malformedPacket = 0x81
    case protocolError = 0x82
    case implementationSpecific = 0x83
    case unsupportedProtocolVersion = 0x84
    case clientIdentifierNotValid = 0x85
    case badUserNameOrPassword = 0x86
    case notAuthorized = 0x87
    case serverUnavailable = 0x88
    case serverBusy = 0x89
    case banned = 0x8A
    case serverShuttingDown = 0x8B
    case badAuthenticationMethod = 0x8C
    case keepAliveTimeout = 0x8D
    case sessionTakenOver = 0x8E
    case topicFilterInvalid = 0x8F
    case topicNameInvalid = 0x90
    case packetIdentifierInUse = 0x91
    case packetIdentifierNotFound = 0x92
    case receiveMaximumExceeded = 0x93
    case topicAliasInvalid = 0x94
    case packetTooLarge = 0x95
    case messageRateTooHigh = 0x96
    case quotaExceeded = 0x97
    case administrativeAction = 0x98
    case payloadFormatInvalid = 0x99
    case retainNotSupported = 0x9A
    case qosNotSupported = 0x9B
    case useAnotherServer = 0x9C
    case serverMoved = 0x9D
    case sharedSubscriptionsNotSupported = 0x9E
    case connectionRateExceeded = 0x9F
    case maximumConnectTime = 0xA0
    case subscriptionIdentifiersNotSupported = 0xA1
    case wildcardSubscriptionsNotSupported = 0xA2

    /// Whether the operation failed.
    package var isFailure: Bool { rawValue >= 0x80 }

    /// The return code of CONNACK in MQTT 3.1.1 (section 3.2.2.3).
    var connectReturnCode: UInt8 {
        switch self {
        case .success: 0
        case .unsupportedProtocolVersion: 1
        case .clientIdentifierNotValid: 2
        case .badUserNameOrPassword: 4
        case .notAuthorized: 5
        default: 3
        }
    }

    /// Makes the reason for a return code of MQTT 3.1.1; nil for an undefined code.
    init?(connectReturnCode code: UInt8) {
        switch code {
        case 0: self = .success
        case 1: self = .unsupportedProtocolVersion
        case 2: self = .clientIdentifierNotValid
        case 3: self = .serverUnavailable
        case 4: self = .badUserNameOrPassword
        case 5: self = .notAuthorized
        default: return nil
        }
    }
}

/// The error for bytes that are no MQTT packet, or for a packet that the protocol forbids.
package struct MQTTError: Error, Hashable, Sendable {
    /// The reason that the server sends before it closes the connection.
    package var reason: MQTTReason
    /// A description of the fault for people.
    package var words: String

    package init(_ reason: MQTTReason, _ words: String) {
        self.reason = reason
        self.words = words
    }

    static func malformed(_ words: String) -> MQTTError { MQTTError(.malformedPacket, words) }
    static func violation(_ words: String) -> MQTTError { MQTTError(.protocolError, words) }
}
