import AppIntents
import Foundation
import MusterApp
import UIKit
import UserNotifications

/// What the system tells the app outside of its views.
@MainActor final class PhoneDelegate: NSObject, UIApplicationDelegate {
    private let router = NotificationRouter()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        // Before this returns, so that the notification or the intent for which the app was started finds them.
        UNUserNotificationCenter.current().delegate = router
        let actions = PhoneActions(
            safe: { await Phone.shared.perform(.safe) }, acknowledge: { await Phone.shared.acknowledge($0) })
        AppDependencyManager.shared.add(dependency: actions)
        application.registerForRemoteNotifications()
        Task { await Phone.shared.open() }
        return true
    }

    func application(_ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data) {
        Phone.shared.take(pushToken: deviceToken)
    }

    func application(_ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error) {
        // Without pushes the app hears of everything by the live feed while it runs.
    }

    func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication) {
        // The first unlock after a start: what the app has stored can be read now.
        Task { await Phone.shared.open() }
    }

    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult {
        guard let message = PushMessage(userInfo) else { return .noData }
        return await Phone.shared.receive(message) ? .newData : .noData
    }
}
