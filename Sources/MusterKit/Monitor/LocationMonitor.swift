public import MusterCore
import MusterMutex
public import MusterReplication

/// Filters the fixes of a source, and sends the admitted ones to its subscribers.
///
/// The time of a fix may be wrong, because the receiver's clock or this device's clock runs ahead. A fix more than a
/// minute ahead of this device's clock is admitted, since this clock may be the wrong one; but only fixes that are
/// ahead too are compared with it. Fixes with right times are filtered as if it had never arrived.
public final class LocationMonitor: Sendable {
    /// Whether the app is in the foreground.
    public enum Mode: Hashable, Sendable {
        /// The app is visible.
        case foreground
        /// The app is not visible.
        case background
    }

    /// A fix that the filter admitted.
    public struct Location: Hashable, Sendable {
        /// The fix as the source delivered it.
        public var fix: Position
        /// Whether the app was in the background.
        public var isInBackground: Bool

        /// Makes a location; a monitor makes those that it sends.
        public init(fix: Position, isInBackground: Bool) {
            self.fix = fix
            self.isInBackground = isInBackground
        }
    }

    private struct State {
        var mode = Mode.foreground
        /// The last admitted fix that is not ahead of the clock.
        var last: Position?
        /// The last admitted fix that is ahead of the clock.
        var lastAhead: Position?
    }

    private let foreground: LocationFilter
    private let background: LocationFilter
    private let now: @Sendable () -> Instant
    private let state = Mutex(State())
    private let locations = Broadcast<Location>()

    /// A fix at most this many seconds ahead of this device's clock is compared with later fixes.
    public static let aheadSeconds: Double = 60

    /// The largest number of locations that wait for a subscriber; a slow subscriber loses the oldest.
    public static let waitingLimit = 10_000

    /// Makes a monitor without subscribers.
    ///
    /// - Parameters:
    ///   - foreground: the filter while the app is in the foreground.
    ///   - background: the filter while the app is in the background.
    ///   - last: the last fix that was admitted before a restart.
    ///   - now: the clock of this device.
    public init(
        foreground: LocationFilter = .foreground, background: LocationFilter = .background, last: Position? = nil,
        now: @escaping @Sendable () -> Instant = ReplicationPacing.systemNow
    ) {
        self.now = now
        self.foreground = foreground
        self.background = background
        state.withLock { $0.last = last }
    }

    /// Selects the filter of all fixes from now on.
    public var mode: Mode {
        get { state.withLock { $0.mode } }
        set { state.withLock { $0.mode = newValue } }
    }

    /// The last admitted fix that is not ahead of the clock.
    public var last: Position? { state.withLock { $0.last } }

    /// A stream of every location from now on. It ends when the monitor's source ends.
    public func subscribe() -> AsyncStream<Location> {
        locations.subscribe(limit: Self.waitingLimit)
    }

    /// Reads a source until it ends or the task is cancelled, and then ends all subscribers' streams.
    public func run(_ source: any LocationSource) async {
        for await fix in source.fixes() { reportFix(fix) }
        locations.finish()
    }

    /// Filters one fix, and sends it to the subscribers if it is admitted.
    ///
    /// - Returns: whether the filter admitted it.
    @discardableResult
    public func reportFix(_ fix: Position) -> Bool {
        state.withLock { state in
            guard let location = admit(fix, &state) else { return false }
            // Sent while the lock is held, so that all subscribers receive one order; sending never waits.
            locations.send(location)
            return true
        }
    }

    /// Filters a fix, and sends nothing to the subscribers.
    ///
    /// - Returns: the location to record; nil if the filter does not admit the fix.
    func admit(_ fix: Position) -> Location? { state.withLock { admit(fix, &$0) } }

    private func admit(_ fix: Position, _ state: inout State) -> Location? {
        let fix = fix.withoutInvalidNumbers
        let now = now()
        let filter = state.mode == .foreground ? foreground : background
        let isAhead = fix.sampleTime.seconds(since: now) > Self.aheadSeconds
        // The last fix may be ahead nevertheless: it is from before a restart, or the clock was set back since.
        let before = (isAhead ? state.lastAhead : state.last).flatMap { last in
            last.sampleTime.seconds(since: isAhead ? fix.sampleTime : now) > Self.aheadSeconds ? nil : last
        }
        guard filter.admits(fix, after: before) else { return nil }
        if isAhead { state.lastAhead = fix } else { state.last = fix }
        return Location(fix: fix, isInBackground: state.mode == .background)
    }
}

extension Position {
    /// The position without measurements that are NaN or infinite: JSON has no such numbers.
    var withoutInvalidNumbers: Position {
        var position = self
        position.accuracy = accuracy.flatMap { $0.value.isFinite ? $0 : nil }
        position.altitude = altitude.flatMap { $0.value.isFinite ? $0 : nil }
        position.speed = speed.flatMap { $0.isFinite ? $0 : nil }
        position.heading = heading.flatMap { $0.isFinite ? $0 : nil }
        position.battery = battery.flatMap { $0.isFinite ? $0 : nil }
        return position
    }
}
