import MusterCore
import MusterMutex
import NIOCore
import NIOPosix

/// Finds peers, exchanges tokens with those that are accepted, and measures the distance and the direction to each.
///
/// ```
/// discovery ─▶ channel (TLS 1.3, hello, welcome, token) ─▶ session ◀─ source
/// ```
///
/// Tokens are exchanged anew on every connection. A device that is not accepted learns only this device's name and
/// public key, and a proof of the team's secret that it cannot use.
public final class Nearby: Sendable {
    /// The options of a device.
    public struct Options: Sendable {
        /// The name that this device gives itself: 1 to 63 bytes without control characters.
        public var name: String
        /// The address to listen on; nil for all addresses of this machine.
        public var host: String?
        /// The TCP port; 0 for any.
        public var port = 0
        /// The limits of each session. After `silenceSeconds` a channel counts as dead, too.
        public var limits = NearbySession.Limits()
        /// The most peers at once.
        public var mostPeers = 64
        /// A secret of at least 16 bytes that all devices of a team share. With a secret, only devices that know it are
        /// accepted, and their keys need not be known.
        public var teamSecret: [UInt8]?
        /// The tag under which accepted peers may report to a server how far they are from this device. Its owner
        /// agrees to that by registering it there; nil when they do not agree.
        public var rangeTag: RangeTag?
        /// The wait before a channel is opened again, seconds; it doubles with each failure, up to 20 times as much.
        public var retrySeconds = 0.5

        /// Creates the default options of a device with this name, which its peers see.
        public init(name: String) { self.name = name }
    }

    /// A peer that asks to exchange tokens, so that the two devices can measure each other.
    public struct Invitation: Hashable, Sendable {
        /// The name that the peer gives itself.
        public let name: String
        /// The peer's key.
        public let key: KeyFingerprint
        /// Whether this name was accepted with this key before, or the peer knows the team's secret.
        public let isKnown: Bool
    }

    let options: Options
    let source: any RangingSource
    let store: NearbyStore
    let discovery: [any Discovery]
    let clock: NearbyClock
    let accept: @Sendable (Invitation) async -> Bool
    let secret: TeamSecret?
    let active: ActiveSessions
    let gate: AdmissionGate
    let queue: NewsQueue<NearbyEvent>
    let state = Mutex(State())
    /// The event loop of all connections of this device. Its source works there too, so that only one thread wakes up.
    let loop: LoopExecutor
    /// The ticks at which the sessions check their time limits.
    let watches: TickSchedule
    /// Sent in each welcome. It grows with each start of this device, even if the clock was set back.
    let runNumber: UInt64

    struct State {
        var peers: [KeyFingerprint: ConnectedPeer] = [:]
        /// Every connection, including those whose peer is not accepted.
        var channels: [ObjectIdentifier: any Channel] = [:]
        var isSuspended = false
        var isEnding = false
    }

    /// Creates a device that takes part. It sends nothing before `run`.
    ///
    /// - Parameters:
    ///   - options: how this device takes part.
    ///   - source: measures the distance and the direction.
    ///   - store: this device's key, and the peers' keys.
    ///   - discovery: finds peers to connect to. Peers that connect by themselves need none.
    ///   - clock: the time.
    ///   - accept: decides whether a peer may exchange tokens. It is called for each peer whose key does not contradict
    ///     its name. A peer that both sides have not accepted within 60 seconds is refused.
    /// - Throws: `NearbyError.invalidConfiguration` when the name is not 1 to 63 bytes without control characters, or
    ///   the team's secret is shorter than 16 bytes; `NearbyStore.Failure` when the store cannot be read or written.
    public convenience init(
        options: Options, source: any RangingSource, store: NearbyStore, discovery: [any Discovery],
        clock: NearbyClock = .system, accept: @escaping @Sendable (Invitation) async -> Bool
    ) throws {
        try self.init(
            options: options, source: source, store: store, discovery: discovery, clock: clock,
            gate: AdmissionGate(), accept: accept)
    }

    init(
        options: Options, source: any RangingSource, store: NearbyStore, discovery: [any Discovery],
        clock: NearbyClock, gate: AdmissionGate, accept: @escaping @Sendable (Invitation) async -> Bool
    ) throws {
        guard PeerName.checked(options.name) != nil else {
            throw NearbyError(.invalidConfiguration, "a name has 1 to 63 bytes and no control characters")
        }
        let secret = options.teamSecret.map { TeamSecret($0) }
        if case .some(nil) = secret {
            throw NearbyError(
                .invalidConfiguration, "a team's secret has at least \(TeamSecret.fewestBytes) bytes, best random ones")
        }
        self.options = options
        self.source = source
        self.store = store
        self.discovery = discovery
        self.clock = clock
        self.accept = accept
        self.secret = secret ?? nil
        self.gate = gate
        loop = LoopExecutor(MultiThreadedEventLoopGroup.singleton.next())
        queue = NewsQueue(loop: loop)
        watches = TickSchedule(clock: clock, period: options.limits.watchPeriod)
        // A peer that connects anew runs beside its former session for a moment.
        active = ActiveSessions(limit: 2 * options.mostPeers)
        runNumber = try store.takeEpoch()
    }

