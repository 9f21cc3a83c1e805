import Foundation
public import MusterKit
import MusterReplication
public import Observation

/// All that belongs to one person who is signed in at one server: the models that a member's face shows, and for a
/// leader those of the leader's face.
@MainActor @Observable public final class AccountModel {
    /// The own state.
    public let status: StatusModel
    /// "I am safe", "I need help", SOS.
    public let safety: SafetyModel
    /// The call of an incident.
    public let call: CallModel
    /// The check-in timer.
    public let checkIn: CheckInModel
    /// The way to the assembly points.
    public let way: WayModel
    /// What waits for the server.
    public let waiting: OutboxModel
    /// Who sees the person, and the pause.
    public let visibility: VisibilityModel
    /// The people nearby, phone to phone.
    public let nearby: NearbyModel
    /// This phone and its permissions.
    public let settings: SettingsModel
    /// The map of people and regions.
    public let map: MapModel
    /// The leader's models; nil for a member.
    public private(set) var leader: LeaderModel?
    /// MusterKit, for what the system's adapters need of it, such as push tokens, beacons and datasets.
    public let muster: Muster

    let follower: TeamFollower
    let phone: PhoneState
    let outbox: Outbox
    let server: ServerClient
    let wording: Wording
    @ObservationIgnored private let system: AppSystem
    @ObservationIgnored private var tasks: [Task<Void, Never>] = []
    @ObservationIgnored private var tracking: Task<Void, Never>?
    @ObservationIgnored private var renewing: Task<Bool, Never>?
    @ObservationIgnored private var sosNotice: Task<Void, Never>?
    /// Whether the system has said of the network before.
    @ObservationIgnored private var knowsNetwork = false
    /// Called when requests may succeed that failed before: there is a network, or the person signed in again.
    @ObservationIgnored var onReachable: (_ isSignedInAnew: Bool) -> Void = { _ in }
    @ObservationIgnored private var plannedCheckIn: Date?
    @ObservationIgnored private var counting: Task<Void, Never>?
    /// Whether the server has said how many positions it lacks, so that those recorded and sent since then can be
    /// counted here.
    @ObservationIgnored private var hasCounted = false
    @ObservationIgnored private var countedAt: Date?
    /// Grows with each position that is recorded, and each time that some were sent.
    @ObservationIgnored private var unsentVersion = 0

    /// - Parameter folder: the folder of this account.
    init(
        _ muster: Muster, user: String, folder: URL, _ system: AppSystem, _ wording: Wording, isReporting: Bool
    ) {
        let server = ServerClient { muster.session }
        wording.learnServerTime(aheadSeconds: nil)
        let pacing = system.options.pacing
        let follower = TeamFollower(user: user, server, store: muster.store, pacing: pacing, wording: wording)
        let outbox = Outbox(
            user: user, server, store: muster.store, pacing: pacing, wording: wording, processTime: system.processTime)
        let phone = PhoneState()
        let visibility = VisibilityModel(follower, outbox, server, wording)
        status = StatusModel(follower, phone, outbox, wording)
        safety = SafetyModel(follower, phone, outbox, wording)
        call = CallModel(follower, phone, outbox, muster.store, wording)
        checkIn = CheckInModel(follower, outbox, wording)
        way = WayModel(phone, muster, wording)
        waiting = OutboxModel(follower, phone, outbox, muster, wording)
        settings = SettingsModel(
            follower, phone, outbox, visibility, muster, server, system, wording, isReporting: isReporting)
        nearby = NearbyModel(phone, muster, folder: folder.appending(path: "nearby"), wording)
        map = MapModel(follower, phone, way, wording)
        (self.muster, self.server, self.follower, self.outbox, self.phone) = (muster, server, follower, outbox, phone)
        (self.visibility, self.system, self.wording) = (visibility, system, wording)
        follower.onLive = { [weak self] in self?.outbox.hurry() }
        follower.onRefused = { [weak self] in await self?.renew() ?? false }
        outbox.onRefused = { [weak self] in await self?.renew() ?? false }
        outbox.onLate = { [weak self] in await self?.call.forgetSeen($0) }
    }

    /// That the server no longer accepts the person, and what waits here; nil while it does. The person signs in again
    /// by `signInAgain`; recording goes on meanwhile, and nothing that waits is lost.
    public var signInNeededText: String? {
        guard case .signInNeeded = phone.account else { return nil }
        let waiting = OutboxModel.waitingText(
            messages: outbox.waiting.count, positions: phone.unsentPositions ?? 0, wording.words)
        return waiting.isEmpty
            ? wording.words.text(.appEnded) : wording.words.text(.appEndedWaiting, ["what": waiting])
    }

