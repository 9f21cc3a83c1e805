import MusterCore
import MusterHTTP
import MusterOwnTracks
import MusterServer
import MusterWire
import NIOCore

/// One client's connection: takes packets in order, and sends what the client subscribed to.
///
/// Its executor is the connection's event loop, so it costs no thread and the handler may call it directly. A task
/// lives while packets are handled; a client without subscriptions that says nothing has none.
actor MQTTConnection {
    /// How far the connection is.
    enum Phase { case awaitingConnect, connecting, open, closed }

    let parts: ServerParts
    let intake: PublishIntake
    let topics: TopicMessages
    let sessions: MQTTSessions
    let traffic: MQTTTraffic
    let channel: any Channel
    let address: String
    /// The work of the client, by which its reads are counted and ended.
    let work: RequestWork
    private let eventLoop: any EventLoop

    var phase = Phase.awaitingConnect
    var version = MQTTVersion.v3
    private var reader = MQTTPacketReader(limitBytes: MQTTLimits.connectBytes)
    private var inbox: [MQTTPacket] = []
    private var inboxBytes = 0
    private var fault: MQTTFault?
    private var isHandling = false
    private var isInputEnded = false
    private var hold: BodyBudget.Hold
    private var isStranger = false

    var proof: HeaderProof?
    var principal: Principal?
    var owner: FeedOwner?
    var session: MQTTSession?
    var will: MQTTConnect.Will?
    var keepAliveSeconds: Int64 = 0
    private var timer: Scheduled<Void>?
    private var lastReceived = NIODeadline.now()
    var aliases: [UInt16: String] = [:]
    /// Packets of QoS 2 that were taken, and that the client has not released.
    var received: Set<UInt16> = []
    /// Whether the client wants reasons in words.
    var sendsReasons = true
    /// Whether the store has the session in some form.
    var isStored = false
    var isTakenOver = false

    // What is sent.
    var feed: LogFeed?
    /// The last change whose messages were sent or passed over.
    var sentPlace = LogSequence.zero
    /// The last change of which a message was sent that is acknowledged.
    var sentThrough = LogSequence.zero
    var isSending = false
    /// Whether no further change may be sent for now.
    var isHeldBack = false
    /// Messages that the client has not acknowledged, each with its change.
    var inFlight: [UInt16: LogSequence] = [:]
    var nextPacketID: UInt16 = 1
    var inFlightLimit = MQTTLimits.inFlight
    var clientPacketLimit = Int.max
    /// The devices that this connection reported for.
    var ownDevices: Set<DeviceNumber> = []
    private var waiters: [CheckedContinuation<Void, Never>] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.executor.asUnownedSerialExecutor() }

    init(
        _ parts: ServerParts, _ intake: PublishIntake, _ sessions: MQTTSessions, _ traffic: MQTTTraffic,
        on channel: any Channel
    ) {
        self.parts = parts
        self.intake = intake
        self.sessions = sessions
        self.traffic = traffic
        self.channel = channel
        topics = TopicMessages(parts.coordinator)
        eventLoop = channel.eventLoop
        address = channel.remoteAddress?.ipAddress ?? ""
        work = RequestWork(from: address)
        hold = BodyBudget.Hold(from: address)
    }

    // MARK: From the handler

    /// Starts the connection: a stranger has little time to sign in.
    func begin() {
        parts.connections.opened(channel)
        channel.closeFuture.whenComplete { [weak self] _ in self?.assumeIsolated { $0.closed() } }
        guard sessions.admitStranger(from: address) else { return close() }
        isStranger = true
        startTimer(seconds: parts.connections.limits.headSeconds) { connection in
            connection.parts.metrics.count(event: "mqtt_silent_stranger")
            connection.close()
        }
    }

    /// Whether so many packets wait that no more should be read.
    var isFull: Bool { inbox.count >= MQTTLimits.waitingPackets || inboxBytes > MQTTLimits.packetBytes }

    func receive(_ bytes: ByteBuffer) {
        guard phase != .closed, fault == nil else { return }
        lastReceived = .now()
        reader.append(bytes.readableBytesView)
        do throws(MQTTFault) {
            while let packet = try reader.next() {
                inbox.append(packet)
                inboxBytes += packet.payloadBytes
                reader.limitBytes = MQTTLimits.packetBytes
            }
            try holdMemory()
        } catch {
            fault = error
        }
        handleInbox()
    }

    /// Counts the memory of a large packet that has not arrived completely.
    private func holdMemory() throws(MQTTFault) {
        let bytes = reader.waitingBytes
        guard bytes > MQTTLimits.freeBytes else {
            parts.connections.bodies.release(hold)
            hold = BodyBudget.Hold(from: address)
            return
        }
        guard bytes > hold.bytes else { return }
        do throws(BodyBudget.Refusal) {
            try parts.connections.bodies.countBytes(bytes - hold.bytes, for: &hold, of: principal?.user.rawValue)
        } catch {
            throw MQTTFault(.quotaExceeded, error.words)
        }
    }

    /// Closes the connection once what was received is handled: no more will come.
    func endInput() {
        isInputEnded = true
        if !isHandling { close() }
    }

    func writabilityChanged() { if channel.isWritable { wake() } }

    /// Ends all work of the connection.
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
        inbox = []
        wake()
        endSession()
    }

    // MARK: Ending

    /// Ends the count as a stranger.
    func leaveStrangers() {
        if isStranger { sessions.forgetStranger(from: address) }
        isStranger = false
    }

    /// Tells the client why and closes the connection. MQTT 3.1.1 has no words for it.
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

    private func handleInbox() {
        guard !isHandling, phase != .closed, !inbox.isEmpty || fault != nil else { return }
        isHandling = true
        Task { await RequestWork.$current.withValue(work) { await handleAll() } }
    }

    private func handleAll() async {
        while phase != .closed, !inbox.isEmpty {
            let wasFull = isFull
            await handleNext()
            if wasFull, !isFull {
                channel.pipeline.fireUserInboundEventTriggered(MQTTConnectionHandler.ResumeReading())
            }
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
            case .publish(let publish): try await take([publish] + publishesBehind())
            case .acknowledgement(let acknowledgement): try takeAcknowledgement(acknowledgement)
            case .subscribe(let subscribe): try await take(subscribe)
            case .unsubscribe(let unsubscribe): try await take(unsubscribe)
            case .ping: send(.pingAnswer)
            case .disconnect(let reason, let properties): try end(reason, properties)
            default: throw MQTTFault(.protocolError, "the packet does not belong here")
            }
        } catch let fault as MQTTFault {
            refuse(fault)
        } catch {
            refuseForNow(error)
        }
    }

    /// The messages that wait right behind one, to be stored in the same transaction.
    private func publishesBehind() -> [MQTTPublish] {
        var publishes: [MQTTPublish] = []
        while case .publish(let publish)? = inbox.first {
            publishes.append(publish)
            _ = takeFirst()
        }
        return publishes
    }

    private func takeFirst() -> MQTTPacket {
        let packet = inbox.removeFirst()
        inboxBytes -= packet.payloadBytes
        return packet
    }

    /// Ends a connection whose client broke the protocol.
    private func refuse(_ fault: MQTTFault) {
        parts.metrics.count(event: "mqtt_malformed")
        if phase == .awaitingConnect, fault.reason == .unsupportedProtocolVersion {
            send(.connectAnswer(MQTTConnectAnswer(fault.reason)))
        }
        disconnect(fault.reason, fault.words)
    }

    /// Ends a connection whose message cannot be taken now. It is not acknowledged, so the client sends it again.
    private func refuseForNow(_ error: any Error) {
        switch error {
        case IdentityError.refused, IdentityError.missing: disconnect(.notAuthorized, "The credential has ended.")
        case let refusal as OwnTracksRefusal: disconnect(.implementationSpecific, refusal.words)
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

    /// Runs an action after some seconds, instead of the one before.
    private func startTimer(seconds: Double, _ action: @escaping @Sendable (isolated MQTTConnection) -> Void) {
        timer?.cancel()
        timer = eventLoop.scheduleTask(in: .nanoseconds(Int64(seconds * 1e9))) { [weak self] in
            self?.assumeIsolated { action($0) }
        }
    }

    /// Watches that the client keeps its promise to say something within its keep-alive, and half of it again.
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
        // The protocol lets a server leave out what a client could not read.
        guard bytes.count <= clientPacketLimit else { return }
        channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
    }

    /// Waits until something changes: the channel accepts more, a message was acknowledged, or the connection closed.
    func waitForChange() async {
        guard phase != .closed else { return }
        await withCheckedContinuation { waiters.append($0) }
    }

    func wake() {
        let waiting = waiters
        waiters = []
        for waiter in waiting { waiter.resume() }
    }
}

extension MQTTPacket {
    /// The bytes of a message that the packet carries.
    fileprivate var payloadBytes: Int { if case .publish(let publish) = self { publish.payload.count } else { 0 } }
}
