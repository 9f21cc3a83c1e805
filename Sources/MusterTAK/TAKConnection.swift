import Logging
import MusterCore
import MusterHTTP
import MusterServer
import MusterWire
import NIOCore

/// One client's connection: handles its events in order, and sends it what it may see.
///
/// The actor runs on the connection's event loop, so it needs no thread and the handler calls it directly.
actor TAKConnection: StreamConnection {
    /// The stages of a connection.
    enum Phase { case handshaking, signingIn, open, closed }

    let parts: ServerParts
    let intake: TAKIntake
    let picture: TAKPicture
    let clients: TAKClients
    private let broadcast: TAKBroadcast
    let channel: any Channel
    let address: String
    /// The client's unit of work: counts the client's reads of the store, and cancels them at the end.
    let work: RequestWork
    /// The unit of work for what the client sends. It is never cancelled: what has arrived counts although the
    /// connection has closed.
    private let receiving: RequestWork
    private let eventLoop: any EventLoop

    /// Whether a newer connection of the device counts.
    nonisolated let isTakenOver = TAKFlag()
    private(set) var phase = Phase.handshaking
    private var isStranger = true
    private var certificate: [UInt8] = []
    /// Who holds the certificate, by the rights of now.
    private(set) var holder: CertificateHolder?
    private(set) var device: DeviceNumber?

    // The state of receiving.
    var frames = CoTFrames()
    private var isHandling = false
    private var isInputEnded = false
    var unreadableCount = 0
    var hold: BodyBudget.Hold
    /// The UID by which the client reports itself.
    var ownUID = TAKOwnUID()
    /// The UIDs of calls for help whose end was not taken: the next call with one of them counts anew.
    var refusedEnds: Set<String> = []

    // The state of sending.
    /// Whether the client has asked for TAK's protocol 1.
    private var sendsMessages = false
    private(set) var inbox: TAKInbox?
    private var waiters: [CheckedContinuation<Void, Never>] = []
    var due = TAKDue()
    var shown: [UserNumber: TAKPicture.Shown] = [:]
    var shownRegions: [RegionNumber: TAKPicture.ShownRegion] = [:]
    /// What was found out for all clients together of some people in `due`.
    var sights: [UserNumber: TAKPicture.Sight] = [:]
    /// The last change of the log when the connection itself last found out about people. What was found out before for
    /// all clients together may be older than what the client was sent.
    var ownSequence = LogSequence.zero
    var beats = 0
    /// Whether everything that the client may see must be made due before more is sent.
    var needsAll = true
    /// The collections of the regions that the client gets; nil before the first were made due.
    var collections: Set<CollectionNumber>?

    nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.executor.asUnownedSerialExecutor() }

    init(
        _ parts: ServerParts, _ intake: TAKIntake, _ picture: TAKPicture, _ clients: TAKClients,
        _ broadcast: TAKBroadcast, on channel: any Channel, from address: String
    ) {
        self.parts = parts
        self.intake = intake
        self.picture = picture
        self.clients = clients
        self.broadcast = broadcast
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
            // Tries again while the server is busy: what the client sent with its certificate may be a call for help.
            let holder = try await verifyWithRetry()
            // A client that is gone already may have called for help before.
            if phase == .closed { return startHandling() }
            guard phase == .signingIn, let device = holder.device.device else { return close() }
            self.device = device
            do {
                let previous = try clients.open(device, by: FeedOwner(holder.device), self)
                if let previous { await end(previous, of: device) }
            } catch {
                warn(of: error)
                // What has arrived counts although there is no place for the client.
                close()
                return startHandling()
            }
            guard phase == .signingIn else { return startHandling() }
            phase = .open
            leaveStrangers()
            send(picture.versions(at: parts.configuration.now()))
            resumeReading()
            handleFrames()
            startSending()
        } catch {
            let isRefused = (error as? IdentityError)?.endsCredential == true
            parts.metrics.count(event: isRefused ? "tak_certificate_refused" : "tak_unavailable")
            close()
        }
    }

    /// Ends the connection that the device had before: a phone connects again, or two phones have one certificate. The
    /// newer connection counts.
    private func end(_ previous: TAKConnection, of device: DeviceNumber) async {
        parts.metrics.count(event: "tak_taken_over")
        let name = parts.coordinator.directory.qualifiedName(of: device) ?? ""
        parts.occasionalLog.warn("tak_taken_over", "A TAK client connected with the certificate of another") {
            ["device": .string(name)]
        }
        previous.isTakenOver.set()
        await previous.close()
    }

    private func warn(of refusal: FeedShares.Refusal) {
        parts.metrics.count(event: "tak_no_place")
        let name = device.flatMap { parts.coordinator.directory.qualifiedName(of: $0) } ?? ""
        parts.occasionalLog.warn("tak_no_place", "A TAK client was closed, because a limit of clients is reached") {
            ["device": .string(name), "limit": .string("\(refusal)")]
        }
    }

    func stop() { close() }

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
        if let inbox {
            broadcast.close(inbox)
            inbox.feed.close()
        }
        inbox = nil
        due = TAKDue()
        (sights, shown) = ([:], [:])
        wake()
        if let device { clients.close(device, self) }
    }

    /// Closes the connection once the received events are handled, because the client sends no more.
    func endInput() {
        isInputEnded = true
        if phase != .signingIn, !isHandling { close() }
    }

    private func leaveStrangers() {
        guard isStranger else { return }
        isStranger = false
        clients.strangers.remove(from: address)
    }

    // MARK: Rights

    /// Verifies the client's certificate with the present credentials and rights.
    @discardableResult
    func verify() async throws -> CertificateHolder {
        let holder = try await parts.identity.authenticate(certificate: certificate)
        // Another reader is told of others.
        if let before = self.holder, before.reader != holder.reader { needsAll = true }
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
            // A client that found no feed free, and so is shown nobody, gets one as soon as there is one.
            startSending()
        } catch let error as IdentityError where error.endsCredential {
            parts.metrics.count(event: "tak_certificate_ended")
            close()
        } catch {
            // The server cannot verify now. What is sent next, and the next beat, are verified again.
        }
    }

    // MARK: Receiving

    func mayRead() -> Bool {
        switch phase {
        case .handshaking: true
        case .signingIn, .closed: false
        case .open: !isHandling
        }
    }

    private func resumeReading() {
        channel.pipeline.fireUserInboundEventTriggered(ResumeReading())
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
        Task { await RequestWork.$current.withValue(receiving) { await handleFramesToEnd() } }
    }

    private func handleFramesToEnd() async {
        await handleAll()
        isHandling = false
        if phase == .closed { frames = CoTFrames() }
        if isInputEnded { return close() }
        if phase == .open { resumeReading() }
    }

    /// Answers the request for a version of TAK's protocol. Everything after the answer is in that version.
    ///
    /// A client that does not read gets no answers that would pile up.
    func answer(requestOf version: Int?) {
        guard channel.isWritable else { return }
        let isKnown = version == 1
        send(picture.answer(isGranted: isKnown, at: parts.configuration.now()))
        if isKnown { sendsMessages = true }
    }

    // MARK: Sending

    func send(_ message: CoTMessage) { send(TAKRendering(message)) }

    func send(_ rendering: TAKRendering) {
        guard phase == .open else { return }
        channel.writeAndFlush(rendering.bytes(asMessage: sendsMessages), promise: nil)
    }

    /// Begins to show the client what it may see. Where the feeds that its user or device may have are all open, the
    /// client stays connected and can call for help; the next beat tries again.
    private func startSending() {
        guard phase == .open, inbox == nil, let holder else { return }
        do throws(FeedShares.Refusal) {
            let feed = try parts.feeds.open(
                .nothing, by: FeedOwner(holder.device), beatSeconds: TAKLimits.beatSeconds, timeoutSeconds: nil)
            let inbox = TAKInbox(feed)
            broadcast.open(inbox)
            self.inbox = inbox
            Task { await RequestWork.$current.withValue(work) { await sendUntilClosed(inbox) } }
        } catch {
            parts.metrics.count(event: "tak_no_feed")
            let (name, refusal) = (device.flatMap { parts.coordinator.directory.qualifiedName(of: $0) } ?? "", error)
            parts.occasionalLog.warn("tak_no_feed", "A TAK client is shown nobody, because a limit of feeds is reached")
            { ["device": .string(name), "limit": .string("\(refusal)")] }
        }
    }

    /// Waits until something changes: the channel accepts more, or the connection closed.
    func waitForChange() async {
        guard phase != .closed else { return }
        await withCheckedContinuation { waiters.append($0) }
    }

    func writabilityChanged() { wake() }

    func wake() {
        let waiting = waiters
        waiters = []
        for waiter in waiting { waiter.resume() }
    }
}
