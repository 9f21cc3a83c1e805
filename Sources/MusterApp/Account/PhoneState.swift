import Foundation
import MusterKit
import Observation

/// What this phone knows by itself, without the server: MusterKit's streams as observed values.
@MainActor @Observable final class PhoneState {
    /// Whether the server accepts the person who is signed in.
    var account = Muster.Account.signedOut
    /// The person's safety by this phone's positions alone.
    var safety: Muster.Safety?
    /// The regions near the phone, with its presence in each.
    var regions: [Muster.Region] = []
    /// The open incident of the team, by the server's last answer to MusterKit.
    var incident: Muster.Incident?
    /// Whether the phone delivers positions.
    var availability = LocationAvailability.available
    /// The newest position, whether or not it is recorded.
    var location: Muster.Location?
    /// Where the phone points, degrees clockwise from north, with its error; nil without a compass.
    var heading: Heading?
    /// Whether positions are tracked now.
    var isTracking = false
    /// When the server last had all that was recorded.
    var sentAt: Date?
    /// Why the last attempt to send positions failed; nil after one that did not.
    var sendFault: MusterError?
    /// How many documents the server does not have; nil if that is not known.
    var unsentPositions: Int?

    /// Where the phone points.
    struct Heading: Hashable, Sendable {
        var degrees: Double
        var accuracyDegrees: Double
    }
}
