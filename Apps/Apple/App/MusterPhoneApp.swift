import MusterApp
import SwiftUI

/// Muster on an iPhone: a member's face, and a leader's.
@main struct MusterPhoneApp: App {
    @UIApplicationDelegateAdaptor private var delegate: PhoneDelegate
    @Environment(\.scenePhase) private var phase

    var body: some Scene {
        WindowGroup {
            RootView(app: Phone.shared.app)
                .onChange(of: phase, initial: true) { Phone.shared.follow(phase) }
                .onOpenURL { link in Task { await Phone.shared.app.open(link) } }
        }
        .backgroundTask(.appRefresh(BackgroundRefresh.identifier)) {
            BackgroundRefresh.schedule()
            await Phone.shared.refresh()
        }
    }
}