    /// Signs the same person in again, with a new password.
    ///
    /// - Returns: why it failed; nil if it did not.
    public func signInAgain(password: String) async -> String? {
        do {
            try await muster.signInAgain(password: password, waitsForServer: false)
            // What the refused credentials asked last may be unread.
            if follower.isLive { follower.hurry() } else { follower.restart() }
            outbox.hurry()
            onReachable(true)
            return nil
        } catch {
            return ErrorWords(wording: wording).text(error)
        }
    }

    /// Whether the person leads a team, so that the leader's face is shown.
    public var isLeader: Bool { leader != nil }

    /// The circles whose crossing wakes the app, the nearest first; none while the person reports no positions. Nil
    /// while they are not known: what the system watches stays.
    public var wakingCircles: [WakingCircle]? { isReporting ? way.wakingCircles : [] }

    /// Whether positions are recorded: the person wants it, and is not paused.
    public var isReporting: Bool { settings.isReporting && !visibility.isPausing }

    /// Reads what the phone kept, so that the models say at once what they said before. It needs no network.
    func restore() async {
        await follower.restore()
        await outbox.restore()
        await call.restore()
        way.update()
        refresh()
    }

    /// Begins to follow the server, to send what waits, and to record positions.
    func begin() {
        guard tasks.isEmpty else { return }
        let follower = follower
        let outbox = outbox
        tasks = [
            Task { await follower.run() }, Task { await outbox.run() },
            follow(muster.account) { $0.phone.account = $1 },
            follow(muster.safety) { $0.phone.safety = $1 },
            follow(muster.regions) { model, regions in
                model.phone.regions = regions
                model.way.update()
            },
            follow(muster.incident) { model, incident in
                // MusterKit heard of it first, as after a push.
                if incident?.number != model.phone.incident?.number { model.follower.hurry() }
                model.phone.incident = incident
            },
            follow(muster.availability) { $0.phone.availability = $1 },
            follow(system.headings.headings()) { model, heading in
                model.phone.heading =
                    heading.accuracyDegrees < 0
                    ? nil : .init(degrees: heading.degrees, accuracyDegrees: heading.accuracyDegrees)
            },
            follow(system.connectivity.changes()) { $0.receive(isConnected: $1) },
            Task { [weak self] in await self?.settings.readPermissions() },
        ]
        countUnsent()
        refresh()
    }

    /// Brings what follows from the present moment up to date: whether positions are recorded, the leader's models, the
    /// phone's own notifications. Called with each second, and before the app goes to the background.
    func refresh() {
        if follower.state.isLeader != (leader != nil) {
            leader =
                follower.state.isLeader
                ? LeaderModel(follower, outbox, server, map, muster, wording) : nil
        }
        let wantsTracking = isReporting && system.location != nil
        if wantsTracking != (tracking != nil) { wantsTracking ? track() : endTracking() }
        // Regions that are far from the phone change without its presences.
        if muster.session != nil, muster.regionsVersion != way.areasVersion { way.update() }
        planCheckIn()
        nearby.update()
    }

    /// Ends all that runs and stores what is not stored yet.
    ///
    /// - Throws: as `Muster.close`; everything but the store has ended then.
    func end() async throws(MusterError) {
        for task in tasks { task.cancel() }
        tracking?.cancel()
        sosNotice?.cancel()
        counting?.cancel()
        for task in tasks { await task.value }
        await counting?.value
        tasks = []
        await tracking?.value
        tracking = nil
        await follower.keep()
        try await muster.close()
    }

    /// Stops all that runs and stores nothing, as a process does that is killed.
    func abandon() {
        for task in tasks { task.cancel() }
        tracking?.cancel()
        sosNotice?.cancel()
        counting?.cancel()
        tasks = []
        tracking = nil
    }

    /// Removes this phone's registration for pushes, and the notices that it has planned, as before the person signs
    /// out. A server that does not answer in some seconds goes on to send.
    func endNotices() async {
        let muster = muster
        let pacing = system.options.pacing
        let request = Task { try? await muster.unregisterDevice() }
        let limit = Task {
            try? await pacing.sleep(Self.unregisterSeconds)
            request.cancel()
        }
        await request.value
        limit.cancel()
        sosNotice?.cancel()
        for id in ["checkIn", "sos", "action"] { await system.notifier.remove(id) }
    }

    private static let unregisterSeconds = 5.0

    /// Shows an SOS that was begun outside of the app: that it is counted down, with a button that cancels it, and then
    /// what became of it.
    func showSOSNotice() async {
        guard let countdown = safety.countdown, let id = safety.countingID else { return }
        sosNotice?.cancel()
        let notifier = system.notifier
        await notifier.show(
            Notice(
                id: "sos", title: safety.sosTitle, body: countdown.text, isCritical: true, actions: [.cancelSOS]))
        sosNotice = Task { [weak self] in
            await self?.outbox.settle([id], withinSeconds: OutboxModel.settleSeconds)
            guard !Task.isCancelled, let self else { return }
            guard let delivery = outbox.deliveries.first(where: { $0.id == id }), delivery.state != .cancelled else {
                return await notifier.remove("sos")
            }
            let text = waiting.text(of: delivery)
            await notifier.show(Notice(id: "sos", title: safety.sosTitle, body: text, isCritical: true))
        }
    }

