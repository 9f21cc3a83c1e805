import MusterMutex
import NIOCore
import NIOPosix
import NIOSSL

// How a `Nearby` listens, connects to peers, and decides which of two channels to one peer stays.

/// A peer, while it is connected.
struct ConnectedPeer: Sendable {
    let peer: NearbyPeer
    let channel: TokenChannel
    let session: NearbySession
    let configuration: NearbySession.Configuration
    let isDialled: Bool
}

/// One connection from its handshake to its end, opened by either device: its session, and how it ended.
final class ChannelAttempt: Sendable {
    struct State {
        var name: String?
        var key: KeyFingerprint?
        var session: NearbySession?
        var channel: TokenChannel?
        var peer: NearbyPeer?
        var end: ChannelEnd?
    }

    let isDialled: Bool
    let link: RangingLink
    let state = Mutex(State())
    /// The entry that counts the connection while its device is not a peer; nil for one that this device opened.
    let entry: AdmissionGate.Entry?
    private let way: Way

    /// The channel through which the link sends, once it is open.
    private final class Way: Sendable {
        let channel = Mutex<TokenChannel?>(nil)
    }

    /// - Parameters:
    ///   - entry: the entry of a connection that the other device opened; nil for one that this device opens.
    ///   - loop: the event loop of the connection.
    init(_ entry: AdmissionGate.Entry? = nil, on loop: LoopExecutor) {
        self.entry = entry
        isDialled = entry == nil
        let way = Way()
        self.way = way
        link = RangingLink(on: loop) { note in way.channel.withLock { $0 }?.send(note: note) }
    }

    func open(_ channel: TokenChannel) { way.channel.withLock { $0 = channel } }

    /// Releases the channel, which retains this attempt by its owner.
    func release() {
        way.channel.withLock { $0 = nil }
        state.withLock { $0.channel = nil }
    }
}

/// Whether the silence of a peer was reported, so that it is reported once.
private final class SilenceReport: Sendable {
    private let isReported = Mutex(false)

    /// Whether the silence is new.
    func begin() -> Bool {
        isReported.withLock { isReported in
            defer { isReported = true }
            return !isReported
        }
    }

    func end() { isReported.withLock { $0 = false } }
}

extension Nearby {
    var deadlines: Conversation.Deadlines {
        var deadlines = Conversation.Deadlines()
        deadlines.silence = options.limits.silenceSeconds
        return deadlines
    }

