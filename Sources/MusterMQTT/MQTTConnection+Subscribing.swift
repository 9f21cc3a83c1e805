import MusterMeshblu
import MusterServer
import MusterWire
import NIOCore

/// Handles subscriptions, and sends the retained messages for new ones.
extension MQTTConnection {
    /// Answers SUBSCRIBE, and then sends the retained messages.
    func handleSubscribe(_ subscribe: MQTTSubscribe) async throws {
        let principal = try await verifyWithRetry()
        guard var current = session else { return }
        let access = Access(principal, in: parts.coordinator.directory)
        var reasons = subscribe.subscriptions.map { refusal(of: $0, by: access) ?? granted($0) }
        let names = Set(current.subscriptions.map(\.wanted.filter))
        let more = Set(subscribe.subscriptions.map(\.filter)).subtracting(names).count
        if reasons.contains(where: { !$0.isFailure }),
            names.count + more > MQTTLimits.subscriptions || !sessions.countSubscribing(of: principal.user)
                || !openFeed(principal)
        {
            reasons = reasons.map { $0.isFailure ? $0 : .quotaExceeded }
        }
        let new = zip(subscribe.subscriptions, reasons).filter { !$1.isFailure }.map(\.0)
        guard !new.isEmpty else {
            return send(.subscribeAnswer(MQTTReasons(packetID: subscribe.packetID, reasons)))
        }
        // Changes wait until the subscription is stored, so that none is sent that the retained messages already
        // include.
        isHeldBack = true
        defer {
            isHeldBack = false
            wake()
        }
        let chosen = Set(new.filter { wantsRetained($0, isNew: !names.contains($0.filter)) }.map(\.filter))
        let (messages, through) = try await topics.retained(for: principal) { topic in
            chosen.contains { MQTTTopic.matches($0, topic) }
        }
        guard phase == .open else { return }
        if current.subscriptions.isEmpty { sentPlace = max(sentPlace, through) }
        for var wanted in new {
            // A bridge passes RETAIN on to its broker, so it needs the flag as published, and it must not get back what
            // it sent. MQTT 5.0 bridges ask for both by options; those of 3.1.1 cannot.
            if isBridge { (wanted.keepsRetain, wanted.isNoLocal) = (true, true) }
            let subscription = MQTTSession.Subscription(
                wanted: wanted, identifier: subscribe.properties.number(.subscriptionIdentifier), since: through)
            if let index = current.subscriptions.firstIndex(where: { $0.wanted.filter == wanted.filter }) {
                // A repeated subscription keeps its beginning: the client already has the changes since then.
                current.subscriptions[index].wanted = wanted
                current.subscriptions[index].identifier = subscription.identifier
            } else {
                current.subscriptions.append(subscription)
            }
        }
        try await storeSession(current)
        send(.subscribeAnswer(MQTTReasons(packetID: subscribe.packetID, reasons)))
        if !current.subscriptions.isEmpty { startSending() }
        try await sendRetained(messages, for: chosen)
    }

    /// Answers UNSUBSCRIBE.
    func handleUnsubscribe(_ unsubscribe: MQTTUnsubscribe) async throws {
        let principal = try await verifyWithRetry()
        if unsubscribe.filters.contains(where: { filter in
            session?.subscriptions.contains { $0.wanted.filter == filter } == true
        }) {
            // Each UNSUBSCRIBE writes a kept session. The server cannot refuse it, because UNSUBACK of MQTT 3.1.1 has
            // no reason code. So this client's packets wait.
            while !sessions.countSubscribing(of: principal.user) {
                try await Task.sleep(for: .seconds(1 / MQTTLimits.subscribesPerSecond))
                guard phase == .open else { return }
            }
        }
        guard var current = session else { return }
        let reasons = unsubscribe.filters.map { filter -> MQTTReason in
            let before = current.subscriptions.count
            current.subscriptions.removeAll { $0.wanted.filter == filter }
            return current.subscriptions.count < before ? .success : .noSubscriptionExisted
        }
        if reasons.contains(.success) { try await storeSession(current) }
        if current.subscriptions.isEmpty {
            feed?.close()
            feed = nil
        }
        send(.unsubscribeAnswer(MQTTReasons(packetID: unsubscribe.packetID, reasons)))
    }

    /// Replaces the session's subscriptions. Returns once a kept session is on disk.
    private func storeSession(_ changed: MQTTSession) async throws {
        session = changed
        guard changed.isKept, let current = currentSession else { return }
        isStored = true
        try await sessions.save(current)
    }

    private func granted(_ wanted: MQTTSubscribe.Subscription) -> MQTTReason {
        wanted.qos == .atMostOnce ? .success : .grantedQoS1
    }

    /// Returns why a filter is refused; nil for a valid one. A filter that matches only topics which the client may not
    /// see is accepted, so that the client cannot find out which topics exist.
    private func refusal(of wanted: MQTTSubscribe.Subscription, by access: Access) -> MQTTReason? {
        let first = wanted.filter.prefix { $0 != "/" }
        if first == "$share" { return .sharedSubscriptionsNotSupported }
        if !access.maySubscribe { return .notAuthorized }
        guard wanted.filter.utf8.count <= MQTTLimits.topicBytes else { return .topicFilterInvalid }
        let isTopic = TopicMessages.roots.contains(first) || MeshbluTopics.isTopic(wanted.filter)
        return first == "+" || first == "#" || isTopic ? nil : .topicFilterInvalid
    }

    private func wantsRetained(_ wanted: MQTTSubscribe.Subscription, isNew: Bool) -> Bool {
        switch wanted.retained {
        case .always: true
        case .forNewSubscription: isNew
        case .never: false
        }
    }

    /// Opens the feed that wakes this connection when the log has grown, unless it is open.
    ///
    /// - Returns: false when a limit of feeds is reached.
    func openFeed(_ principal: Principal) -> Bool {
        if feed != nil { return true }
        feed = try? parts.feeds.open(
            .changes, by: FeedOwner(principal), beatSeconds: parts.configuration.heartbeatSeconds, timeoutSeconds: nil)
        feedNumber += 1
        return feed != nil
    }

    /// Sends the retained messages that match the filters, with QoS 0. A lost one is replaced by the topic's next
    /// change.
    func sendRetained(_ messages: [TopicMessage], for filters: Set<String>) async throws {
        for message in messages {
            while !channel.isWritable, phase == .open { await waitForChange() }
            guard phase == .open else { return }
            guard let match = session?.match(message.topic, among: filters) else { continue }
            send(message, at: .atMostOnce, by: match, isStored: true)
        }
    }
}
