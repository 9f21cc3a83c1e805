import ActivityKit
import Foundation
import MusterApp
import MusterKit

/// The Live Activities of the incidents that call the person: one a call, begun, brought up to date and ended as the
/// models say.
///
/// The system lets an app begin one while it is on the screen, or from a Live Activity intent. The server begins one by
/// a push, and ends it; the app takes over the one that is there.
enum IncidentActivities {
    /// A call, and what its activity shows.
    struct Call: Hashable, Sendable {
        var attributes: IncidentAttributes
        var state: IncidentAttributes.ContentState
        /// From when on the activity shows its state as old.
        var staleAt: Date
    }

    /// News of ActivityKit that the app acts on.
    enum News: Sendable {
        /// A token for the server.
        case token(Data, of: Muster.LiveActivity)
        /// There is an activity that may be new, as after a push.
        case activity
    }

    /// Shows these calls and no others.
    ///
    /// - Parameter heardAt: when the server last said what calls the person, by its clock.
    /// - Returns: whether it is to be called again, because an activity may be of a call that the phone has not heard
    ///   of.
    static func show(_ calls: [Call], heardAt: Date?) async -> Bool {
        let activities = Activity<IncidentAttributes>.activities.filter { isShown($0.activityState) }
        let plan = IncidentActivityPlan(
            shown: activities.map(\.attributes.call), wanted: calls.map(\.attributes.call), heardAt: heardAt)
        for (activity, step) in zip(activities, plan.steps) {
            switch step {
            case .update(let place): await activity.update(content(calls[place]))
            case .end: await activity.end(nil, dismissalPolicy: .immediate)
            case .wait: break
            }
        }
        guard ActivityAuthorizationInfo().areActivitiesEnabled else { return plan.isWaiting }
        for call in plan.begins.map({ calls[$0] }) {
            // Refused while the app is in the background: it begins when the app is next seen.
            _ = try? Activity.request(attributes: call.attributes, content: content(call), pushType: .token)
        }
        return plan.isWaiting
    }

    /// Ends all, as when the person has signed out.
    static func end() async {
        for activity in Activity<IncidentAttributes>.activities {
            await activity.end(nil, dismissalPolicy: .immediate)
        }
    }

    /// Follows the tokens by which the server begins and ends activities, until the task is cancelled.
    ///
    /// - Parameter receive: called with each of them, also again with those of an earlier start of the app.
    static func follow(_ receive: @escaping @MainActor @Sendable (News) async -> Void) async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                // Before iOS 17.2 no push begins an activity: the app does when it is next seen.
                guard #available(iOS 17.2, *) else { return }
                for await token in Activity<IncidentAttributes>.pushToStartTokenUpdates {
                    await receive(.token(token, of: .start))
                }
            }
            for id in Activity<IncidentAttributes>.activities.map(\.id) {
                group.addTask { await followTokens(of: id, receive) }
            }
            for await id in Activity<IncidentAttributes>.activityUpdates.map(\.id) {
                group.addTask { await followTokens(of: id, receive) }
                await receive(.activity)
            }
        }
    }

    /// Follows the tokens of one activity: the system gives another one at times. It is found again by its id, because
    /// an activity must not be sent from one task to another.
    private static func followTokens(
        of id: String, _ receive: @escaping @MainActor @Sendable (News) async -> Void
    ) async {
        guard let activity = Activity<IncidentAttributes>.activities.first(where: { $0.id == id }) else { return }
        let incident = activity.attributes.call.incident
        for await token in activity.pushTokenUpdates { await receive(.token(token, of: .incident(incident))) }
    }

    /// Whether an activity can be brought up to date: one that has ended stays on the Lock Screen for a while.
    private static func isShown(_ state: ActivityState) -> Bool { state == .active || state == .stale }

    private static func content(_ call: Call) -> ActivityContent<IncidentAttributes.ContentState> {
        ActivityContent(state: call.state, staleDate: call.staleAt)
    }
}
