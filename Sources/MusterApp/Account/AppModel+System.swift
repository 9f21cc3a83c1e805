public import Foundation
import MusterKit

/// What the system hands to the app while nobody looks at it.
extension AppModel {
    /// The title of an action, for the button of a notification and for a shortcut.
    public func title(of action: QuickAction) -> String {
        let key: Word =
            switch action {
            case .safe: .intentSafe
            case .needHelp: .intentHelp
            case .seen: .intentSeen
            case .checkIn: .intentCheckIn
            case .startSOS: .intentSos
            case .cancelSOS: .cancel
            }
        return wording.words.text(key)
    }

    /// Registers the phone for notifications of the person who is signed in. Without a connection it is tried again
    /// when the app registers next, which an app does at each start.
    ///
    /// - Parameters:
    ///   - pushToken: what the system passed to `didRegisterForRemoteNotificationsWithDeviceToken`.
    ///   - isDebugging: whether the app is signed for development.
    /// - Returns: why it failed; nil if it did not.
    @discardableResult
    public func register(pushToken: Data, isDebugging: Bool) async -> String? {
        await open()
        guard let muster = account?.muster else { return problem ?? wording.words.text(.appEnded) }
        do {
            try await muster.registerDevice(pushToken, isDebugging: isDebugging)
            return nil
        } catch {
            return ErrorWords(wording: wording).text(error)
        }
    }

    /// Does what a message of the server is about: a dataset is synchronized, an incident is asked for at once, and the
    /// question where somebody is, is answered by sending what is recorded.
    ///
    /// - Parameter message: the members of the message's `data`, numbers as their digits.
    /// - Returns: whether anything new is on this phone now, for the system's account of background time.
    @discardableResult
    public func handle(push message: [String: String]) async -> Bool {
        await open()
        guard let account else { return false }
        if let update = Muster.PushUpdate(message) {
            do {
                let dataset = try account.muster.dataset(update.datasetName)
                guard try await dataset.lastSyncCount < update.syncCount else { return false }
                try await dataset.synchronize()
                return true
            } catch {
                return false
            }
        }
        guard let kind = message["kind"] else { return false }
        let before = account.follower.state.sequence
        await account.follower.reload()
        if kind == "locate" { await account.waiting.sendNow() }
        tick()
        return account.follower.state.sequence > before
    }

    /// Leads to what a notification is about, once the person has tapped it.
    public func open(notification message: [String: String]) {
        navigation.open(
            notification: message["kind"] ?? "", user: message["user"], isLeader: account?.isLeader ?? false)
    }
}
