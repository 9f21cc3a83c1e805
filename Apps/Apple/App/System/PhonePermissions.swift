import AVFoundation
import CoreLocation
import Foundation
import MusterApp
import UserNotifications

/// What the person allows the app, as the system says it.
///
/// The system tells the answer about locations later, and to nobody where the person had answered before: the app reads
/// the permissions again whenever it becomes active.
struct PhonePermissions: PermissionKeeper {
    /// Names the text of `NSLocationTemporaryUsageDescriptionDictionary` in Info.plist.
    private static let fullAccuracyPurposeKey = "Assembly"

    func state(of permission: Permission) async -> PermissionState {
        switch permission {
        case .location, .locationAlways, .preciseLocation: await Self.location(permission)
        case .notifications: Self.state(of: await UNUserNotificationCenter.current().notificationSettings())
        case .criticalAlerts:
            Self.criticalState(of: await UNUserNotificationCenter.current().notificationSettings())
        case .camera: Self.state(of: AVCaptureDevice.authorizationStatus(for: .video))
        // Core Location ranges beacons under the permission for locations. The system asks for the local network and
        // for NearbyInteraction when they are used, and tells nobody what the person said.
        case .bluetooth, .motion, .localNetwork, .nearbyInteraction: .unavailable
        }
    }

    func ask(for permission: Permission) async -> PermissionState {
        switch permission {
        case .location: await Self.askForLocation()
        case .locationAlways: await Self.askForLocationAlways()
        case .preciseLocation: await Self.askForPrecision(Self.fullAccuracyPurposeKey)
        case .notifications: _ = try? await Self.askForNotifications([.alert, .sound, .badge])
        case .criticalAlerts: _ = try? await Self.askForNotifications([.alert, .sound, .badge, .criticalAlert])
        case .camera: _ = await AVCaptureDevice.requestAccess(for: .video)
        case .nearbyInteraction, .bluetooth, .motion, .localNetwork: break
        }
        return await state(of: permission)
    }

    private static func askForNotifications(_ options: UNAuthorizationOptions) async throws -> Bool {
        try await UNUserNotificationCenter.current().requestAuthorization(options: options)
    }

    private static func state(of settings: UNNotificationSettings) -> PermissionState {
        switch settings.authorizationStatus {
        case .authorized, .provisional, .ephemeral: .granted
        case .denied: .denied
        case .notDetermined: .notAsked
        @unknown default: .unavailable
        }
    }

    /// Whether critical alerts are allowed, which the notification extension is told.
    private static func criticalState(of settings: UNNotificationSettings) -> PermissionState {
        PushSettings.allowsCritical = settings.criticalAlertSetting == .enabled
        switch settings.criticalAlertSetting {
        case .enabled: return .granted
        case .disabled: return .denied
        default: return .unavailable
        }
    }

    private static func state(of status: AVAuthorizationStatus) -> PermissionState {
        switch status {
        case .authorized: .granted
        case .denied: .denied
        case .restricted: .restricted
        case .notDetermined: .notAsked
        @unknown default: .unavailable
        }
    }

    // MARK: Locations

    /// The manager that asks. It lives as long as the app, because the system takes its question away with it.
    @MainActor private static let manager = CLLocationManager()
    /// Whether this process has asked the person for precise positions.
    @MainActor private static var hasAskedForPrecision = false

    @MainActor private static func location(_ permission: Permission) -> PermissionState {
        let status = manager.authorizationStatus
        switch status {
        case .notDetermined: return .notAsked
        case .restricted: return .restricted
        case .denied: return .denied
        case .authorizedWhenInUse, .authorizedAlways: break
        @unknown default: return .unavailable
        }
        switch permission {
        case .locationAlways: return status == .authorizedAlways ? .granted : .denied
        case .preciseLocation:
            if manager.accuracyAuthorization == .fullAccuracy { return .granted }
            return hasAskedForPrecision ? .denied : .notAsked
        default: return .granted
        }
    }

    @MainActor private static func askForLocation() { manager.requestWhenInUseAuthorization() }
    @MainActor private static func askForLocationAlways() { manager.requestAlwaysAuthorization() }
    @MainActor private static func askForPrecision(_ key: String) async {
        // The answer counts until the app ends. After a no only the settings allow it.
        hasAskedForPrecision = true
        await withCheckedContinuation { continuation in
            // The system does not say on which thread it answers. An error means that the person said no.
            manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: key) { @Sendable _ in
                continuation.resume()
            }
        }
    }
}
