/// A property of a packet, by its identifier (MQTT 5.0, section 2.2.2.2).
package enum MQTTProperty: UInt8, Hashable, Sendable, CaseIterable {
    case payloadFormat = 0x01
    case messageExpiry = 0x02
    case contentType = 0x03
    case responseTopic = 0x08
    case correlationData = 0x09
    case subscriptionIdentifier = 0x0B
    case sessionExpiry = 0x11
    case assignedClientIdentifier = 0x12
    case serverKeepAlive = 0x13
    case authenticationMethod = 0x15
    case authenticationData = 0x16
    case requestProblemInformation = 0x17
    case willDelay = 0x18
    case requestResponseInformation = 0x19
    case responseInformation = 0x1A
    case serverReference = 0x1C
    case reasonString = 0x1F
    case receiveMaximum = 0x21
    case topicAliasMaximum = 0x22
    case topicAlias = 0x23
    case maximumQoS = 0x24
    case retainAvailable = 0x25
    case userProperty = 0x26
    case maximumPacketSize = 0x27
    case wildcardSubscriptionAvailable = 0x28
    case subscriptionIdentifiersAvailable = 0x29
    case sharedSubscriptionAvailable = 0x2A

    /// The encoding of a property's value.
    enum Form { case byte, short, long, variable, text, data, pair }

    /// The packets in which a property is allowed.
    struct Places: OptionSet, Sendable {
        let rawValue: UInt16
        static let connect = Places(rawValue: 1)
        static let connack = Places(rawValue: 2)
        static let publish = Places(rawValue: 4)
        static let will = Places(rawValue: 8)
        static let acknowledgement = Places(rawValue: 16)
        static let subscribe = Places(rawValue: 32)
        static let suback = Places(rawValue: 64)
        static let unsubscribe = Places(rawValue: 128)
        static let disconnect = Places(rawValue: 256)
        static let auth = Places(rawValue: 512)
    }

    var form: Form {
        switch self {
        case .payloadFormat, .requestProblemInformation, .requestResponseInformation, .maximumQoS, .retainAvailable,
            .wildcardSubscriptionAvailable, .subscriptionIdentifiersAvailable, .sharedSubscriptionAvailable:
            .byte
        case .serverKeepAlive, .receiveMaximum, .topicAliasMaximum, .topicAlias: .short
        case .messageExpiry, .sessionExpiry, .willDelay, .maximumPacketSize: .long
        case .subscriptionIdentifier: .variable
        case .contentType, .responseTopic, .assignedClientIdentifier, .authenticationMethod, .responseInformation,
            .serverReference, .reasonString:
            .text
        case .correlationData, .authenticationData: .data
        case .userProperty: .pair
        }
    }

    var places: Places {
        switch self {
        case .payloadFormat, .messageExpiry, .contentType, .responseTopic, .correlationData: [.publish, .will]
        case .subscriptionIdentifier: [.publish, .subscribe]
        case .sessionExpiry: [.connect, .connack, .disconnect]
        case .assignedClientIdentifier, .serverKeepAlive, .responseInformation, .maximumQoS, .retainAvailable,
            .wildcardSubscriptionAvailable, .subscriptionIdentifiersAvailable, .sharedSubscriptionAvailable:
            [.connack]
        case .authenticationMethod, .authenticationData: [.connect, .connack, .auth]
        case .requestProblemInformation, .requestResponseInformation: [.connect]
        case .willDelay: [.will]
        case .serverReference: [.connack, .disconnect]
        case .reasonString: [.connack, .acknowledgement, .suback, .disconnect, .auth]
        case .receiveMaximum, .topicAliasMaximum, .maximumPacketSize: [.connect, .connack]
        case .topicAlias: [.publish]
        case .userProperty:
            [
                .connect, .connack, .publish, .will, .acknowledgement, .subscribe, .suback, .unsubscribe, .disconnect,
                .auth,
            ]
        }
    }

    /// The allowed numbers of the property; for most properties all that the encoding can hold.
    var range: ClosedRange<UInt32> {
        switch self {
        case .receiveMaximum, .topicAlias, .maximumPacketSize, .subscriptionIdentifier: 1...UInt32.max
        default: form == .byte ? 0...1 : 0...UInt32.max
        }
    }
}

