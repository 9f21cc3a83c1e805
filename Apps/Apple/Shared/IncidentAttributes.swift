import ActivityKit
import Foundation

/// The Live Activity of an open incident that calls the person.
struct IncidentAttributes: ActivityAttributes, Hashable, Sendable {
    /// What changes while the incident is open. All texts come worded from the app's models.
    struct ContentState: Codable, Hashable, Sendable {
        /// "Evacuate", or that it is a drill.
        var title: String
        /// What to do, or that the person has seen the call.
        var line: String
        /// The person's own state.
        var status: Glance.Face
        /// The way to the nearest assembly point.
        var way: Glance.Face
        /// The state as the server said it, marked as old, for when the system says that the activity is stale.
        var agedStatus: Glance.Face
        /// The way, for the same.
        var agedWay: Glance.Face
        /// The title of the button "I have seen this"; nil once the person has pressed it.
        var acknowledgeTitle: String?
        /// The title of the button "I am safe".
        var safeTitle: String

        /// The state and the way as they are shown.
        ///
        /// - Parameter isStale: whether the system has had no news of the app past the content's stale date.
        func faces(isStale: Bool) -> (status: Glance.Face, way: Glance.Face) {
            isStale ? (agedStatus, agedWay) : (status, way)
        }
    }

    /// The incident's call; a reopened incident has another one.
    var call: String
    /// The team, and since when.
    var team: String
}
