import AppIntents
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
    /// What the Live Activities show; nil while that is not known, as at the start: an earlier process may have left
    /// some.
    private var shownCalls: [IncidentActivities.Call]?
    /// Whether a Live Activity may belong to a call of which the server has not told this phone yet.
    private var isAwaitingCall = false
    private var following: Task<Void, Never>?
    /// The circles that the system watches; nil while that is not known.
    private var watched: [WakingCircle]?
    private var choseCirclesAt = Date.distantPast
    private var titledIn: Language?
    private var namedUser: String?
    private var spokenNames: [LeaderModel.PersonName] = []
    private var toldNamesAt = Date.distantPast

    /// How often the regions that wake the app are chosen anew, seconds.
    private static let circleSeconds = 60.0
    /// How often the names that Siri knows are compared, seconds.
    private static let nameSeconds = 60.0

    /// For how long an intent waits for the server's answer, seconds: the person waits for what Siri says.
    private static let intentSeconds = 8.0
    #if DEBUG
        private static let isDebugging = true
    #else
        private static let isDebugging = false
    #endif

    private init() {
        let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
        app = AppModel(
            AppSystem(
                folder: support.appending(path: "muster"),
                credentials: { KeychainCredentialKeeper(service: "muster.\($0)") },
                location: CoreLocationSource(.fitness, authorization: .always), headings: Compass(),
                connectivity: NetworkPath(), permissions: PhonePermissions(), notifier: PhoneNotifier(),
                processTime: BackgroundTime(), allowsPlainHTTP: Self.isDebugging,
                version: Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String ?? ""))
        if app.signIn.server.isEmpty {
            app.signIn.server = Bundle.main.object(forInfoDictionaryKey: "MusterServer") as? String ?? ""
        }
    }

    /// Opens the models and tells the system what they say, also while no view is shown.
    func open() async {
        // Before anything waits: the system tells of a boundary only to a process that reads, and soon after its start.
        await waking.open()
        followActivities()
        await app.open()
        await publish()
    }

    /// Follows the scene: while the app is seen, the models tick each second; in the background they record by its
    /// filter, and the system starts the app again. A moment in between, as under an alert, changes nothing.
    func follow(_ phase: ScenePhase) {
        if phase != .inactive { CompassSwitch.shared.isOn = phase == .active }
        switch phase {
        case .active:
            // What the system refused in the background, or an earlier process left, is shown and ended now.
            shownCalls = nil
            begin { [self] in await seen() }
        case .background: begin { [self] in await unseen() }
        default: break
        }
    }

    /// Sends what waits and asks the server, in the half minute that the system gives. It returns once the server has
    /// answered, because the system may suspend the process then.
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

    /// Does what an intent asks for.
    ///
    /// - Returns: what became of it, in words.
    func perform(_ action: QuickAction) async -> String {
        let said = await app.perform(action, withinSeconds: Self.intentSeconds)
        await publish()
        return said
    }

    /// Does what a notification's button asks for; a notice tells of everything but success.
    ///
    /// - Parameter message: the data of the notification.
    func perform(_ action: QuickAction, of message: [String: String]) async {
        await app.perform(action, of: message)
        await publish()
    }

    /// Says that the person has seen the call of an incident, from its Live Activity.
    func acknowledge(_ call: CallModel.Card.ID) async {
        await app.acknowledge(call, withinSeconds: Self.intentSeconds)
        await publish()
    }

    /// Takes the token by which the server reaches this phone.
    func take(pushToken: Data) { app.take(pushToken: pushToken, isDebugging: Self.isDebugging) }

    // MARK: Pieces

    /// Gives the server the tokens of Live Activities, and takes over those that it began. A push that begins one
    /// starts the app.
    private func followActivities() {
        guard following == nil else { return }
        following = Task {
            await IncidentActivities.follow { [self] news in
                switch news {
                case .token(let token, let activity):
                    app.take(activityToken: token, of: activity, isDebugging: Self.isDebugging)
                case .activity:
                    shownCalls = nil
                    // Its incident may be over: a push waits at Apple while the phone has no network.
                    await app.handle(push: ["kind": "incident"])
                    await publish()
                }
            }
        }
    }

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
        let calls = account.call.cards.map { IncidentActivities.Call($0, account) }
        if calls != shownCalls || isAwaitingCall {
            shownCalls = calls
            isAwaitingCall = await IncidentActivities.show(calls, heardAt: account.call.heardAt)
        }
        tellNames(of: account)
        await chooseCircles(account)
    }

    /// Tells Siri the names of the leader's people when they have changed. Many names take a while to sort.
    private func tellNames(of account: AccountModel) {
        guard abs(Date().timeIntervalSince(toldNamesAt)) > Self.nameSeconds else { return }
        toldNamesAt = Date()
        let names = account.leader?.names ?? []
        guard names != spokenNames else { return }
        spokenNames = names
        MusterShortcuts.updateAppShortcutParameters()
    }

    private func chooseCircles(_ account: AccountModel) async {
        // Who reports no positions is not watched any longer, at once.
        let isDue = abs(Date().timeIntervalSince(choseCirclesAt)) > Self.circleSeconds
        guard isDue || !account.isReporting, let circles = account.wakingCircles, circles != watched else { return }
        choseCirclesAt = Date()
        watched = circles
        if circles.isEmpty { await waking.stop() } else { await waking.watch(circles) }
    }

    private func forget() async {
        guard app.face == .signIn else { return }
        if Glance.load() != nil {
            Glance.erase()
            WidgetCenter.shared.reloadAllTimelines()
        }
        if shownCalls != [] {
            (shownCalls, isAwaitingCall) = ([], false)
            await IncidentActivities.end()
        }
        if watched != [] {
            watched = []
            await waking.stop()
        }
    }
}
