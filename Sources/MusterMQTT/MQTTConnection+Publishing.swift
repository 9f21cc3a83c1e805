import MusterCore
import MusterMeshblu
import MusterServer
import MusterWire

/// Receives the messages that a client publishes. The server acknowledges a message only once it is on disk.
extension MQTTConnection {
    /// The largest number of QoS 2 messages for which the client has not sent PUBREL.
    private static let mostUnreleased = 1_024
    private static let mostOwnDevices = 1_000

    /// Stores messages in one transaction, in order, and acknowledges them.
    func storePublishes(_ publishes: [MQTTPublish]) async throws {
        let principal = try await verifyWithRetry()
        var topics: [String] = []
        for publish in publishes { topics.append(try topic(of: publish)) }
        let messages = zip(publishes, topics).map { Incoming(publish: $0, topic: $1) }
        do {
            try await store(messages, by: principal)
        } catch CoordinatorError.overQuota where messages.count > 1 {
            // The first messages of the batch may still fit into the quota.
            for message in messages {
                guard phase == .open else { return }
                try await store([message], by: principal)
            }
        }
    }

    private struct Incoming {
        let publish: MQTTPublish
        let topic: String

        /// The packet number of a QoS 2 message; nil for any other message.
        var exactlyOnceID: UInt16? { publish.qos == .exactlyOnce ? publish.packetID : nil }
    }

    private func store(_ messages: [Incoming], by principal: Principal) async throws {
        // A QoS 2 message that is already stored and not yet released is acknowledged again, and not stored again. The
        // client may also have repeated it within these messages.
        var known = received
        var areNew: [Bool] = []
        for message in messages {
            areNew.append(message.exactlyOnceID.map { known.insert($0).inserted } ?? true)
        }
        let new = zip(messages, areNew).filter { $1 }.map { $0.0 }
        let now = parts.configuration.now()
        let outcomes = try await intake.store(
            new.map {
                .init(
                    topic: $0.topic, payload: $0.publish.payload,
                    mayBeOld: $0.publish.isRetained || $0.publish.isDuplicate, properties: $0.publish.properties,
                    at: now)
            }, by: principal, prepare: { await self.noteOwn($0) })
        traffic.countReceived(new.count)
        var next = outcomes.makeIterator()
        var outcomeOfID: [UInt16: PublishIntake.Outcome] = [:]
        var ending: Ending?
        for (message, isNew) in zip(messages, areNew) {
            let id = message.exactlyOnceID
            var outcome = PublishIntake.Outcome.stored(nil)
            if isNew {
                outcome = next.next() ?? outcome
                if let id { outcomeOfID[id] = outcome }
            } else if let id, let first = outcomeOfID[id] {
                outcome = first
            }
            guard phase == .open else { return }
            let wanted = try acknowledge(message.publish, outcome)
            ending = ending ?? wanted
            if isNew, case .answered(let answer) = outcome { sendAnswer(answer) }
        }
        // The messages that are stored are acknowledged before the connection ends for another one.
        if let ending { disconnect(ending.reason, ending.words) }
    }

    /// Notes devices that this connection reports for, so that it sends the client none of its own messages for a
    /// subscription that leaves them out.
    private func noteOwn(_ devices: [DeviceNumber]) {
        for device in devices where ownDevices.count < Self.mostOwnDevices { ownDevices.insert(device) }
    }

    /// Why the connection ends after some messages.
    private struct Ending {
        let reason: MQTTReason
        let words: String
    }

    /// Acknowledges a message.
    ///
    /// - Returns: why the connection must end instead; nil when it need not.
    private func acknowledge(
        _ publish: MQTTPublish, _ outcome: PublishIntake.Outcome
    ) throws(MQTTError) -> Ending? {
        var reason = MQTTReason.success
        var words: String?
        switch outcome {
        case .stored, .answered: break
        case .refused(let why, let text):
            // MQTT 3.1.1 has no refusal: without an acknowledgement the client would send the message again forever.
            if version == .v5 { (reason, words) = (why, text) }
        case .forbidden(let why, let text):
            // An acknowledgement would tell the client that the server accepted the message.
            guard version == .v5, publish.qos != .atMostOnce else { return Ending(reason: why, words: text) }
            (reason, words) = (why, text)
        case .withheld(let why, let text): return Ending(reason: why, words: text)
        }
        guard let id = publish.packetID else { return nil }
        var properties = MQTTProperties()
        if let words, sendsReasons { properties.add(.reasonString, .text(words)) }
        switch publish.qos {
        case .atMostOnce: break
        case .atLeastOnce: send(.acknowledgement(.init(.published, of: id, reason, properties: properties)))
        case .exactlyOnce:
            if !reason.isFailure {
                received.insert(id)
                guard received.count <= Self.mostUnreleased else {
                    throw MQTTError(.receiveMaximumExceeded, "too many messages are not released")
                }
            }
            send(.acknowledgement(.init(.received, of: id, reason, properties: properties)))
        }
        return nil
    }

    /// Sends the answer to an operation with QoS 0, if the client subscribed to its topic.
    private func sendAnswer(_ answer: MeshbluTopicMessage) {
        guard let match = session?.match(answer.topic) else { return }
        send(TopicMessage(topic: answer.topic, payload: answer.payload), at: .atMostOnce, by: match)
    }

    /// The whole topic of a message, looked up where the client sends an alias (MQTT 5.0, section 3.3.2.3.4).
    private func topic(of publish: MQTTPublish) throws(MQTTError) -> String {
        guard let alias = publish.properties.number(.topicAlias) else { return publish.topic }
        guard alias <= MQTTLimits.topicAliases else { throw MQTTError(.topicAliasInvalid, "topic alias \(alias)") }
        let number = UInt16(alias)
        if publish.topic.isEmpty {
            guard let topic = aliases[number] else {
                throw MQTTError(.protocolError, "topic alias \(alias) is unknown")
            }
            return topic
        }
        guard publish.topic.utf8.count <= MQTTLimits.topicBytes else {
            throw MQTTError(.topicNameInvalid, "a topic has \(MQTTLimits.topicBytes) bytes at most")
        }
        aliases[number] = publish.topic
        return publish.topic
    }

    /// Handles a client's PUBACK for a message from the server, or its PUBREL for a message that it published.
    func handleAcknowledgement(_ acknowledgement: MQTTAcknowledgement) throws(MQTTError) {
        let id = acknowledgement.packetID
        switch acknowledgement.kind {
        case .published:
            guard inFlight.removeValue(forKey: id) != nil else { return }
            if session?.isKept == true, let current = currentSession {
                isStored = true
                sessions.saveSoon(current)
            }
            wake()
        case .released:
            // The numbers are lost at a restart. The client then sent the message again, and storing it again changed
            // nothing.
            let wasKnown = received.remove(id) != nil
            send(.acknowledgement(.init(.completed, of: id, wasKnown ? .success : .packetIdentifierNotFound)))
        case .received, .completed:
            throw MQTTError(.protocolError, "this server sends no message of QoS 2")
        }
    }
}
