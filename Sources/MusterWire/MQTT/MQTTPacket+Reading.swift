/// Parses MQTT packets of both versions.
extension MQTTPacket {
    /// Reads a packet from its fixed header and its whole body.
    ///
    /// - Parameter version: the version of the connection; nil before CONNECT.
    init(
        type: UInt8, flags: UInt8, _ body: consuming MQTTBodyReader, version: MQTTVersion?
    ) throws(MQTTError) {
        // The flags must be 2 for PUBREL, SUBSCRIBE and UNSUBSCRIBE and 0 for other packets. PUBLISH defines its own.
        let wanted: UInt8 = type == 6 || type == 8 || type == 10 ? 2 : 0
        guard type == 3 || flags == wanted else { throw .malformed("the flags of the fixed header are \(flags)") }
        var reader = body
        if type == 1 {
            self = .connect(try MQTTConnect(&reader))
        } else {
            guard let version else { throw .violation("the first packet is not CONNECT") }
            self = try Self.read(type, flags, &reader, version)
        }
        try reader.requireEnd()
    }

    private static func read(
        _ type: UInt8, _ flags: UInt8, _ reader: inout MQTTBodyReader, _ version: MQTTVersion
    ) throws(MQTTError) -> MQTTPacket {
        switch type {
        case 2: return .connectAnswer(try MQTTConnectAnswer(&reader, version))
        case 3: return .publish(try MQTTPublish(flags, &reader, version))
        case 4, 5, 6, 7: return .acknowledgement(try MQTTAcknowledgement(type, &reader, version))
        case 8: return .subscribe(try MQTTSubscribe(&reader, version))
        case 9: return .subscribeAnswer(try MQTTReasons(&reader, version, hasReasons: true))
        case 10: return .unsubscribe(try MQTTUnsubscribe(&reader, version))
        case 11: return .unsubscribeAnswer(try MQTTReasons(&reader, version, hasReasons: version == .v5))
        case 12: return .ping
        case 13: return .pingAnswer
        case 14:
            guard version == .v5, !reader.isAtEnd else { return .disconnect(.success, MQTTProperties()) }
            let reason = try MQTTReason(&reader)
            return .disconnect(reason, try Self.trailing(&reader, .disconnect))
        case 15 where version == .v5:
            guard !reader.isAtEnd else { return .authenticate(.success, MQTTProperties()) }
            let reason = try MQTTReason(&reader)
            return .authenticate(reason, try Self.trailing(&reader, .auth))
        default: throw .malformed("there is no packet of type \(type)")
        }
    }

    /// Reads properties that a client may leave out at the end of a packet.
    fileprivate static func trailing(
        _ reader: inout MQTTBodyReader, _ place: MQTTProperty.Places
    ) throws(MQTTError) -> MQTTProperties {
        reader.isAtEnd ? MQTTProperties() : try MQTTProperties(&reader, at: place)
    }
}

extension MQTTReason {
    fileprivate init(_ reader: inout MQTTBodyReader) throws(MQTTError) {
        let code = try reader.byte()
        guard let reason = MQTTReason(rawValue: code) else { throw .malformed("there is no reason code \(code)") }
        self = reason
    }
}

extension MQTTQoS {
    fileprivate init(bits: UInt8) throws(MQTTError) {
        guard let qos = MQTTQoS(rawValue: bits) else { throw .malformed("QoS \(bits)") }
        self = qos
    }
}

extension MQTTProperties {
    fileprivate init(
        _ reader: inout MQTTBodyReader, at place: MQTTProperty.Places, _ version: MQTTVersion
    ) throws(MQTTError) {
        self = version == .v5 ? try MQTTProperties(&reader, at: place) : MQTTProperties()
    }
}

extension MQTTConnect {
    /// The protocol name that MQTT 3.1.1 and 5.0 send in CONNECT.
    private static let name = "MQTT"
    /// The protocol name and the version of MQTT 3.1. Its packets are those of 3.1.1.
    private static let former = (name: "MQIsdp", number: UInt8(3))
    /// The bit of the protocol level that a bridge of mosquitto's sets in MQTT 3.1 and 3.1.1 (its option
    /// `try_private`). The OASIS standards do not have it.
    static let bridgeBit: UInt8 = 0x80

    fileprivate init(_ reader: inout MQTTBodyReader) throws(MQTTError) {
        let name = try reader.text()
        let level = try reader.byte()
        let number = level & ~Self.bridgeBit
        let isFormer = name == Self.former.name && number == Self.former.number
        guard name == Self.name || isFormer else {
            throw MQTTError(.unsupportedProtocolVersion, "the protocol is not MQTT 3.1, 3.1.1 or 5.0")
        }
        isBridge = level != number
        guard let version = isFormer ? .v3 : MQTTVersion(rawValue: number), version == .v3 || !isBridge else {
            throw MQTTError(.unsupportedProtocolVersion, "protocol version \(level); this server has 3.1.1 and 5.0")
        }
        self.version = version
        let flags = try reader.byte()
        guard flags & 1 == 0 else { throw .malformed("the reserved flag of CONNECT is set") }
        isClean = flags & 2 != 0
        keepAliveSeconds = try reader.short()
        properties = try MQTTProperties(&reader, at: .connect, version)
        clientID = try reader.text()
        will = try Self.will(flags, &reader, version)
        userName = flags & 0x80 != 0 ? try reader.text() : nil
        password = flags & 0x40 != 0 ? Array(try reader.data()) : nil
        if version == .v3, password != nil, userName == nil { throw .malformed("a password without a user name") }
    }

