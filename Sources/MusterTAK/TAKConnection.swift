import Logging
import MusterCore
import MusterHTTP
import MusterServer
import MusterWire
import NIOCore

/// One client's connection: handles its events in order, and sends it what it may see.
///
/// The actor runs on the connection's event loop, so it needs no thread and the handler calls it directly.
actor TAKConnection {
    /// The stages of a connection.
    enum Phase { case handshaking, signingIn, open, closed }

    let parts: ServerParts
    let intake: TAKIntake
    let picture: TAKPicture
    let clients: TAKClients
    let channel: any Channel
    let address: String
    /// The client's unit of work: counts the client's reads of the store, and cancels them at the end.
    let work: RequestWork
    /// The unit of work for what the client sends. It is never cancelled: what has arrived counts although the
    /// connection has closed.
    private let receiving: RequestWork
    private let eventLoop: any EventLoop

    private(set) var phase = Phase.handshaking
    private var isStranger = true
    private var certificate: [UInt8] = []
    /// Who holds the certificate, by the rights of now.
    private(set) var holder: CertificateHolder?
    private var device: DeviceNumber?
    private var owner: FeedOwner?

    // The state of receiving.
    private var frames = CoTFrames()
    private var isHandling = false
    private var isInputEnded = false
    private var unreadableCount = 0
    private var hold: BodyBudget.Hold
    /// The UID by which the client reports itself: that of its first report.
    var ownUID: String?

    // The state of sending.
    /// Whether the client has asked for TAK's protocol 1.
    private var sendsMessages = false
    private var feed: LogFeed?
    private var waiters: [CheckedContinuation<Void, Never>] = []
    var due = TAKDue()
    var shown: [UserNumber: TAKPicture.Shown] = [:]
    /// Of each region that the client has, the number of its drawings.
    var shownRegions: [RegionNumber: Int] = [:]
    /// The last change of the log that is in `due`.
    var place = LogSequence.zero
    var beats = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.executor.asUnownedSerialExecutor() }

    init(
        _ parts: ServerParts, _ intake: TAKIntake, _ picture: TAKPicture, _ clients: TAKClients,
        on channel: any Channel, from address: String
    ) {
        self.parts = parts
        self.intake = intake
        self.picture = picture
        self.clients = clients
        self.channel = channel
        self.address = address
        eventLoop = channel.eventLoop
        work = RequestWork(from: address)
        receiving = RequestWork(from: address)
        hold = BodyBudget.Hold(from: address)
    }

    // MARK: Beginning and ending

    func begin() {
        parts.connections.opened(channel)
        channel.closeFuture.whenComplete { [self] _ in assumeIsolated { $0.closed() } }
    }

    /// Authenticates the client once TLS has verified that it has a certificate of the authority, and its key.
    func signIn(with certificate: [UInt8]?) {
        guard phase == .handshaking else { return }
        guard let certificate, certificate.count <= TAKLimits.certificateBytes else { return close() }
        phase = .signingIn
        self.certificate = certificate
        Task { await RequestWork.$current.withValue(receiving) { await signIn() } }
    }

    private func signIn() async {
        do {
            let holder = try await verify()
            // A client that is gone already may have called for help before.
            if phase == .closed { return startHandling() }
            guard phase == .signingIn, let device = holder.device.device else { return close() }
            let owner = FeedOwner(holder.device)
            let previous = try clients.open(device, by: owner, self)
            // From here on `closed` removes this client from the count.
            (self.device, self.owner) = (device, owner)
            if let previous {
                // A phone that connects again, or two phones with one certificate: the newer one counts.
                parts.metrics.count(event: "tak_taken_over")
                let name = parts.coordinator.directory.qualifiedName(of: device) ?? ""
                parts.occasionalLog.warn("tak_taken_over", "A TAK client connected with the certificate of another") {
                    ["device": .string(name)]
                }
                await previous.close()
            }
            guard phase == .signingIn else { return startHandling() }
            phase = .open
            leaveStrangers()
            send(picture.versions(at: parts.configuration.now()))
            resumeReading()
            handleFrames()
            try startSending()
        } catch {
            if case .refused? = error as? IdentityError { parts.metrics.count(event: "tak_certificate_refused") }
            close()
        }
    }

    func close() {
        guard phase != .closed else { return }
        channel.close(mode: .all, promise: nil)
        closed()
    }

    /// Ends all work of the connection, which is closed.
    private func closed() {
        guard phase != .closed else { return }
        // What has arrived before the certificate is verified is handled after it.
        if phase != .signingIn, !isHandling { frames = CoTFrames() }
        phase = .closed
        work.abandon()
        leaveStrangers()
        parts.connections.bodies.release(hold)
        hold = BodyBudget.Hold(from: address)
        feed?.close()
        feed = nil
        due = TAKDue()
        shown = [:]
        wake()
        if let device, let owner { clients.close(device, by: owner, self) }
        owner = nil
    }

    /// Closes the connection once the received events are handled, because the client sends no more.
    func endInput() {
        isInputEnded = true
        if phase != .signingIn, !isHandling { close() }
    }

    private func leaveStrangers() {
        guard isStranger else { return }
        isStranger = false
        clients.forgetStranger(from: address)
    }

    // MARK: Rights

    /// Verifies the client's certificate with the present credentials and rights.
    @discardableResult
    func verify() async throws -> CertificateHolder {
        let holder = try await parts.identity.authenticate(certificate: certificate)
        self.holder = holder
        return holder
    }

    /// Verifies the client's certificate for what it sent. Tries again while the server cannot verify it, because a
    /// client cannot see what was not stored.
    func verifyWithRetry() async throws -> CertificateHolder {
        for _ in 1..<TAKLimits.callTries {
            do {
                return try await verify()
            } catch {
                if let error = error as? IdentityError, error.endsCredential { throw error }
                try await Task.sleep(for: .seconds(TAKLimits.callSeconds))
            }
        }
        return try await verify()
    }

    /// Verifies the client's certificate again, and ends the connection if the certificate has been withdrawn or has
    /// expired.
    func verifyStill() async {
        guard phase == .open else { return }
        do {
            _ = try await RequestWork.$current.withValue(work) { try await verify() }
        } catch let error as IdentityError where error.endsCredential {
            parts.metrics.count(event: "tak_certificate_ended")
            close()
        } catch {
            // The server cannot verify now. What is sent next, and the next beat, are verified again.
        }
    }

    // MARK: Receiving

    /// Whether the handler may read more now. If it may not, `ResumeReading` tells it when it may.
    var mayRead: Bool {
        switch phase {
        case .handshaking: true
        case .signingIn, .closed: false
        case .open: !isHandling
        }
    }

    private func resumeReading() {
        channel.pipeline.fireUserInboundEventTriggered(TAKConnectionHandler.ResumeReading())
    }

    func receive(_ bytes: ByteBuffer) {
        guard phase != .closed else { return }
        frames.append(bytes.readableBytesView)
        handleFrames()
    }

    private func handleFrames() {
        if phase == .open { startHandling() }
    }

    private func startHandling() {
        guard !isHandling else { return }
        isHandling = true
        Task { await RequestWork.$current.withValue(receiving) { await handleAll() } }
    }

    private func handleAll() async {
        do {
            while true {
                let (events, fault) = takeEvents()
                if !events.isEmpty { try await handle(events) }
                if let fault { throw fault }
                if events.isEmpty { break }
                await Task.yield()
            }
            if phase == .open { try holdMemory() }
        } catch let fault as CoTError {
            await refuse([], because: fault)
            close()
        } catch {
            // The client connects again. What it sent meanwhile is lost: TAK has no acknowledgements.
            parts.metrics.count(event: "tak_unavailable")
            close()
        }
        isHandling = false
        if phase == .closed { frames = CoTFrames() }
        if isInputEnded { return close() }
        if phase == .open { resumeReading() }
    }

    /// Takes whole events from what has arrived. Those that cannot be read are kept for an operator, and left out.
    private func takeEvents() -> (events: [CoTEvent], fault: CoTError?) {
        var events: [CoTEvent] = []
        while events.count < TAKLimits.eventsAtOnce {
            do throws(CoTError) {
                guard let frame = try frames.next() else { return (events, nil) }
                do throws(CoTError) {
                    if let event = try frame.event() { events.append(event) }
                } catch {
                    unreadableCount += 1
                    let bytes = frame.bytes
                    let fault = error
                    Task { await refuse(bytes, because: fault) }
                    if unreadableCount >= TAKLimits.unreadable { return (events, error) }
                }
            } catch {
                return (events, error)
            }
        }
        return (events, nil)
    }

    /// Keeps an event that cannot be read for an operator.
    private func refuse(_ bytes: [UInt8], because fault: CoTError) async {
        parts.metrics.count(event: "tak_unreadable")
        guard let holder else { return }
        let report = parts.refused.report(bytes, from: holder.device, of: device, at: "tak", because: "\(fault).")
        parts.refused.warn(of: report, event: "tak_unreadable")
        try? await parts.refused.store([report])
    }

    /// Counts the bytes of an incomplete event against the memory for requests.
    private func holdMemory() throws {
        let bytes = frames.waitingBytes
        if bytes <= TAKLimits.freeBytes {
            guard hold.bytes > 0 else { return }
            parts.connections.bodies.release(hold)
            hold = BodyBudget.Hold(from: address)
        } else if bytes > hold.bytes {
            try parts.connections.bodies.countBytes(
                bytes - hold.bytes, for: &hold, of: holder?.device.user.rawValue)
        }
    }

    /// Answers the request for a version of TAK's protocol. Everything after the answer is in that version.
    func answer(requestOf version: Int?) {
        let isKnown = version == 1
        send(picture.answer(isGranted: isKnown, at: parts.configuration.now()))
        if isKnown { sendsMessages = true }
    }

    // MARK: Sending

    func send(_ message: CoTMessage) {
        guard phase == .open else { return }
        channel.writeAndFlush(ByteBuffer(bytes: sendsMessages ? message.message : message.xml), promise: nil)
    }

    private func startSending() throws {
        guard phase == .open, let holder else { return }
        let feed = try parts.feeds.open(
            .changes, by: FeedOwner(holder.device), beatSeconds: TAKLimits.beatSeconds, timeoutSeconds: nil)
        self.feed = feed
        Task { await RequestWork.$current.withValue(work) { await sendUntilClosed(feed) } }
    }

    /// Waits until something changes: the channel accepts more, or the connection closed.
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

extension CoTFrames.Frame {
    /// The event; nil for a message without one.
    fileprivate func event() throws(CoTError) -> CoTEvent? {
        switch self {
        case .xml(let bytes):
            return try bytes.withUnsafeBytes { buffer in
                Result { () throws(CoTError) in try CoTEvent(xml: buffer) }
            }.get()
        case .message(let bytes): return try TAKMessage.event(in: bytes)
        }
    }

    fileprivate var bytes: [UInt8] {
        switch self {
        case .xml(let bytes), .message(let bytes): bytes
        }
    }
}
