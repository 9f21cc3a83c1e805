import Foundation
import MusterApp
import UserNotifications

/// A push of the server: the members of the object `data` beside `aps` (docs/push.md), numbers as their digits.
struct PushMessage: Hashable, Sendable {
    /// The members.
    let data: [String: String]

    /// Reads what the system hands over; nil for a push of another sender.
    init?(_ payload: [AnyHashable: Any]) {
        guard let members = payload["data"] as? [String: Any] else { return nil }
        data = members.compactMapValues { ($0 as? String) ?? ($0 as? NSNumber)?.stringValue }
    }

    /// Gives the notification its urgency, words it in the language of the app, and gives it its buttons. Where this
    /// version has no words for the kind, the server's text stays.
    ///
    /// - Parameters:
    ///   - user: the person who is signed in, as far as the extension can read it.
    ///   - language: the language of the app.
    func dress(_ content: UNMutableNotificationContent, user: String?, _ language: Language) {
        let words = NotificationWords(data, body: content.body, user: user, language)
        content.setUrgency(NotificationUrgency(data), isCritical: words?.isCritical == true)
        guard let words else { return }
        content.title = words.title
        content.body = words.body
        content.categoryIdentifier = NotificationButtons.category(words.actions)
        content.relevanceScore = words.isCritical ? 1 : 0.5
    }
}

extension UNMutableNotificationContent {
    /// Breaks through silence where that is asked for, Apple allows it to the app, and the person to the app; otherwise
    /// through a Focus, if it is urgent. The app's Focus filter reads the criteria.
    func setUrgency(_ urgency: NotificationUrgency, isCritical: Bool) {
        let isCritical = isCritical && PushSettings.allowsCritical
        interruptionLevel = isCritical ? .critical : urgency == .urgent ? .timeSensitive : .active
        sound = isCritical ? .defaultCritical : .default
        filterCriteria = urgency.rawValue
    }
}

/// Buttons of notifications, which the system knows by categories.
enum NotificationButtons {
    /// The category of notifications with these buttons.
    static func category(_ actions: [QuickAction]) -> String { actions.map(\.rawValue).joined(separator: "+") }

    /// The sets of buttons that the server's pushes and the phone's own notices have.
    static let sets: [[QuickAction]] = [[.seen, .safe, .needHelp], [.checkIn, .needHelp], [.cancelSOS]]
}
