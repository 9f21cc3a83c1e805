import Foundation
package import MusterCore

/// The machine's clock, as the commands read it.
extension Instant {
    /// The machine's clock.
    package static var now: Instant { Instant(seconds: Date().timeIntervalSince1970) }
}
