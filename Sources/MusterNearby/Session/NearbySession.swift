import MusterCore
import MusterMutex

/// Measures the distance and the direction to one peer, from the exchange of tokens to the end. N peers need N
/// sessions.
///
/// Its states follow Apple's reference. The app calls `run`, `pause` and `invalidate`. A session is suspended while the
/// platform lets the app measure nothing; afterwards it waits for `run`, and never resumes by itself. A peer is removed
/// when it falls silent, and may then be measured again, or when its own session ends. After `invalidate` the token is
/// no longer valid.
public final class NearbySession: Sendable {
    /// The peer that a session measures, and the channel to it.
    public enum Configuration: Sendable {
        /// A peer that sent its token; `capabilities` are those that it stated.
        case peer(DiscoveryToken, capabilities: PeerCapabilities, link: RangingLink)
        /// The accessory of an `AccessoryRanging`.
        case accessory
    }

    /// The time limits after which a session reports its peer as removed, or ends.
    public struct Limits: Hashable, Sendable {
        /// After so many seconds without a measurement the peer counts as removed.
        public var silenceSeconds = 5.0
        /// After so many seconds of suspension the session is invalidated.
        public var suspensionSeconds = 300.0

        public init() {}

        /// The time between two checks of the limits.
        var watchPeriod: Duration { .seconds(min(silenceSeconds / 4, 1)) }
    }

    /// The token that this session gives its peer.
    public let token: DiscoveryToken
    private let source: any RangingSource
    private let limits: Limits
    private let clock: NearbyClock
    private let active: ActiveSessions
    private let queue = NewsQueue<NearbyUpdate>(limit: 64)
    private let core = Mutex(Core())
    private let watches: TickSchedule
    private let executor: (any EventLoopExecutor)?

    private struct Core {
        var lifecycle = SessionLifecycle()
        var peer: DiscoveryToken?
        var link = RangingLink.none
        /// The number of the present run. Measurements that an earlier run still yields are dropped.
        var generation = 0
        var measuring: RangingRun?
        var watch: Watch?
        /// When it was started, measured or suspended last.
        var since = Instant(milliseconds: 0)
    }

    /// Checks the limits of a session at each tick. It does not retain the session.
    private final class Watch: TickedRun {
        private let look: @Sendable (Instant) -> Void

        init(_ look: @escaping @Sendable (Instant) -> Void) { self.look = look }

        func step(at now: Instant) { look(now) }
        func endOfTicks() {}
    }

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - source: measures the distance and the direction.
    ///   - epoch: the number of the session, higher than that of every earlier one of this device.
    ///   - limits: how long silence and suspension may last.
    ///   - active: the sessions that run at the same time.
    ///   - clock: the time.
    public convenience init(
        source: any RangingSource, epoch: UInt64, limits: Limits = Limits(), active: ActiveSessions = .shared,
        clock: NearbyClock = .system
    ) {
        self.init(
            source: source, epoch: epoch, limits: limits, active: active, clock: clock,
            watches: TickSchedule(clock: clock, period: limits.watchPeriod), executor: nil)
    }

    init(
        source: any RangingSource, epoch: UInt64, limits: Limits, active: ActiveSessions, clock: NearbyClock,
        watches: TickSchedule, executor: (any EventLoopExecutor)?
    ) {
        var random = SystemRandomNumberGenerator()
        token = DiscoveryToken.random(epoch: epoch, using: &random)
        self.source = source
        self.limits = limits
        self.active = active
        self.clock = clock
        self.watches = watches
        self.executor = executor
    }

    deinit { invalidate() }

    /// The updates of the session, for one reader. They end after `invalidated`.
    public var updates: News<NearbyUpdate> {
        let queue = queue
        return News { await queue.next() }
    }

    /// Sets a function as the reader of the updates. It is called with one update after the other, and with nil at the
    /// end. It may call the session.
    func follow(_ follower: @escaping @Sendable (NearbyUpdate?) -> Void) { queue.follow(follower) }

    /// The present state of the session.
    var state: SessionLifecycle.State { core.withLock { $0.lifecycle.state } }

    /// Starts to measure, or goes on after a pause, a suspension that ended, or a removal by timeout.
    ///
    /// - Throws: `NearbyError`: `unsupportedPlatform` when the source can measure nothing here, `invalidConfiguration`
    ///   when it does not fit the source or names another peer than before, `incompatiblePeerDevice` when the peer has
    ///   no such source, `activeSessionsLimitExceeded`, and `sessionFailed` while the session is suspended and after it
    ///   has ended.
    public func run(_ configuration: Configuration) throws(NearbyError) {
        let peer = try checkedPeer(configuration)
        defer { queue.callFollower() }
        let refusal: NearbyError? = core.withLock { core in
            if let known = core.peer, let token = peer?.token, known != token {
                return NearbyError(
                    .invalidConfiguration, "a session serves one peer; another one needs another session")
            }
            let isToStart = ![.running, .suspended, .peerEnded, .invalidated].contains(core.lifecycle.state)
            if isToStart, !active.enter() {
                return NearbyError(.activeSessionsLimitExceeded, "\(active.limit) sessions run already")
            }
            core.peer = peer?.token ?? core.peer
            core.link = peer?.link ?? core.link
            return perform(core.lifecycle.handle(.run), on: &core)
        }
        if let refusal { throw refusal }
    }

