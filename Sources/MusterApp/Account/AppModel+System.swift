public import Foundation
public import MusterKit

/// What the system hands to the app while nobody looks at it.
extension AppModel {
    /// Does what a shortcut, a widget or the Action button asks for, also while the app is not open and there is no
    /// network. It stores what was said on the phone's disk, and then waits for the server's answer, `seconds` at most.
    ///
    /// An SOS is counted down, and a notice tells so with a button that cancels it.
    ///
    /// - Returns: what became of it, in words.
    public func perform(_ action: QuickAction, withinSeconds seconds: Double = 20) async -> String {
        await outcome(of: action, [:], withinSeconds: seconds).text
    }

    /// Does what the button of a notification asks for, as `perform(_:withinSeconds:)` does. Nobody sees what a
    /// notification's button did, so that a notice tells of everything but success.
    ///
    /// - Parameters:
    ///   - message: the members of the `data` of the server's message, numbers as their digits; empty for a notice of
    ///     the phone itself.
    ///   - seconds: how long it waits for the server's answer.
    public func perform(
        _ action: QuickAction, of message: [String: String], withinSeconds seconds: Double = 20
    ) async {
        let outcome = await outcome(of: action, message, withinSeconds: seconds)
        guard !outcome.isDone, !outcome.text.isEmpty else { return }
        await system.notifier.show(
            Notice(
                id: "action", title: title(of: action), body: outcome.text,
                isCritical: action == .needHelp || action == .startSOS))
    }

    /// What became of an action, and whether it is what the person wanted.
    private struct Outcome {
        var text: String
        var isDone: Bool
    }

    private func outcome(
        of action: QuickAction, _ message: [String: String], withinSeconds seconds: Double
    ) async -> Outcome {
        await open()
        guard let account else { return Outcome(text: problem ?? wording.words.text(.appEnded), isDone: false) }
        wording.tick(at: system.options.pacing.now().date)
        let before = Set(account.outbox.deliveries.map(\.id))
        switch action {
        case .safe: await account.safety.saySafe()
        case .needHelp: await account.safety.askForHelp()
        case .checkIn: await account.checkIn.checkIn()
        case .startSOS:
            await account.safety.startSOS()
            await account.showSOSNotice()
            return Outcome(text: account.safety.countdown?.text ?? "", isDone: account.safety.countdown != nil)
        case .cancelSOS:
            let isCounting = account.safety.countdown != nil
            await account.safety.cancelSOS()
            let sos = account.outbox.deliveries.last { $0.order.isSOS }
            return Outcome(text: sos.map { account.waiting.text(of: $0) } ?? "", isDone: isCounting)
        case .seen:
            if let number = message["incident"].flatMap({ Int64($0) }) {
                await account.call.acknowledge(incident: number)
            } else if let unseen = account.call.unseen {
                await account.call.acknowledge(unseen.id)
            } else {
                return Outcome(text: wording.words.text(.callOver), isDone: false)
            }
        }
        let said = Set(account.outbox.deliveries.map(\.id)).subtracting(before)
        await account.outbox.settle(said, withinSeconds: seconds)
        wording.tick(at: system.options.pacing.now().date)
        let deliveries = account.outbox.deliveries.filter { said.contains($0.id) }
        guard let last = deliveries.last else { return Outcome(text: "", isDone: true) }
        let isDone = deliveries.allSatisfy { $0.state == .received(isLate: false) }
        return Outcome(text: account.waiting.text(of: last), isDone: isDone)
    }

    /// Says that the person has seen a call, from its Live Activity, also while the app is not open. It stores that on
    /// the disk, and then waits for the server's answer, `seconds` at most.
    public func acknowledge(_ call: CallModel.Card.ID, withinSeconds seconds: Double = 20) async {
        await open()
        guard let account else { return }
        let before = Set(account.outbox.deliveries.map(\.id))
        if account.call.cards.contains(where: { $0.id == call }) {
            await account.call.acknowledge(call)
        } else if let number = Incident.number(ofCall: call) {
            await account.call.acknowledge(incident: number)
        }
        let said = Set(account.outbox.deliveries.map(\.id)).subtracting(before)
        await account.outbox.settle(said, withinSeconds: seconds)
    }

    /// Where a person is, in words, for a leader's shortcut: "Where is Ana?".
    ///
    /// - Parameter id: the user's name at the server.
    public func whereIs(_ id: LeaderModel.PersonName.ID) async -> String {
        await open()
        guard let leader = account?.leader else { return wording.words.text(.noticeForbidden) }
        return leader.whereIs(id)
    }

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

    /// Takes the token by which the system reaches this phone, and registers it for the person who is signed in: in the
    /// background, and again until the server has it, also after the person signed in again.
    ///
    /// - Parameters:
    ///   - pushToken: what the system passed to `didRegisterForRemoteNotificationsWithDeviceToken`.
    ///   - isDebugging: whether the app is signed for development.
    public func take(pushToken: Data, isDebugging: Bool) {
        registrar.take(PushRegistrar.Token(data: pushToken, isDebugging: isDebugging))
        registrar.update(account, at: wording.phoneNow)
    }

    /// Takes a token of ActivityKit, by which the server begins or ends Live Activities, and registers it as
    /// `take(pushToken:isDebugging:)` does.
    ///
    /// - Parameter activity: what the token is for.
    public func take(activityToken: Data, of activity: Muster.LiveActivity, isDebugging: Bool) {
        registrar.take(PushRegistrar.Token(data: activityToken, isDebugging: isDebugging, activity: activity))
        registrar.update(account, at: wording.phoneNow)
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
