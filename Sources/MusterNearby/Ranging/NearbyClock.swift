import Foundation
public import MusterCore

/// The time of this device, and ticks of it. Tests bring their own.
public struct NearbyClock: Sendable {
    /// The time now.
    public var now: @Sendable () -> Instant
    /// Ticks about every so often, until the reader stops. A tick that comes late is not made up for.
    public var ticks: @Sendable (Duration) -> AsyncStream<Instant>

    /// Creates a clock of two functions, for tests and simulations.
    public init(
        now: @escaping @Sendable () -> Instant, ticks: @escaping @Sendable (Duration) -> AsyncStream<Instant>
    ) {
        self.now = now
        self.ticks = ticks
    }

    /// The machine's clock. It is set once, and runs on evenly if the machine's time is corrected.
    public static let system: NearbyClock = {
        let (start, began) = (Date().timeIntervalSince1970, ContinuousClock.now)
        let now: @Sendable () -> Instant = {
            Instant(seconds: start + (ContinuousClock.now - began) / .seconds(1))
        }
        return NearbyClock(now: now) { period in
            AsyncStream {
                try? await Task.sleep(for: period)
                return Task.isCancelled ? nil : now()
            }
        }
    }()
}
