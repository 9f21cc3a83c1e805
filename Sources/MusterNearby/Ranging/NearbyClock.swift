import Foundation
public import MusterCore
import MusterMutex

/// The clock of this device, and its ticks. Tests pass a clock of their own.
public struct NearbyClock: Sendable {
    /// The time now.
    public var now: @Sendable () -> Instant
    /// Returns ticks that are about one period apart, until the reader stops. A missed tick is not made up for.
    public var ticks: @Sendable (Duration) -> AsyncStream<Instant>
    /// Whether it is the machine's clock, by which event loops set their timers.
    let isOfMachine: Bool

    /// Creates a clock of two functions, for tests and simulations.
    public init(
        now: @escaping @Sendable () -> Instant, ticks: @escaping @Sendable (Duration) -> AsyncStream<Instant>
    ) {
        self.init(now: now, ticks: ticks, isOfMachine: false)
    }

    private init(
        now: @escaping @Sendable () -> Instant, ticks: @escaping @Sendable (Duration) -> AsyncStream<Instant>,
        isOfMachine: Bool
    ) {
        self.now = now
        self.ticks = ticks
        self.isOfMachine = isOfMachine
    }

    /// The machine's clock. It reads the machine's time once, and later corrections of that time do not change it. Its
    /// ticks do not drift: the delay of one does not delay the next.
    public static let system: NearbyClock = {
        let (start, began) = (Date().timeIntervalSince1970, ContinuousClock.now)
        let now: @Sendable () -> Instant = {
            Instant(seconds: start + (ContinuousClock.now - began) / .seconds(1))
        }
        let ticks: @Sendable (Duration) -> AsyncStream<Instant> = { period in
            let grid = TickGrid(period)
            return AsyncStream {
                try? await Task.sleep(until: grid.next(), clock: .continuous)
                return Task.isCancelled ? nil : now()
            }
        }
        return NearbyClock(now: now, ticks: ticks, isOfMachine: true)
    }()
}

/// The times of ticks, a period apart. A time that has passed is left out, and the ticks go on from the present.
final class TickGrid: Sendable {
    private let period: Duration
    private let last = Mutex(ContinuousClock.now)

    init(_ period: Duration) { self.period = period }

    func next() -> ContinuousClock.Instant {
        last.withLock { last in
            let now = ContinuousClock.now
            last = last + period > now ? last + period : now + period
            return last
        }
    }
}
