import AppIntents
import Foundation
import MusterApp

/// What a person chooses for a Focus in the system's settings: "Only what is urgent", which is off until they switch it
/// on. The system reads it when the Focus begins and ends, also while the app does not run; it changes nothing in the
/// app.
struct FocusFilter: SetFocusFilterIntent {
    static let title: LocalizedStringResource = "intentFocus"
    static let description: IntentDescription? = "intentFocusWhat"
    static let openAppWhenRun = false

    @Parameter(title: "intentFocusUrgent", default: false) var onlyUrgent: Bool

    var displayRepresentation: DisplayRepresentation {
        DisplayRepresentation(title: onlyUrgent ? "intentFocusUrgent" : "intentFocusAll")
    }

    /// The system silences a notification whose criteria the predicate refuses. It refuses those of a routine one and
    /// no others: a notification without criteria, as where the notification extension did not run, passes.
    var appContext: FocusFilterAppContext {
        guard onlyUrgent else { return FocusFilterAppContext() }
        return FocusFilterAppContext(
            notificationFilterPredicate: NSPredicate(
                format: "SELF == nil OR SELF != %@", argumentArray: [NotificationUrgency.routine.rawValue]))
    }

    func perform() async throws -> some IntentResult { .result() }
}