    /// Stops measuring until the next `run`.
    public func pause() { handle(.pause) }

    /// Ends the session for good.
    public func invalidate() { handle(.invalidate) }

    /// Suspends the session, because the platform no longer lets the app measure: for example, it went to the
    /// background.
    public func suspend() { handle(.suspend) }

    /// Ends the suspension. The session then waits for `run`.
    public func endSuspension() { handle(.endSuspension) }

    /// Records that the peer's session has ended.
    func notePeerEnded() { handle(.peerEnded) }

    /// Records that the connection to the peer is silent.
    func noteSilence() { handle(.silence) }

    private func checkedPeer(_ configuration: Configuration) throws(NearbyError) -> (
        token: DiscoveryToken, link: RangingLink
    )? {
        guard source.isSupported else {
            throw NearbyError(.unsupportedPlatform, "this device has no \(source.kind) to measure with")
        }
        switch configuration {
        case .accessory:
            guard source.kind == .accessory else {
                throw NearbyError(.invalidConfiguration, "\(source.kind) measures peers, not accessories")
            }
            return nil
        case .peer(let token, let capabilities, let link):
            guard source.kind != .accessory else {
                throw NearbyError(.invalidConfiguration, "an accessory's radio measures no peers")
            }
            guard !source.kind.needsBothEnds || capabilities.kinds.contains(source.kind) else {
                throw NearbyError(.incompatiblePeerDevice, "the peer does not measure by \(source.kind)")
            }
            return (token, link)
        }
    }

    private func handle(_ event: SessionLifecycle.Event, of generation: Int? = nil) {
        defer { queue.callFollower() }
        core.withLock { core in
            guard generation == nil || generation == core.generation else { return }
            if case .measured = event { core.since = clock.now() }
            if case .suspend = event, core.lifecycle.state != .suspended { core.since = clock.now() }
            _ = perform(core.lifecycle.handle(event), on: &core)
        }
    }

    /// Carries out what follows from an event, in order, and returns the refusal if there is one.
    private func perform(_ effects: [SessionLifecycle.Effect], on core: inout Core) -> NearbyError? {
        for effect in effects {
            switch effect {
            case .start: start(&core)
            case .stop:
                core.measuring?.cancel()
                core.measuring = nil
                core.generation += 1
                active.leave()
            case .tell(let update): queue.append(update)
            case .refuse(let error): return error
            }
        }
        if core.lifecycle.isOver {
            if let watch = core.watch { watches.remove(watch, from: executor) }
            core.watch = nil
            queue.finish()
        }
        return nil
    }

    private func start(_ core: inout Core) {
        core.generation += 1
        core.since = clock.now()
        let generation = core.generation
        core.measuring = source.start(over: core.link) { [weak self] news in
            switch news {
            case .measured(let measurement): self?.handle(.measured(measurement), of: generation)
            case .ended(nil): self?.handle(.peerEnded, of: generation)
            case .ended(let error as NearbyError): self?.handle(.failed(error), of: generation)
            case .ended(let error?):
                self?.handle(.failed(NearbyError(.sessionFailed, "\(error)")), of: generation)
            }
        }
        guard core.watch == nil else { return }
        let watch = Watch { [weak self] now in self?.watch(at: now) }
        core.watch = watch
        watches.add(watch, on: executor)
    }

    /// Looks whether a silence or a suspension has lasted too long.
    private func watch(at now: Instant) {
        defer { queue.callFollower() }
        core.withLock { core in
            let seconds = now.seconds(since: core.since)
            switch core.lifecycle.state {
            case .running where seconds > limits.silenceSeconds: _ = perform(core.lifecycle.handle(.silence), on: &core)
            case .suspended where seconds > limits.suspensionSeconds:
                _ = perform(core.lifecycle.handle(.suspensionLimit), on: &core)
            default: break
            }
        }
    }
}

/// The limit of the sessions that measure at the same time.
public final class ActiveSessions: Sendable {
    /// The sessions of a process.
    public static let shared = ActiveSessions(limit: 64)

    /// The most sessions that may measure at the same time.
    public let limit: Int
    private let count = Mutex(0)

    /// Creates a limit, which the sessions that are created with it share.
    public init(limit: Int) { self.limit = limit }

    func enter() -> Bool {
        count.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
    }

    func leave() { count.withLock { $0 -= 1 } }
}
