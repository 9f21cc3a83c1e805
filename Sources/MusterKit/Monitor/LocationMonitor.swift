public import MusterCore
public import MusterReplication
import Synchronization

/// Listens to a source of fixes and tells those that are worth it to whoever subscribed.
///
/// A fix says when it was taken, and some say it wrongly: a receiver's clock runs ahead, or this device's does for a
/// while. A fix more than a minute ahead of this device's clock is told, for it may be this clock that is wrong, and no
/// other is held against it than such as are ahead too: right ones come through as if it had never been.
public final class LocationMonitor: Sendable {
    /// Whether someone looks at the app.
    public enum Mode: Hashable, Sendable {
        /// Someone does.
        case foreground
        /// Nobody does.
        case background
    }

    /// A fix that is worth being told of.
    public struct Location: Hashable, Sendable {
        /// The fix.
        public var fix: Position
        /// Whether nobody looked at the app.
        public var isInBackground: Bool

        /// A fix, and whether nobody looked at the app.
        public init(fix: Position, isInBackground: Bool) {
            self.fix = fix
            self.isInBackground = isInBackground
        }
    }

    private struct State {
        var mode = Mode.foreground
        /// The last that was told, of those that are not ahead of the clock.
        var last: Position?
        /// The last that was told of the others.
        var lastAhead: Position?
    }

    private let foreground: LocationFilter
    private let background: LocationFilter
    private let now: @Sendable () -> Instant
    private let state = Mutex(State())
    private let locations = Broadcast<Location>()

    /// Seconds that a fix may be ahead of this device's clock and still be one that others are held against.
    public static let aheadSeconds: Double = 60

    /// Locations that wait for a subscriber; of a slow one's, the oldest go first.
    public static let waitingLimit = 10_000

    /// A monitor with its filters.
    ///
    /// - Parameters:
    ///   - last: the last fix that was told before a restart.
    ///   - now: this device's time.
    public init(
        foreground: LocationFilter = .foreground, background: LocationFilter = .background, last: Position? = nil,
        now: @escaping @Sendable () -> Instant = ReplicationPacing.systemNow
    ) {
        self.now = now
        self.foreground = foreground
        self.background = background
        state.withLock { $0.last = last }
    }

    /// Whether someone looks at the app, from now on.
    public var mode: Mode {
        get { state.withLock { $0.mode } }
        set { state.withLock { $0.mode = newValue } }
    }

    /// The last fix that was told, of those that are not ahead of the clock.
    public var last: Position? { state.withLock { $0.last } }

    /// Every location from now on, until the monitor's source ends.
    public func subscribe() -> AsyncStream<Location> {
        locations.subscribe(limit: Self.waitingLimit)
    }

    /// Listens to a source until it ends or the task is cancelled; then nobody is told any more.
    public func run(_ source: any LocationSource) async {
        for await fix in source.fixes() { take(fix) }
        locations.finish()
    }

    /// Looks at one fix.
    ///
    /// - Returns: whether it was worth being told of.
    @discardableResult
    public func take(_ fix: Position) -> Bool {
        state.withLock { state in
            guard let location = admit(fix, &state) else { return false }
            // In the lock, so that everyone is told in one order; yielding waits for nobody.
            locations.send(location)
            return true
        }
    }

    /// Decides whether a fix passes the filter, and tells no subscriber.
    ///
    /// - Returns: the location to record; nil where the filter leaves the fix out.
    func admit(_ fix: Position) -> Location? { state.withLock { admit(fix, &$0) } }

    private func admit(_ fix: Position, _ state: inout State) -> Location? {
        let now = now()
        let filter = state.mode == .foreground ? foreground : background
        let isAhead = fix.sampleTime.seconds(since: now) > Self.aheadSeconds
        // The last one may be ahead all the same: it came from before a restart, or the clock was set back since.
        let before = (isAhead ? state.lastAhead : state.last).flatMap { last in
            last.sampleTime.seconds(since: isAhead ? fix.sampleTime : now) > Self.aheadSeconds ? nil : last
        }
        guard filter.admits(fix, after: before) else { return nil }
        if isAhead { state.lastAhead = fix } else { state.last = fix }
        return Location(fix: fix, isInBackground: state.mode == .background)
    }
}
