import MusterCore
import MusterHTTP
import MusterServer
import MusterWire
import NIOCore

/// One client's connection: handles its packets in order, and sends the changes that the client subscribed to.
///
/// The actor runs on the connection's event loop, so it needs no thread and the handler calls it directly. A task
/// exists only while packets are handled or subscribed changes are awaited.
actor MQTTConnection: StreamConnection {
    /// The stages of a connection.
    enum Phase { case awaitingConnect, connecting, open, closed }

    let parts: ServerParts
    let intake: PublishIntake
    let topics: TopicMessages
    let sessions: MQTTSessions
    let traffic: MQTTTraffic
    let channel: any Channel
    let address: String
    /// The client's unit of work: counts the client's reads of the store, and cancels them at the end.
    let work: RequestWork
    private let eventLoop: any EventLoop

    var phase = Phase.awaitingConnect
    var version = MQTTVersion.v3
    /// Whether the client is a bridge of MQTT 3.1.1.
    var isBridge = false
    var reader = MQTTPacketReader(limitBytes: MQTTLimits.connectBytes)
    /// The packets that were parsed together. It is emptied once all of them are handled.
    private(set) var inbox: [MQTTPacket] = []
    /// The index in `inbox` of the next packet to handle.
    private var nextIndex = 0
    /// The encoded bytes of the packets in `inbox`.
    private var inboxBytes = 0
    /// Whether the handler waits for `ResumeReading` before it reads more.
    private var isReadingPaused = false
    var fault: MQTTError?
    private var isHandling = false
    private var isInputEnded = false
    var hold: BodyBudget.Hold
    /// The bytes of a WebSocket frame that has not arrived whole.
    var incompleteFrameBytes = 0
    var isStranger = false
    /// The bytes that count against the memory for connections that have not signed in.
    var strangerBytes = 0

    var proof: (any RequestProof)?
    var principal: Principal?
    var owner: FeedOwner?
    var session: MQTTSession?
    var will: MQTTConnect.Will?
    /// The will of the connection whose session this one is about to resume. It is dropped once that has happened.
    var inheritedWill: DelayedWill?
    var keepAliveSeconds: Int64 = 0
    private var timer: Scheduled<Void>?
    private var lastReceived = NIODeadline.now()
    var aliases: [UInt16: String] = [:]
    /// The numbers of QoS 2 messages that are stored and that the client has not released.
    var received: Set<UInt16> = []
    /// Whether the client wants reasons as text.
    var sendsReasons = true
    /// Whether the store has a version of the session, perhaps an older one.
    var isStored = false
    var isTakenOver = false

    // The state of sending.
    var feed: LogFeed?
    /// Identifies `feed` among the feeds that this connection opened, one after the other.
    var feedNumber = 0
    /// The last change that was sent or that the client did not want.
    var sentPlace = LogSequence.zero
    /// The last change of which a message of QoS 1 was sent.
    var sentThrough = LogSequence.zero
    var isSending = false
    /// Whether sending changes must wait until a subscription is complete.
    var isHeldBack = false
    /// The unacknowledged messages by packet number, each with its change in the log.
    var inFlight: [UInt16: LogSequence] = [:]
    var nextPacketID: UInt16 = 1
    var inFlightLimit = MQTTLimits.inFlight
    var clientPacketLimit = Int.max
    /// The devices that this connection reported for.
    var ownDevices: Set<DeviceNumber> = []
    private var waiters: [CheckedContinuation<Void, Never>] = []
    /// How often work of this connection has waited in `waitForChange`.
    private(set) var waitCount = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.executor.asUnownedSerialExecutor() }

    init(
        _ parts: ServerParts, _ intake: PublishIntake, _ topics: TopicMessages, _ sessions: MQTTSessions,
        _ traffic: MQTTTraffic, on channel: any Channel
    ) {
        self.parts = parts
        self.intake = intake
        self.topics = topics
        self.sessions = sessions
        self.traffic = traffic
        self.channel = channel
        eventLoop = channel.eventLoop
        address = channel.remoteAddress?.ipAddress ?? ""
        work = RequestWork(from: address)
        hold = BodyBudget.Hold(from: address)
    }

    // MARK: Calls from the handler

    /// Starts the connection. The client must sign in within a few seconds.
    func begin() {
        parts.connections.opened(channel)
        // This keeps the connection, with its timer, until the channel has closed: before the upgrade to WebSocket
        // nothing else does.
        channel.closeFuture.whenComplete { [self] _ in assumeIsolated { $0.closed() } }
        guard sessions.strangers.admit(from: address) else { return close() }
        isStranger = true
        startTimer(seconds: parts.connections.limits.headSeconds) { connection in
            connection.parts.metrics.count(event: "mqtt_silent_stranger")
            connection.close()
        }
    }

    /// Whether so many packets wait that the server neither parses nor reads more. Until the client has signed in, its
    /// CONNECT alone is parsed.
    private var isFull: Bool {
        switch phase {
        case .awaitingConnect: !inbox.isEmpty
        case .connecting: true
        case .open, .closed: inbox.count >= MQTTLimits.waitingPackets || inboxBytes > MQTTLimits.packetBytes
        }
    }

    /// Returns whether the handler may read more now. If it may not, `ResumeReading` tells it when it may.
    func mayRead() -> Bool {
        isReadingPaused = isFull
        return !isReadingPaused
    }

    func receive(_ bytes: ByteBuffer) {
        guard phase != .closed, fault == nil else { return }
        lastReceived = .now()
        reader.append(bytes.readableBytesView)
        parseWaiting()
        handleInbox()
    }

    /// Parses packets until the inbox is full. Further bytes stay in the reader.
    private func parseWaiting() {
        guard phase != .closed, fault == nil else { return }
        do throws(MQTTError) {
            while !isFull {
                let before = reader.waitingBytes
                guard let packet = try reader.next() else { break }
                inbox.append(packet)
                inboxBytes += before - reader.waitingBytes + MQTTLimits.filterBytes * packet.filterCount
            }
            try holdMemory()
        } catch {
            fault = error
        }
    }

    /// Closes the connection once the received packets are handled, because the client sends no more.
    func endInput() {
        isInputEnded = true
        if !isHandling { close() }
    }

    func writabilityChanged() { if channel.isWritable { wake() } }

    /// Ends all work of the connection, which is closed.
    func closed() {
        guard phase != .closed else { return }
        phase = .closed
        timer?.cancel()
        timer = nil
        work.abandon()
        parts.connections.bodies.release(hold)
        hold = BodyBudget.Hold(from: address)
        leaveStrangers()
        feed?.close()
        feed = nil
        clearInbox()
        wake()
        endSession()
    }

    // MARK: Ending

    /// Tells the client the reason and closes the connection. MQTT 3.1.1 has no packet for the reason.
    func disconnect(_ reason: MQTTReason, _ words: String? = nil) {
        guard phase != .closed else { return }
        if phase == .open, version == .v5 {
            var properties = MQTTProperties()
            if let words { properties.add(.reasonString, .text(words)) }
            send(.disconnect(reason, properties))
        }
        close()
    }

    func close() {
        guard phase != .closed else { return }
        channel.close(mode: .all, promise: nil)
        closed()
    }

    // MARK: Handling packets

    func handleInbox() {
        guard !isHandling, phase != .closed, !inbox.isEmpty || fault != nil else { return }
        isHandling = true
        Task { await RequestWork.$current.withValue(work) { await handleAll() } }
    }

    private func handleAll() async {
        var handled = 0
        while phase != .closed, !inbox.isEmpty {
            // A client that does not read its answers is not served further, so that they do not pile up.
            while !channel.isWritable, phase == .open { await waitForChange() }
            guard phase != .closed else { break }
            await handleNext()
            parseWaiting()
            if isReadingPaused, !isFull {
                isReadingPaused = false
                channel.pipeline.fireUserInboundEventTriggered(ResumeReading())
            }
            handled += 1
            // Other connections of this event loop get their turn.
            if handled.isMultiple(of: MQTTLimits.waitingPackets) { await Task.yield() }
        }
        isHandling = false
        if let fault, phase != .closed { refuse(fault) }
        if isInputEnded { close() }
    }

    private func handleNext() async {
        let packet = takeFirst()
        do {
            switch packet {
            case .connect(let connect) where phase == .awaitingConnect: try await accept(connect)
            case .publish(let publish): try await storePublishes([publish] + publishesBehind())
            case .acknowledgement(let acknowledgement): try handleAcknowledgement(acknowledgement)
            case .subscribe(let subscribe): try await handleSubscribe(subscribe)
            case .unsubscribe(let unsubscribe): try await handleUnsubscribe(unsubscribe)
            case .ping: send(.pingAnswer)
            case .disconnect(let reason, let properties): try end(reason, properties)
            default: throw MQTTError(.protocolError, "the packet does not belong here")
            }
        } catch let fault as MQTTError {
            refuse(fault)
        } catch {
            refuseForNow(error)
        }
    }

    /// Takes the PUBLISH packets at the front of the inbox, so that one transaction stores them all.
    private func publishesBehind() -> [MQTTPublish] {
        var publishes: [MQTTPublish] = []
        while nextIndex < inbox.count, case .publish(let publish) = inbox[nextIndex] {
            publishes.append(publish)
            _ = takeFirst()
        }
        return publishes
    }

    private func takeFirst() -> MQTTPacket {
        let packet = inbox[nextIndex]
        nextIndex += 1
        if nextIndex == inbox.count { clearInbox() }
        return packet
    }

    private func clearInbox() {
        inbox = []
        nextIndex = 0
        inboxBytes = 0
    }

    /// Ends a connection whose client broke the protocol.
    private func refuse(_ fault: MQTTError) {
        parts.metrics.count(event: "mqtt_malformed")
        if phase == .awaitingConnect, fault.reason == .unsupportedProtocolVersion {
            send(.connectAnswer(MQTTConnectAnswer(fault.reason)))
        }
        disconnect(fault.reason, fault.words)
    }

    /// Disconnects a client whose packet the server cannot handle now. The client sends an unacknowledged message
    /// again.
    private func refuseForNow(_ error: any Error) {
        switch error {
        case IdentityError.refused, IdentityError.missing: disconnect(.notAuthorized, "The credential has ended.")
        case CoordinatorError.overQuota(let fault):
            parts.metrics.count(event: "mqtt_over_quota")
            disconnect(.quotaExceeded, fault.words)
        case CoordinatorError.unwritable: disconnect(.serverBusy, StorageWords.refusal)
        default:
            parts.metrics.count(event: "mqtt_unavailable")
            disconnect(.serverBusy, "The server cannot take this now. Send it again later.")
        }
    }

    // MARK: Time

    /// Runs an action after some seconds, and cancels the action that was scheduled before.
    private func startTimer(seconds: Double, _ action: @escaping @Sendable (isolated MQTTConnection) -> Void) {
        timer?.cancel()
        timer = eventLoop.scheduleTask(in: .nanoseconds(Int64(seconds * 1e9))) { [weak self] in
            self?.assumeIsolated { action($0) }
        }
    }

    /// Disconnects a client that sends nothing for one and a half times its keep-alive.
    func watchKeepAlive() {
        timer?.cancel()
        timer = nil
        guard keepAliveSeconds > 0, phase != .closed else { return }
        let limit = TimeAmount.milliseconds(keepAliveSeconds * 1_500)
        let left = limit - (NIODeadline.now() - lastReceived)
        guard left > .zero else {
            parts.metrics.count(event: "mqtt_keep_alive_timeout")
            return disconnect(.keepAliveTimeout)
        }
        startTimer(seconds: Double(left.nanoseconds) / 1e9) { $0.watchKeepAlive() }
    }

    // MARK: Sending

    func send(_ packet: MQTTPacket) {
        guard phase != .closed else { return }
        let bytes = packet.bytes(version)
        // The server leaves out a packet that is larger than the client accepts, as the protocol allows.
        guard bytes.count <= clientPacketLimit else { return }
        channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
    }

    /// Waits until something changes: the channel accepts more, a message was acknowledged, or the connection closed.
    func waitForChange() async {
        guard phase != .closed else { return }
        waitCount += 1
        await withCheckedContinuation { waiters.append($0) }
    }

    func wake() {
        let waiting = waiters
        waiters = []
        for waiter in waiting { waiter.resume() }
    }
}
