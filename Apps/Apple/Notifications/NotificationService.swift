import Foundation
import MusterApp
import UserNotifications

/// Words the server's notifications in the language of the app, and gives them their buttons and their urgency, before
/// the system shows them. It opens neither the keychain nor the app's store, so that it works before the first unlock.
final class NotificationService: UNNotificationServiceExtension {
    override func didReceive(
        _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        guard let content = request.content.mutableCopy() as? UNMutableNotificationContent,
            let message = PushMessage(content.userInfo)
        else { return contentHandler(request.content) }
        message.dress(content, user: PushSettings.user, PushSettings.language)
        contentHandler(content)
    }
}
