import Foundation
package import MusterCore

extension Instant {
    /// The machine's clock.
    package static var now: Instant { Instant(seconds: Date().timeIntervalSince1970) }
}
