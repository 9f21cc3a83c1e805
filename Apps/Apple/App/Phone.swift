import CoreLocation
import Foundation
import MusterApp
import MusterKit
import SwiftUI
import WidgetKit

/// The app's models on this phone, and what the system shows of them outside of the app: widgets, Live Activities, the
/// regions that wake the app, and the push token.
@MainActor final class Phone {
    /// The one of this process. It is there before any view, as when the system starts the app for a notification.
    static let shared = Phone()

    /// The models.
    let app: AppModel
    private let waking = RegionWaking()
    private let beacons = BeaconListening()
    private var ticking: Task<Void, Never>?
    private var pushToken: Data?
    /// Whose push token the server has, so that it is registered once a start.
    private var registeredFor: ObjectIdentifier?
    private var shownCalls: [IncidentAttributes.ContentState] = []
    private var watched: [WakingCircle] = []
    private var choseCirclesAt = Date.distantPast
    private var titledIn: Language?
    private var namedUser: String?

    /// How often the regions that wake the app are chosen anew, seconds.
    private static let circleSeconds = 60.0

    private init() {
        let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
        app = AppModel(
            AppSystem(
                folder: support.appending(path: "muster"),
                credentials: { KeychainCredentialKeeper(service: "muster.\($0)") },
                location: CoreLocationSource(.fitness, authorization: .always), headings: Compass(),
                connectivity: NetworkPath(), permissions: PhonePermissions(), notifier: PhoneNotifier(),
                version: Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String ?? ""))
        if app.signIn.server.isEmpty {
            app.signIn.server = Bundle.main.object(forInfoDictionaryKey: "MusterServer") as? String ?? ""
        }
    }

    /// Opens the models and tells the system what they say, also while no view is shown.
    func open() async {
        await app.open()
        await publish()
    }

    /// Follows the scene: while the app is seen, the models tick each second; in the background they record by its
    /// filter, and the system starts the app again. A moment in between, as under an alert, changes nothing.
    func follow(_ phase: ScenePhase) {
        if phase != .inactive { CompassSwitch.shared.isOn = phase == .active }
        switch phase {
        case .active: begin { [self] in await seen() }
        case .background: begin { [self] in await unseen() }
        default: break
        }
    }

    /// Sends what waits and asks the server, in the half minute that the system gives.
    func refresh() async {
        await app.open()
        await app.account?.waiting.sendNow()
        app.tick()
        await publish()
    }

    /// Takes what a push of the server brings.
    ///
    /// - Returns: whether anything new is on this phone.
    func receive(_ message: PushMessage) async -> Bool {
        let isNew = await app.handle(push: message.data)
        await publish()
        return isNew
    }

    /// Does what a notification's button or an intent asks for.
    ///
    /// - Returns: what became of it, in words.
    func perform(_ action: QuickAction) async -> String {
        let said = await app.perform(action)
        await publish()
        return said
    }

    /// Says that the person has seen the call of an incident, from its Live Activity.
    func acknowledge(_ call: CallModel.Card.ID) async {
        await app.open()
        await app.account?.call.acknowledge(call)
        await publish()
    }

    /// Registers the token by which the server reaches this phone.
    func register(pushToken: Data) async {
        self.pushToken = pushToken
        registeredFor = nil
        await registerPush()
    }

    // MARK: Pieces

    private func begin(_ body: @escaping @MainActor () async -> Void) {
        ticking?.cancel()
        ticking = Task { await body() }
    }

    private func seen() async {
        await app.enterForeground()
        await tick(everySeconds: 1)
    }

    /// In the background, too, the models follow the time as long as the system lets the app run: a pause ends, a Live
    /// Activity shows the way.
    private func unseen() async {
        await app.enterBackground()
        BackgroundRefresh.schedule()
        await tick(everySeconds: 30)
    }

    private func tick(everySeconds seconds: Double) async {
        while !Task.isCancelled {
            app.tick()
            await publish()
            do { try await Task.sleep(for: .seconds(seconds)) } catch { return }
        }
    }

    private func publish() async {
        if titledIn != app.wording.language || namedUser != app.account?.muster.session?.user {
            titledIn = app.wording.language
            namedUser = app.account?.muster.session?.user
            PhoneNotifier.register(titles: app.title(of:))
            PushSettings.store(app.wording.language, user: namedUser)
        }
        beacons.follow(app.account)
        guard let account = app.account else { return await forget() }
        if Glance(account).storeIfNewer() { WidgetCenter.shared.reloadAllTimelines() }
        let calls = account.call.cards.map { IncidentAttributes.of($0, account) }
        let states = calls.map(\.state)
        if states != shownCalls {
            shownCalls = states
            await IncidentActivities.show(calls)
        }
        await chooseCircles(account.way)
        await registerPush()
    }

    private func chooseCircles(_ way: WayModel) async {
        guard Date().timeIntervalSince(choseCirclesAt) > Self.circleSeconds else { return }
        choseCirclesAt = Date()
        let circles = way.wakingCircles
        guard circles != watched else { return }
        watched = circles
        await waking.watch(circles)
    }

    private func forget() async {
        guard app.face == .signIn else { return }
        if Glance.load() != nil {
            Glance.erase()
            WidgetCenter.shared.reloadAllTimelines()
        }
        if !shownCalls.isEmpty {
            shownCalls = []
            await IncidentActivities.show([])
        }
        if !watched.isEmpty {
            watched = []
            await waking.stop()
        }
    }

    private func registerPush() async {
        guard let pushToken, let account = app.account, registeredFor != ObjectIdentifier(account) else { return }
        registeredFor = ObjectIdentifier(account)
        #if DEBUG
            let isDebugging = true
        #else
            let isDebugging = false
        #endif
        // Without a network the next start tries again. While the app runs, the live feed has everything.
        await app.register(pushToken: pushToken, isDebugging: isDebugging)
    }
}