    // MARK: Pieces

    /// Runs a body with each value of a stream, as long as this model is.
    private func follow<Value: Sendable>(
        _ values: AsyncStream<Value>, _ body: @escaping @MainActor (AccountModel, Value) -> Void
    ) -> Task<Void, Never> {
        Task { [weak self] in
            for await value in values {
                guard let self, !Task.isCancelled else { return }
                body(self, value)
            }
        }
    }

    private func track() {
        guard let source = system.location else { return }
        let phone = phone
        let watched = WatchedSource(source) { [weak self] location in
            phone.location = location
            self?.way.update()
        }
        let events = muster.track(watched)
        phone.isTracking = true
        tracking = Task { [weak self] in
            for await event in events {
                guard let self else { return }
                self.receive(event)
            }
            phone.isTracking = false
        }
    }

    private func endTracking() {
        tracking?.cancel()
        tracking = nil
        phone.isTracking = false
    }

    /// Takes over what MusterKit tells of a position.
    func receive(_ event: Muster.Event) {
        switch event {
        case .recorded:
            unsentVersion += 1
            phone.unsentPositions = (phone.unsentPositions ?? 0) + 1
        case .sent(let count):
            noteSent(count)
            phone.sentAt = system.options.pacing.now().date
            phone.sendFault = nil
        case .failed(let error): phone.sendFault = error
        case .account, .availability, .crossed, .incident, .safety, .corrected, .askedForLocation: break
        }
    }

    /// The server refuses the credentials: MusterKit tries the stored password once. Of several callers at once all get
    /// its answer.
    ///
    /// - Returns: false if the person must sign in again.
    private func renew() async -> Bool {
        if let renewing { return await renewing.value }
        let task = Task { () -> Bool in
            do throws(MusterError) { try await muster.send() } catch { phone.sendFault = error }
            // The stream begins with the present account.
            for await account in muster.account {
                if case .signInNeeded = account { return false }
                return true
            }
            return false
        }
        renewing = task
        defer { renewing = nil }
        return await task.value
    }

    private func receive(isConnected: Bool) {
        // The first is no change: all begin by themselves.
        if knowsNetwork {
            follower.restart()
        } else {
            follower.hurry()
        }
        knowsNetwork = true
        guard isConnected else { return }
        outbox.hurry()
        onReachable(false)
    }

    /// Some positions were sent. One that was recorded meanwhile still waits; where the numbers do not agree, as after
    /// an answer that was lost, the server is asked.
    private func noteSent(_ count: Int) {
        unsentVersion += 1
        let left = phone.unsentPositions.map { $0 - count }
        phone.unsentPositions = left.map { max(0, $0) }
        guard left != 0 || !hasCounted else { return }
        // Each count walks all that the phone has stored, and asks the server about it.
        let now = system.options.pacing.now().date
        if let countedAt, (0..<Self.countSeconds).contains(now.timeIntervalSince(countedAt)) { return }
        countedAt = now
        countUnsent()
    }

    /// Asks the server how many positions it does not have. Without an answer the number stays that of this phone.
    private func countUnsent() {
        guard counting == nil else { return }
        counting = Task { [weak self] in
            await self?.countUntilSettled()
            self?.counting = nil
        }
    }

    private func countUntilSettled() async {
        for _ in 0..<Self.countLimit {
            let version = unsentVersion
            guard let count = try? await muster.unsentCount(), !Task.isCancelled else { return }
            // What was recorded or sent meanwhile may be in the answer, or not.
            guard version == unsentVersion else { continue }
            phone.unsentPositions = count
            hasCounted = true
            return
        }
    }

    /// How often in a row the server is asked for the number of positions, and how long it is not asked then, seconds.
    private static let countLimit = 3
    private static let countSeconds = 600.0

    /// Plans the phone's own reminder of the check-in, which works without a network.
    private func planCheckIn() {
        let due = checkIn.dueAt
        guard due != plannedCheckIn else { return }
        plannedCheckIn = due
        let notifier = system.notifier
        guard let due else {
            Task { await notifier.remove("checkIn") }
            return
        }
        let text = wording.words.text(.timerYouAreDue, ["time": wording.minute(checkIn.serverDueAt)])
        let notice = Notice(
            id: "checkIn", title: checkIn.title, body: text, at: due, actions: [.checkIn, .needHelp])
        Task { await notifier.show(notice) }
    }
}
