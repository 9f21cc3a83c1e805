import Foundation
import MusterHTTP

/// How the server sends by push services. Web Push needs no setting; the others need credentials from Apple or Google.
package struct PushSettings: Sendable {
    /// The address at which a push service can reach the operator: a `mailto:` or `https:` URL.
    package var contact = "mailto:admin@\(ProcessInfo.processInfo.hostName)"
    /// The operator's credentials from Apple; nil where the server does not send by APNs.
    package var apns: APNsCredentials?
    /// The operator's credentials from Google; nil where the server does not send by FCM.
    package var fcm: FCMCredentials?
    /// The limits of push attempts.
    package var policy = PushPolicy()

    package init() {}
}

extension PushSenders {
    /// The senders of the platforms that the settings give credentials for, and Web Push.
    ///
    /// - Parameters:
    ///   - client: calls the services whose addresses the settings name.
    ///   - subscriptionClient: calls the services whose addresses users name by their subscriptions. It resolves names
    ///     by a `SubscriptionResolver`, so that the names of one user delay neither other users' pushes nor any
    ///     delivery.
    init(
        _ settings: Configuration, coordinator: StoreCoordinator, vault: SecretVault, client: CheckedHTTPClient,
        subscriptionClient: CheckedHTTPClient
    ) {
        var senders: [PushPlatform: any PushSender] = [
            .webPush: WebPushSender(
                coordinator: coordinator, vault: vault, client: subscriptionClient, contact: settings.push.contact,
                now: settings.now)
        ]
        if let credentials = settings.push.apns {
            let sender = APNsSender(credentials, client: client, now: settings.now)
            senders[.apns] = sender
            senders[.apnsSandbox] = sender
        }
        if let credentials = settings.push.fcm {
            senders[.fcm] = FCMSender(credentials, client: client, now: settings.now)
        }
        self.init(senders)
    }
}
