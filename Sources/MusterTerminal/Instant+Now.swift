import Foundation
package import MusterCore

/// Reads the machine's clock for the commands.
extension Instant {
    /// The present time by the machine's clock.
    package static var now: Instant { Instant(seconds: Date().timeIntervalSince1970) }
}
