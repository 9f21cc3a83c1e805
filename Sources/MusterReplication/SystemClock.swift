import Foundation
public import MusterCore

extension ReplicationPacing {
    /// The time of this machine.
    public static let systemNow: @Sendable () -> Instant = { Instant(seconds: Date().timeIntervalSince1970) }
}