    /// Listens on the port, on IPv6 and IPv4 unless the options name an address.
    func listen() async throws -> any Channel {
        let tls = try store.identity.tlsContext(isServer: true)
        let bootstrap = ServerBootstrap(group: loop.eventLoop)
            .serverChannelOption(.backlog, value: 64)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.maxMessagesPerRead, value: 4)
            .childChannelInitializer { channel in
                let address = channel.remoteAddress?.ipAddress ?? ""
                guard let entry = self.gate.enter(from: address, at: self.clock.now()) else { return channel.close() }
                channel.closeFuture.whenComplete { _ in entry.leave() }
                return channel.eventLoop.makeCompletedFuture {
                    try self.configure(channel, isServer: true, tls: tls, ChannelAttempt(entry, on: self.loop))
                }
            }
        do {
            if let host = options.host { return try await bootstrap.bind(host: host, port: options.port).get() }
            do {
                return try await bootstrap.bind(host: "::", port: options.port).get()
            } catch {
                return try await bootstrap.bind(host: "0.0.0.0", port: options.port).get()
            }
        } catch {
            throw NearbyError(.sessionFailed, "port \(options.port) cannot be listened on: \(error)")
        }
    }

    /// Opens a channel to an address, and returns the attempt once it has ended.
    func dial(_ address: NearbyAddress) async -> ChannelAttempt {
        let attempt = ChannelAttempt(on: loop)
        do {
            let tls = try store.identity.tlsContext(isServer: false)
            let channel = try await ClientBootstrap(group: loop.eventLoop)
                .connectTimeout(.seconds(3))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try self.configure(channel, isServer: false, tls: tls, attempt)
                    }
                }
                .connect(host: address.host, port: address.port).get()
            try await withTaskCancellationHandler {
                try await channel.closeFuture.get()
            } onCancel: {
                // The channel is open, so it continues although the discovery has ended.
                if attempt.state.withLock({ $0.channel }) == nil { channel.close(promise: nil) }
            }
        } catch {
            // The connection was never open, whatever end the channel reports.
            attempt.state.withLock { $0.end = .unreachable(Self.words(for: error, address)) }
        }
        return attempt
    }

    private static func words(for error: any Error, _ address: NearbyAddress) -> String {
        switch error {
        case let error as NIOConnectionError:
            error.connectionErrors.isEmpty
                ? "there is no host of this name" : "nothing listens there, or it does not answer"
        case is ChannelError: "it does not answer"
        default: "\(error)"
        }
    }

    func configure(_ channel: any Channel, isServer: Bool, tls: NIOSSLContext, _ attempt: ChannelAttempt) throws {
        let id = ObjectIdentifier(channel)
        let isEnding = state.withLock { state in
            if !state.isEnding { state.channels[id] = channel }
            return state.isEnding
        }
        guard !isEnding else { throw CancellationError() }
        channel.closeFuture.whenComplete { _ in self.state.withLock { $0.channels[id] = nil } }
        try TokenChannel.configure(
            channel, isServer: isServer, tls: tls, deadlines: deadlines, clock: clock, owner: owner(of: attempt))
    }

    func owner(of attempt: ChannelAttempt) -> ChannelOwner {
        ChannelOwner(
            introduce: { key in try self.introduce(to: key, attempt) },
            judge: { name, key, proof in
                attempt.state.withLock { $0.name = name }
                return await self.judge(name, key, proof)
            },
            open: { opened, key, channel in self.open(opened, key, channel, attempt) },
            note: { note in attempt.link.deliver(note) },
            ended: { end in self.ended(end, attempt) },
            tagged: { tag in
                guard let peer = attempt.state.withLock({ $0.peer }) else { return }
                self.queue.append(.rangeTag(peer, tag))
            })
    }

    private func introduce(to key: KeyFingerprint, _ attempt: ChannelAttempt) throws -> Conversation.Own {
        guard key != store.fingerprint else {
            throw NearbyError(.invalidConfiguration, "the peer has this device's own key")
        }
        let session = NearbySession(
            source: source, epoch: try store.takeEpoch(), limits: options.limits, active: active, clock: clock,
            watches: watches, executor: loop)
        attempt.state.withLock { ($0.key, $0.session) = (key, session) }
        return Conversation.Own(
            name: options.name, proof: secret?.proof(of: store.fingerprint, to: key) ?? [], run: runNumber,
            capabilities: PeerCapabilities(of: source), token: session.token, rangeTag: options.rangeTag)
    }

    /// Decides on a peer by its name, its key and its proof. Returns nil to accept it, or the reason to refuse it.
    private func judge(_ name: String, _ key: KeyFingerprint, _ proof: [UInt8]) async -> String? {
        let pinned = store.key(pinnedTo: name)
        var isKnown = pinned == key
        if let secret {
            guard secret.isProof(proof, of: key, to: store.fingerprint) else {
                return "it does not know the team's secret"
            }
            isKnown = true
        } else if let pinned, pinned != key {
            return "\(name) had the key \(pinned.short) and now shows \(key.short): someone may be in the middle, "
                + "or it is another device of this name; forget \(name) to accept it"
        }
        return await accept(Invitation(name: name, key: key, isKnown: isKnown)) ? nil : "it was not let in"
    }

    /// Adds a peer that both sides accepted, or returns how its channel must end.
    private func open(
        _ opened: OpenedPeer, _ key: KeyFingerprint, _ channel: TokenChannel, _ attempt: ChannelAttempt
    ) -> (ChannelEnd, ChannelMessage.Bye)? {
        guard let session = attempt.state.withLock({ $0.session }) else { return (.ended, .fault) }
        let peer = NearbyPeer(name: opened.name, key: key, capabilities: opened.capabilities, run: opened.run)
        let configuration = NearbySession.Configuration.peer(
            opened.token, capabilities: opened.capabilities, link: attempt.link)
        let former: ConnectedPeer?
        do {
            former = state.withLock { $0.peers[key] }
            if let former, former.peer.run == opened.run, isPreferred(former.isDialled, key),
                !isPreferred(attempt.isDialled, key)
            {
                return (.duplicate, .duplicate)
            }
            guard former != nil || state.withLock({ !$0.isEnding && $0.peers.count < options.mostPeers }) else {
                return (.refused("there are \(options.mostPeers) peers already"), .refused)
            }
            if let refusal = try store.accept(opened.token, from: key, named: opened.name, takesOver: secret != nil) {
                return (.refused("\(refusal)"), .refused)
            }
            attempt.open(channel)
            try session.run(configuration)
        } catch {
            return (.refused("\(error)"), .refused)
        }
        attempt.state.withLock { ($0.channel, $0.peer) = (channel, peer) }
        state.withLock { state in
            state.peers[key] = ConnectedPeer(
                peer: peer, channel: channel, session: session, configuration: configuration,
                isDialled: attempt.isDialled)
        }
        attempt.entry?.leave()
        former?.channel.end(.duplicate, telling: .duplicate)
        former?.session.invalidate()
        queue.append(.connected(peer))
        followSuspension(session, configuration)
        forward(session, of: peer, configuration, attempt)
        return nil
    }

    /// Of two connections between the same two devices, the one that the device with the lower key opened stays open.
    private func isPreferred(_ isDialled: Bool, _ key: KeyFingerprint) -> Bool {
        isDialled == store.fingerprint.bytes.lexicographicallyPrecedes(key.bytes)
    }

    /// Reports the updates of a session until its end, and then how the channel ended. While the channel is open, a
    /// session that timed out runs again at once: both ends may have fallen silent and wait for each other. The timeout
    /// is reported once.
    private func forward(
        _ session: NearbySession, of peer: NearbyPeer, _ configuration: NearbySession.Configuration,
        _ attempt: ChannelAttempt
    ) {
        let silence = SilenceReport()
        session.follow { update in
            switch update {
            case nil: self.finish(session, of: peer, attempt)
            case .invalidated(nil): break
            case .removed(.timeout):
                if silence.begin() { self.queue.append(.update(peer, .removed(.timeout))) }
                try? session.run(configuration)
                self.followSuspension(session, configuration)
            case let update?:
                silence.end()
                self.queue.append(.update(peer, update))
            }
        }
    }

    /// Suspends a session that was run while the app had suspended all. If the app ends the suspension meanwhile, the
    /// session runs on.
    private func followSuspension(_ session: NearbySession, _ configuration: NearbySession.Configuration) {
        guard state.withLock({ $0.isSuspended }) else { return }
        session.suspend()
        guard !state.withLock({ $0.isSuspended }) else { return }
        session.endSuspension()
        try? session.run(configuration)
    }

    /// Ends the channel of a session that is over.
    private func finish(_ session: NearbySession, of peer: NearbyPeer, _ attempt: ChannelAttempt) {
        // The session may have ended first, by an error. Then the peer is told that the channel ends.
        attempt.state.withLock { $0.channel }?.end(.ended, telling: .done)
        let end = attempt.state.withLock { $0.end } ?? .ended
        let isReplaced = state.withLock { state in
            guard state.peers[peer.key]?.session === session else { return true }
            state.peers[peer.key] = nil
            return false
        }
        if !isReplaced { queue.append(.disconnected(peer, end)) }
    }

    private func ended(_ end: ChannelEnd, _ attempt: ChannelAttempt) {
        let (session, isPeer, name, key) = attempt.state.withLock { state in
            state.end = end
            return (state.session, state.peer != nil, state.name, state.key)
        }
        switch end {
        case .silent: session?.noteSilence()
        case .ended, .duplicate: break
        default: session?.notePeerEnded()
        }
        session?.invalidate()
        attempt.release()
        if !isPeer, !attempt.isDialled, end != .duplicate { queue.append(.turnedAway(name: name, key: key, end)) }
    }

    /// Says goodbye to all, and waits until every connection is closed.
    func endAll() async {
        let (peers, channels) = state.withLock { state in
            state.isEnding = true
            return (Array(state.peers.values), Array(state.channels.values))
        }
        for peer in peers { peer.channel.end(.ended, telling: .done) }
        for channel in channels { channel.close(promise: nil) }
        for channel in channels { try? await channel.closeFuture.get() }
    }
}
