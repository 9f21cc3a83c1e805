import ActivityKit
import Foundation
import MusterApp

/// The Live Activities of the incidents that call the person: one a call, begun, brought up to date and ended as the
/// models say.
///
/// The system lets an app begin one while it is on the screen, or from a Live Activity intent; after a push the
/// activity begins when the person opens the notification.
enum IncidentActivities {
    /// A call, and what its activity shows.
    struct Call: Hashable, Sendable {
        var attributes: IncidentAttributes
        var state: IncidentAttributes.ContentState
        /// From when on the activity shows its state as old.
        var staleAt: Date
    }

    /// Shows these calls and no others.
    static func show(_ calls: [Call]) async {
        let wanted = Dictionary(calls.map { ($0.attributes.call, $0) }) { first, _ in first }
        var shown: Set<String> = []
        for activity in Activity<IncidentAttributes>.activities {
            let id = activity.attributes.call
            if let call = wanted[id], shown.insert(id).inserted {
                await activity.update(content(call))
            } else {
                await activity.end(nil, dismissalPolicy: .immediate)
            }
        }
        guard ActivityAuthorizationInfo().areActivitiesEnabled else { return }
        for (id, call) in wanted where !shown.contains(id) {
            // Refused while the app is in the background: it begins when the app is next seen.
            _ = try? Activity.request(attributes: call.attributes, content: content(call))
        }
    }

    private static func content(_ call: Call) -> ActivityContent<IncidentAttributes.ContentState> {
        ActivityContent(state: call.state, staleDate: call.staleAt)
    }
}