/// The properties of a packet, in their order in the packet. Packets of MQTT 3.1.1 have none.
package struct MQTTProperties: Hashable, Sendable {
    /// A property's value.
    package enum Value: Hashable, Sendable {
        case number(UInt32)
        case text(String)
        case data([UInt8])
        case pair(String, String)
    }

    /// A property with its value.
    package struct Entry: Hashable, Sendable {
        package var property: MQTTProperty
        package var value: Value

        package init(_ property: MQTTProperty, _ value: Value) {
            self.property = property
            self.value = value
        }
    }

    /// The largest number of properties that a packet may have here. The protocol has no limit.
    static let countLimit = 64

    package private(set) var entries: [Entry]

    package init(_ entries: [Entry] = []) { self.entries = entries }

    package mutating func add(_ property: MQTTProperty, _ value: Value) { entries.append(Entry(property, value)) }

    /// Returns the number that the property has in this packet, the first if there are several; nil when the packet
    /// does not contain the property.
    package func number(_ property: MQTTProperty) -> UInt32? {
        for entry in entries where entry.property == property {
            if case .number(let number) = entry.value { return number }
        }
        return nil
    }

    /// Returns the text that the property has in this packet; nil when the packet does not contain the property.
    package func text(_ property: MQTTProperty) -> String? {
        for entry in entries where entry.property == property {
            if case .text(let text) = entry.value { return text }
        }
        return nil
    }

    // MARK: Bytes

    /// Reads the properties of a packet, and checks that each is allowed there.
    init(_ reader: inout MQTTBodyReader, at place: MQTTProperty.Places) throws(MQTTError) {
        entries = []
        let length = Int(try reader.variableNumber())
        var own = try reader.part(length)
        var seen: Set<MQTTProperty> = []
        while !own.isAtEnd {
            guard entries.count < Self.countLimit else {
                throw MQTTError(.implementationSpecific, "a packet has \(Self.countLimit) properties at most")
            }
            let identifier = try own.variableNumber()
            guard let property = UInt8(exactly: identifier).flatMap(MQTTProperty.init(rawValue:)) else {
                throw .malformed("there is no property \(identifier)")
            }
            guard property.places.contains(place) else {
                throw .violation("the property \(property) does not belong here")
            }
            let mayRepeat =
                property == .userProperty || (property == .subscriptionIdentifier && place == .publish)
            guard seen.insert(property).inserted || mayRepeat else {
                throw .violation("the property \(property) is there twice")
            }
            entries.append(Entry(property, try Self.value(of: property, &own)))
        }
        if number(.authenticationMethod) == nil, text(.authenticationMethod) == nil,
            entries.contains(where: { $0.property == .authenticationData })
        {
            throw .violation("authentication data needs a method")
        }
    }

    private static func value(
        of property: MQTTProperty, _ reader: inout MQTTBodyReader
    ) throws(MQTTError) -> Value {
        let number: UInt32
        switch property.form {
        case .byte: number = UInt32(try reader.byte())
        case .short: number = UInt32(try reader.short())
        case .long: number = try reader.long()
        case .variable: number = try reader.variableNumber()
        case .text: return .text(try reader.text())
        case .data: return .data(Array(try reader.data()))
        case .pair: return .pair(try reader.text(), try reader.text())
        }
        guard property.range.contains(number) else {
            throw .violation("the property \(property) may not be \(number)")
        }
        return .number(number)
    }

    func append(to bytes: inout [UInt8]) {
        var own: [UInt8] = []
        for entry in entries {
            own.append(entry.property.rawValue)
            switch entry.value {
            case .number(let number):
                switch entry.property.form {
                case .byte: own.append(UInt8(truncatingIfNeeded: number))
                case .short: own.appendShort(UInt16(truncatingIfNeeded: number))
                case .variable: own.appendVariableNumber(number)
                default: own.appendLong(number)
                }
            case .text(let text): own.appendText(text)
            case .data(let data): own.appendData(data)
            case .pair(let name, let value):
                own.appendText(name)
                own.appendText(value)
            }
        }
        bytes.appendVariableNumber(UInt32(own.count))
        bytes += own
    }
}
