import Foundation
package import MusterCore

/// The machine's clock, for a server that is given no other.
extension Instant {
    /// The machine's clock, in UTC, to the millisecond.
    package static let systemClock: @Sendable () -> Instant = {
        Instant(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
    }
}
