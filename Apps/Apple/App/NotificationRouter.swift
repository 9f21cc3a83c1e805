import Foundation
import MusterApp
import UserNotifications

/// Leads notifications to the models: the buttons work on the Lock Screen and offline, and a tap opens the part of the
/// app that the notification is about.
///
/// The system does not say on which thread it calls, so nothing here belongs to the main actor.
final class NotificationRouter: NSObject, UNUserNotificationCenterDelegate, Sendable {
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    ) {
        completionHandler([.banner, .list, .sound])
    }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void
    ) {
        let action = QuickAction(rawValue: response.actionIdentifier)
        let message = PushMessage(response.notification.request.content.userInfo)
        let completion = Completion(handler: completionHandler)
        Task { @MainActor in
            if let action {
                await Phone.shared.perform(action, of: message?.data ?? [:])
            } else {
                await Phone.shared.open()
                Phone.shared.app.open(notification: message?.data ?? [:])
            }
            completion.handler()
        }
    }

    /// The handler of the system, which is called once, on the main thread.
    private struct Completion: @unchecked Sendable {
        // Nothing else has the handler.
        let handler: () -> Void
    }
}