    private static func will(
        _ flags: UInt8, _ reader: inout MQTTBodyReader, _ version: MQTTVersion
    ) throws(MQTTError) -> Will? {
        let qos = flags >> 3 & 3
        let isRetained = flags & 0x20 != 0
        guard flags & 4 != 0 else {
            guard qos == 0, !isRetained else { throw .malformed("flags of a will without a will") }
            return nil
        }
        let properties = try MQTTProperties(&reader, at: .will, version)
        let topic = try reader.text()
        guard MQTTTopic.isName(topic) else { throw MQTTError(.topicNameInvalid, "the will's topic") }
        return Will(
            topic: topic, payload: Array(try reader.data()), qos: try MQTTQoS(bits: qos), isRetained: isRetained,
            properties: properties)
    }
}

extension MQTTConnectAnswer {
    fileprivate init(_ reader: inout MQTTBodyReader, _ version: MQTTVersion) throws(MQTTError) {
        let flags = try reader.byte()
        guard flags <= 1 else { throw .malformed("the flags of CONNACK are \(flags)") }
        isSessionPresent = flags == 1
        if version == .v5 {
            reason = try MQTTReason(&reader)
        } else {
            let code = try reader.byte()
            guard let known = MQTTReason(connectReturnCode: code) else { throw .malformed("return code \(code)") }
            reason = known
        }
        properties = try MQTTProperties(&reader, at: .connack, version)
    }
}

extension MQTTPublish {
    fileprivate init(_ flags: UInt8, _ reader: inout MQTTBodyReader, _ version: MQTTVersion) throws(MQTTError) {
        isRetained = flags & 1 != 0
        isDuplicate = flags & 8 != 0
        qos = try MQTTQoS(bits: flags >> 1 & 3)
        guard !isDuplicate || qos != .atMostOnce else { throw .malformed("a duplicate of QoS 0") }
        topic = try reader.text()
        packetID = qos == .atMostOnce ? nil : try reader.packetID()
        properties = try MQTTProperties(&reader, at: .publish, version)
        if topic.isEmpty {
            guard version == .v5, properties.number(.topicAlias) != nil else { throw .violation("a topic is empty") }
        } else if !MQTTTopic.isName(topic) {
            throw MQTTError(.topicNameInvalid, "a topic contains a wildcard")
        }
        payload = reader.rest()
    }
}

extension MQTTAcknowledgement {
    fileprivate init(_ type: UInt8, _ reader: inout MQTTBodyReader, _ version: MQTTVersion) throws(MQTTError) {
        guard let kind = Kind(rawValue: type) else { throw .malformed("there is no packet of type \(type)") }
        self.kind = kind
        packetID = try reader.packetID()
        guard version == .v5, !reader.isAtEnd else {
            reason = .success
            properties = MQTTProperties()
            return
        }
        reason = try MQTTReason(&reader)
        properties = try MQTTPacket.trailing(&reader, .acknowledgement)
    }
}

extension MQTTSubscribe {
    fileprivate init(_ reader: inout MQTTBodyReader, _ version: MQTTVersion) throws(MQTTError) {
        packetID = try reader.packetID()
        properties = try MQTTProperties(&reader, at: .subscribe, version)
        subscriptions = []
        repeat {
            try Self.checkCount(subscriptions.count)
            subscriptions.append(try Subscription(&reader, version))
        } while !reader.isAtEnd
    }

    /// Refuses a further filter of a packet that has as many as a packet may have.
    fileprivate static func checkCount(_ count: Int) throws(MQTTError) {
        guard count < filterLimit else {
            throw MQTTError(.quotaExceeded, "a packet has \(filterLimit) filters at most")
        }
    }
}

extension MQTTSubscribe.Subscription {
    fileprivate init(_ reader: inout MQTTBodyReader, _ version: MQTTVersion) throws(MQTTError) {
        filter = try reader.text()
        let options = try reader.byte()
        guard options & (version == .v5 ? 0xC0 : 0xFC) == 0 else { throw .malformed("reserved options of a filter") }
        qos = try MQTTQoS(bits: options & 3)
        isNoLocal = options & 4 != 0
        keepsRetain = options & 8 != 0
        guard let retained = Retained(rawValue: options >> 4 & 3) else { throw .violation("retain handling 3") }
        self.retained = retained
        guard MQTTTopic.isFilter(filter) else { throw MQTTError(.topicFilterInvalid, "a filter has a wrong wildcard") }
    }
}

extension MQTTUnsubscribe {
    fileprivate init(_ reader: inout MQTTBodyReader, _ version: MQTTVersion) throws(MQTTError) {
        packetID = try reader.packetID()
        properties = try MQTTProperties(&reader, at: .unsubscribe, version)
        filters = []
        repeat {
            try MQTTSubscribe.checkCount(filters.count)
            let filter = try reader.text()
            guard MQTTTopic.isFilter(filter) else {
                throw MQTTError(.topicFilterInvalid, "a filter has a wrong wildcard")
            }
            filters.append(filter)
        } while !reader.isAtEnd
    }
}

extension MQTTReasons {
    fileprivate init(
        _ reader: inout MQTTBodyReader, _ version: MQTTVersion, hasReasons: Bool
    ) throws(MQTTError) {
        packetID = try reader.packetID()
        properties = try MQTTProperties(&reader, at: .suback, version)
        reasons = []
        guard hasReasons else { return }
        repeat {
            let reason = try MQTTReason(&reader)
            // MQTT 3.1.1 has three codes that grant a subscription and one for failure (section 3.9.3).
            guard version == .v5 || reason.rawValue <= 2 || reason == .unspecified else {
                throw .malformed("there is no return code \(reason.rawValue)")
            }
            reasons.append(reason)
        } while !reader.isAtEnd
    }
}
