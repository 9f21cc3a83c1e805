public import MusterCore
import Synchronization

/// Listens to a source of fixes and tells those that are worth it to whoever subscribed.
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
        var last: Position?
        var subscribers: [UInt64: AsyncStream<Location>.Continuation] = [:]
        var nextSubscriber: UInt64 = 0
        var isFinished = false
    }

    private let foreground: LocationFilter
    private let background: LocationFilter
    private let state = Mutex(State())

    /// Locations that wait for a subscriber; of a slow one's, the oldest go first.
    public static let waitingLimit = 10_000

    /// A monitor with its filters.
    ///
    /// - Parameter last: the last fix that was told before a restart.
    public init(
        foreground: LocationFilter = .foreground, background: LocationFilter = .background, last: Position? = nil
    ) {
        self.foreground = foreground
        self.background = background
        state.withLock { $0.last = last }
    }

    /// Whether someone looks at the app, from now on.
    public var mode: Mode {
        get { state.withLock { $0.mode } }
        set { state.withLock { $0.mode = newValue } }
    }

    /// The last fix that was told.
    public var last: Position? { state.withLock { $0.last } }

    /// Every location from now on, until the monitor's source ends.
    public func subscribe() -> AsyncStream<Location> {
        AsyncStream(bufferingPolicy: .bufferingNewest(Self.waitingLimit)) { continuation in
            let number: UInt64? = state.withLock { state in
                guard !state.isFinished else { return nil }
                state.nextSubscriber += 1
                state.subscribers[state.nextSubscriber] = continuation
                return state.nextSubscriber
            }
            guard let number else { return continuation.finish() }
            continuation.onTermination = { [weak self] _ in
                _ = self?.state.withLock { $0.subscribers.removeValue(forKey: number) }
            }
        }
    }

    /// Listens to a source until it ends or the task is cancelled; then nobody is told any more.
    public func run(_ source: any LocationSource) async {
        for await fix in source.fixes() { take(fix) }
        let subscribers = state.withLock { state in
            state.isFinished = true
            defer { state.subscribers = [:] }
            return state.subscribers
        }
        for subscriber in subscribers.values { subscriber.finish() }
    }

    /// Looks at one fix.
    ///
    /// - Returns: whether it was worth being told of.
    @discardableResult
    public func take(_ fix: Position) -> Bool {
        state.withLock { state in
            let filter = state.mode == .foreground ? foreground : background
            guard filter.admits(fix, after: state.last) else { return false }
            state.last = fix
            let location = Location(fix: fix, isInBackground: state.mode == .background)
            // In the lock, so that everyone is told in one order; yielding waits for nobody.
            for subscriber in state.subscribers.values { subscriber.yield(location) }
            return true
        }
    }
}
