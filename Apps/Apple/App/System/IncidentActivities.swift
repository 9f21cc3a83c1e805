import ActivityKit
import Foundation
import MusterApp

/// The Live Activities of the incidents that call the person: one a call, begun, brought up to date and ended as the
/// models say.
///
/// The system lets an app begin one while it is on the screen, or from a Live Activity intent; after a push the
/// activity begins when the person opens the notification.
enum IncidentActivities {
    /// After this many seconds without news the system marks an activity as stale.
    private static let staleSeconds = 600.0

    /// Shows these calls and no others.
    ///
    /// - Parameter calls: for each call its attributes and what it shows now.
    static func show(_ calls: [(attributes: IncidentAttributes, state: IncidentAttributes.ContentState)]) async {
        let wanted = Dictionary(calls.map { ($0.attributes.call, $0) }) { first, _ in first }
        var shown: Set<String> = []
        for activity in Activity<IncidentAttributes>.activities {
            let call = activity.attributes.call
            if let (_, state) = wanted[call], shown.insert(call).inserted {
                await activity.update(content(state))
            } else {
                await activity.end(nil, dismissalPolicy: .immediate)
            }
        }
        guard ActivityAuthorizationInfo().areActivitiesEnabled else { return }
        for (call, entry) in wanted where !shown.contains(call) {
            // Refused while the app is in the background: the next call of this begins it.
            _ = try? Activity.request(attributes: entry.attributes, content: content(entry.state))
        }
    }

    private static func content(
        _ state: IncidentAttributes.ContentState
    ) -> ActivityContent<IncidentAttributes.ContentState> {
        ActivityContent(state: state, staleDate: Date(timeIntervalSinceNow: staleSeconds))
    }
}
