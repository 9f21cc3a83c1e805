import Foundation
import MusterApp
import UserNotifications

/// The phone's own notifications, such as the reminder of a check-in, which need no network.
struct PhoneNotifier: Notifier {
    func show(_ notice: Notice) async {
        let content = UNMutableNotificationContent()
        content.title = notice.title
        content.body = notice.body
        content.categoryIdentifier = NotificationButtons.category(notice.actions)
        content.setUrgency(notice.urgency, isCritical: notice.isCritical)
        let request = UNNotificationRequest(
            identifier: notice.id, content: content, trigger: notice.at.flatMap(Self.trigger))
        // Refused without the permission, which the settings of the app show.
        try? await UNUserNotificationCenter.current().add(request)
    }

    func remove(_ id: Notice.ID) async {
        UNUserNotificationCenter.current().removePendingNotificationRequests(withIdentifiers: [id])
        UNUserNotificationCenter.current().removeDeliveredNotifications(withIdentifiers: [id])
    }

    /// Tells the system which buttons there are.
    ///
    /// - Parameter titles: the title of an action, in the language of the app.
    @MainActor static func register(titles: (QuickAction) -> String) {
        let categories = NotificationButtons.sets.map { buttons in
            let actions = buttons.map { action in
                UNNotificationAction(
                    identifier: action.rawValue, title: titles(action), options: action.options,
                    icon: UNNotificationActionIcon(systemImageName: action.symbol))
            }
            return UNNotificationCategory(
                identifier: NotificationButtons.category(buttons), actions: actions, intentIdentifiers: [],
                options: [.hiddenPreviewsShowTitle])
        }
        UNUserNotificationCenter.current().setNotificationCategories(Set(categories))
    }

    private static func trigger(at moment: Date) -> UNNotificationTrigger? {
        let seconds = moment.timeIntervalSinceNow
        return seconds > 0 ? UNTimeIntervalNotificationTrigger(timeInterval: seconds, repeats: false) : nil
    }
}

extension QuickAction {
    /// No action asks for unlocking: who needs one of them may not be able to.
    fileprivate var options: UNNotificationActionOptions { self == .needHelp ? [.destructive] : [] }

    /// The symbol of SF Symbols.
    fileprivate var symbol: String {
        switch self {
        case .safe, .checkIn: "checkmark.circle"
        case .needHelp: "hand.raised"
        case .seen: "eye"
        case .startSOS: "sos"
        case .cancelSOS: "xmark"
        }
    }
}
