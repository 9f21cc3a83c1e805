import MusterCore
import MusterHTTP
import MusterServer
import MusterStore
import MusterWire
import NIOCore

/// Sends the changes of the log that a client subscribed to, in order. Changes that are not sent yet stay in the log
/// only, so a slow client costs no memory.
extension MQTTConnection {
    /// The number of passed changes after which the client's place in the log is stored, even if none was sent.
    private static let unsavedChanges: Int64 = 5_000

    /// Starts the task that sends, unless it is already running.
    func startSending() {
        guard !isSending, phase == .open, let principal else { return }
        guard openFeed(principal), let feed else {
            return disconnect(.quotaExceeded, "The server has reached its limit of open feeds.")
        }
        isSending = true
        let number = feedNumber
        Task { await RequestWork.$current.withValue(work) { await send(from: feed, number) } }
    }

    private func send(from served: LogFeed, _ number: Int) async {
        await sendUntilClosed(served)
        isSending = false
        // While this task was sending, the client may have ended its last subscription and begun another, with a new
        // feed.
        if phase == .open, feed != nil, feedNumber != number { startSending() }
    }

    /// Sends changes until the feed or the connection closes.
    private func sendUntilClosed(_ feed: LogFeed) async {
        do {
            repeat {
                do {
                    // Sending runs in a task of its own: the task that waits would keep the memory that sending
                    // allocated.
                    try await inOwnTask { try await self.sendChanges() }
                } catch let error as IdentityError where !error.endsCredential {
                    // The server is too busy to verify the client. The next beat tries again.
                }
                guard phase == .open, let reasons = await feed.next() else { return }
                if reasons.isBeat { await verifyStill() }
            } while phase == .open
        } catch is IdentityError {
            disconnect(.notAuthorized, "The credential has ended.")
        } catch {
            // The client connects again and continues from its place in the log.
            disconnect(.serverBusy, "The log cannot be read now.")
        }
    }

    /// Sends changes until there are no more.
    private func sendChanges() async throws {
        while phase == .open {
            let events: [LiveEvent]
            do {
                events = try await parts.feeds.recent.events(since: sentPlace)
            } catch StoreError.trimmed {
                try await beginAnew()
                continue
            }
            guard !events.isEmpty else { return }
            var principal = try await verify()
            var verified = waitCount
            for event in events {
                // After a wait the client may have other rights.
                while isHeldBack || waitCount != verified, phase == .open {
                    if isHeldBack {
                        await waitForChange()
                    } else {
                        verified = waitCount
                        principal = try await verify()
                    }
                }
                guard phase == .open else { return }
                try await send(event, Access(principal, in: parts.coordinator.directory))
                guard phase == .open else { return }
                sentPlace = max(sentPlace, event.sequence)
            }
            saveDistantPlace()
        }
    }

    private func send(_ event: LiveEvent, _ access: Access) async throws {
        let wanted = session
        let messages = try await topics.messages(of: event, for: access) { topic in
            wanted?.match(topic, at: event.sequence) != nil
        }
        for message in messages {
            let isOwn = message.device.map { ownDevices.contains($0) } ?? false
            guard let match = session?.match(message.topic, at: event.sequence, isOwn: isOwn) else { continue }
            while phase == .open, !channel.isWritable || (match.isAcknowledged && inFlight.count >= inFlightLimit) {
                await waitForChange()
            }
            guard phase == .open else { return }
            send(message, of: event.sequence, at: match.isAcknowledged ? .atLeastOnce : .atMostOnce, by: match)
        }
    }

    /// Sends one message.
    ///
    /// - Parameters:
    ///   - sequence: the message's change in the log; nil for a message that answers the client, which has QoS 0.
    ///   - isStored: whether the message answers a new subscription with what the server has for its topic. Such a
    ///     message always has the flag RETAIN (MQTT 5.0, section 3.3.1.3).
    func send(
        _ message: TopicMessage, of sequence: LogSequence? = nil, at qos: MQTTQoS, by match: MQTTSession.Match,
        isStored: Bool = false
    ) {
        var publish = MQTTPublish(topic: message.topic, payload: message.payload, qos: qos)
        publish.isRetained = isStored || (message.isRetained && match.keepsRetain)
        for identifier in match.identifiers { publish.properties.add(.subscriptionIdentifier, .number(identifier)) }
        if let end = message.expiresAt {
            guard let seconds = MessageExpiry.secondsLeft(until: end, at: parts.configuration.now()) else { return }
            publish.properties.add(.messageExpiry, .number(seconds))
        }
        if qos != .atMostOnce, let sequence {
            publish.packetID = freePacketID()
            publish.isDuplicate = session.map { sequence <= $0.sentThrough } ?? false
        }
        // The server leaves out a message that is larger than the client accepts, as the protocol allows.
        let headerBytes = 32 + 5 * match.identifiers.count
        guard publish.payload.count + publish.topic.utf8.count + headerBytes <= clientPacketLimit else { return }
        if let id = publish.packetID, let sequence {
            inFlight[id] = sequence
            sentThrough = max(sentThrough, sequence)
        }
        send(.publish(publish))
        traffic.countSent(1)
    }

    private func freePacketID() -> UInt16 {
        repeat { nextPacketID = nextPacketID == .max ? 1 : nextPacketID + 1 } while inFlight[nextPacketID] != nil
        return nextPacketID
    }

    /// Continues at the end of the log, because the changes after the client's place have been trimmed. The client
    /// first receives the retained messages, which show the present state.
    private func beginAnew() async throws {
        parts.metrics.count(event: "mqtt_resync")
        let filters = Set(session?.subscriptions.map(\.wanted.filter) ?? [])
        let (messages, through) = try await topics.retained(for: try await verify()) { topic in
            filters.contains { MQTTTopic.matches($0, topic) }
        }
        sentPlace = through
        try await sendRetained(messages, for: filters)
    }

    /// Stores the place of a kept session that is far ahead of the stored one, so that the client need not receive
    /// those changes again after a restart.
    private func saveDistantPlace() {
        guard let current = currentSession, current.isKept,
            current.place.rawValue - (session?.place.rawValue ?? 0) > Self.unsavedChanges
        else { return }
        session?.place = current.place
        isStored = true
        sessions.saveSoon(current)
    }
}