    /// The events, for one reader. They end when `run` returns.
    public var events: News<NearbyEvent> {
        let queue = queue
        return News { await queue.next() }
    }

    /// Whether this device's measurements are simulated, in whole or in part.
    public var isSimulated: Bool { source.isSimulated }

    /// The peers that are connected.
    public var peers: [NearbyPeer] { state.withLock { $0.peers.values.map(\.peer) } }

    /// Takes part until the task is cancelled; then it says goodbye to all.
    ///
    /// - Throws: `NearbyError.unsupportedPlatform` when the source can measure nothing here, and
    ///   `NearbyError.sessionFailed` when the port cannot be listened on.
    public func run() async throws {
        defer { queue.finish() }
        guard source.isSupported else {
            throw NearbyError(.unsupportedPlatform, "this device has no \(source.kind) to measure with")
        }
        let listener = try await listen()
        let port = listener.localAddress?.port ?? options.port
        queue.append(.listening(port: port))
        let own = Announcement(name: options.name, port: port, key: store.fingerprint.short)
        await withTaskGroup(of: Void.self) { tasks in
            for discovery in discovery { tasks.addTask { await self.follow(discovery, announcing: own) } }
            tasks.addTask { await Task.untilCancelled() }
            await tasks.waitForAll()
        }
        try? await listener.close()
        await endAll()
    }

    /// Suspends every session, because the platform no longer lets the app measure.
    public func suspend() {
        for peer in state.withLock({
            $0.isSuspended = true; return Array($0.peers.values)
        }) { peer.session.suspend() }
    }

    /// Ends the suspension. The sessions then wait for `runAgain`.
    public func endSuspension() {
        for peer in state.withLock({
            $0.isSuspended = false; return Array($0.peers.values)
        }) {
            peer.session.endSuspension()
        }
    }

    /// Runs the sessions that wait after a suspension or a pause.
    public func runAgain() {
        for peer in state.withLock({ Array($0.peers.values) }) { try? peer.session.run(peer.configuration) }
    }
}

/// A peer that both sides accepted.
public struct NearbyPeer: Hashable, Sendable {
    /// The name that the peer gives itself.
    public let name: String
    /// The peer's key, which identifies it.
    public let key: KeyFingerprint
    /// The capabilities of the peer.
    public let capabilities: PeerCapabilities
    /// Grows with each start of the peer: a higher one than before means that it was restarted.
    public let run: UInt64
}

/// An event of `Nearby.events`. A slow reader gets only the newest measurement of each peer, and loses the oldest
/// events when 1,024 wait.
public enum NearbyEvent: Hashable, Sendable, MergeableNews {
    /// This device listens on this TCP port.
    case listening(port: Int)
    /// A discovery found a peer.
    case found(FoundPeer)
    /// A discovery reports that a peer is gone.
    case lost(FoundPeer)
    /// A discovery failed for good, for this reason.
    case discoveryFailed(String)
    /// A discovery does not work for now, for this reason; it tries again by itself.
    case discoveryInterrupted(String)
    /// A discovery works, after it was interrupted.
    case discoveryResumed(String)
    /// A found peer cannot be reached or accepted now. It is tried again.
    case failed(FoundPeer, ChannelEnd)
    /// A device that connected was not accepted. The name is the one that it gives itself.
    case turnedAway(name: String?, key: KeyFingerprint?, ChannelEnd)
    /// Tokens were exchanged with a peer, and it is measured.
    case connected(NearbyPeer)
    /// A connected peer hands over the tag under which this device may report to a server how far the peer is.
    case rangeTag(NearbyPeer, RangeTag)
    /// An update of the session with a peer.
    case update(NearbyPeer, NearbyUpdate)
    /// The channel to a peer ended; its token and this device's are no longer valid.
    case disconnected(NearbyPeer, ChannelEnd)

    var subject: KeyFingerprint? {
        switch self {
        case .connected(let peer), .rangeTag(let peer, _), .update(let peer, _), .disconnected(let peer, _): peer.key
        default: nil
        }
    }

    var isReplaceable: Bool { if case .update(_, .measured) = self { true } else { false } }
}
