import Foundation
public import MusterCore

/// The machine's clock, for replications that are given no other.
extension ReplicationPacing {
    /// The time of this machine.
    public static let systemNow: @Sendable () -> Instant = { Instant(seconds: Date().timeIntervalSince1970) }
}
