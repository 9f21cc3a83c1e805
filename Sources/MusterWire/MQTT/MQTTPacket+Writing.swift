/// Serializes MQTT packets of both versions.
extension MQTTPacket {
    /// Returns the encoded packet.
    package func bytes(_ version: MQTTVersion) -> [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes, version)
        return bytes
    }

    /// Appends the encoded packet. For MQTT 3.1.1 it leaves out properties, and every reason except the return codes of
    /// CONNACK and SUBACK.
    package func append(to bytes: inout [UInt8], _ version: MQTTVersion) {
        var body: [UInt8] = []
        let first: UInt8
        switch self {
        case .connect(let connect):
            first = 0x10
            connect.append(to: &body)
        case .connectAnswer(let answer):
            first = 0x20
            body.append(answer.isSessionPresent ? 1 : 0)
            body.append(version == .v5 ? answer.reason.rawValue : answer.reason.connectReturnCode)
            answer.properties.append(to: &body, version)
        case .publish(let publish):
            first = 0x30 | (publish.isDuplicate ? 8 : 0) | publish.qos.rawValue << 1 | (publish.isRetained ? 1 : 0)
            publish.append(to: &body, version)
        case .acknowledgement(let acknowledgement):
            first = acknowledgement.kind.rawValue << 4 | (acknowledgement.kind == .released ? 2 : 0)
            body.appendShort(acknowledgement.packetID)
            Self.appendTrailing(acknowledgement.reason, acknowledgement.properties, to: &body, version)
        case .subscribe(let subscribe):
            first = 0x82
            subscribe.append(to: &body, version)
        case .subscribeAnswer(let answer):
            first = 0x90
            answer.append(to: &body, version, hasReasons: true)
        case .unsubscribe(let unsubscribe):
            first = 0xA2
            body.appendShort(unsubscribe.packetID)
            unsubscribe.properties.append(to: &body, version)
            for filter in unsubscribe.filters { body.appendText(filter) }
        case .unsubscribeAnswer(let answer):
            first = 0xB0
            answer.append(to: &body, version, hasReasons: version == .v5)
        case .ping: first = 0xC0
        case .pingAnswer: first = 0xD0
        case .disconnect(let reason, let properties):
            first = 0xE0
            Self.appendTrailing(reason, properties, to: &body, version)
        case .authenticate(let reason, let properties):
            first = 0xF0
            Self.appendTrailing(reason, properties, to: &body, version)
        }
        bytes.append(first)
        bytes.appendVariableNumber(UInt32(body.count))
        bytes += body
    }

    /// Appends a reason and properties. Both are left out for success without properties.
    private static func appendTrailing(
        _ reason: MQTTReason, _ properties: MQTTProperties, to body: inout [UInt8], _ version: MQTTVersion
    ) {
        guard version == .v5, reason != .success || !properties.entries.isEmpty else { return }
        body.append(reason.rawValue)
        if !properties.entries.isEmpty { properties.append(to: &body) }
    }
}

extension MQTTProperties {
    fileprivate func append(to body: inout [UInt8], _ version: MQTTVersion) {
        if version == .v5 { append(to: &body) }
    }
}

extension MQTTConnect {
    fileprivate func append(to body: inout [UInt8]) {
        body.appendText("MQTT")
        body.append(version.rawValue | (isBridge ? Self.bridgeBit : 0))
        var flags: UInt8 = isClean ? 2 : 0
        if let will { flags |= 4 | will.qos.rawValue << 3 | (will.isRetained ? 0x20 : 0) }
        if userName != nil { flags |= 0x80 }
        if password != nil { flags |= 0x40 }
        body.append(flags)
        body.appendShort(keepAliveSeconds)
        properties.append(to: &body, version)
        body.appendText(clientID)
        if let will {
            will.properties.append(to: &body, version)
            body.appendText(will.topic)
            body.appendData(will.payload)
        }
        if let userName { body.appendText(userName) }
        if let password { body.appendData(password) }
    }
}

extension MQTTPublish {
    fileprivate func append(to body: inout [UInt8], _ version: MQTTVersion) {
        body.reserveCapacity(topic.utf8.count + payload.count + 16)
        body.appendText(topic)
        if let packetID { body.appendShort(packetID) }
        properties.append(to: &body, version)
        body += payload
    }
}

extension MQTTSubscribe {
    fileprivate func append(to body: inout [UInt8], _ version: MQTTVersion) {
        body.appendShort(packetID)
        properties.append(to: &body, version)
        for subscription in subscriptions {
            body.appendText(subscription.filter)
            var options = subscription.qos.rawValue
            if version == .v5 {
                options |= (subscription.isNoLocal ? 4 : 0) | (subscription.keepsRetain ? 8 : 0)
                options |= subscription.retained.rawValue << 4
            }
            body.append(options)
        }
    }
}

extension MQTTReasons {
    fileprivate func append(to body: inout [UInt8], _ version: MQTTVersion, hasReasons: Bool) {
        body.appendShort(packetID)
        properties.append(to: &body, version)
        guard hasReasons else { return }
        // MQTT 3.1.1 has one code for every failure.
        for reason in reasons { body.append(version == .v3 && reason.isFailure ? 0x80 : reason.rawValue) }
    }
}
