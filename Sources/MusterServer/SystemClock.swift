import Foundation
package import MusterCore

/// The machine's clock, for a server that is given no other.
extension Instant {
    /// The machine's clock, in UTC, to the millisecond.
    package static let systemClock: @Sendable () -> Instant = {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Instant(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
