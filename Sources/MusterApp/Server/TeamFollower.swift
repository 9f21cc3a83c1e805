import Foundation
import MusterKit
import MusterReplication
import MusterWire
import Observation

/// Follows what the server says: loads it, follows the live feed, and keeps it on the phone for times without a
/// network.
@MainActor @Observable final class TeamFollower {
    /// Whether the server is heard.
    enum Connection: Hashable, Sendable {
        case connecting
        case live
        /// Not heard; since when, by the server's clock, and why.
        case away(since: Date?, reason: String)
        /// The server refuses the credentials.
        case signedOut
    }

    /// What the server last said.
    private(set) var state: TeamState
    /// Whether the server is heard now.
    private(set) var connection = Connection.connecting
    /// Whether the state is the phone's copy of what the server said before this start of the app.
    private(set) var isKept = false

    @ObservationIgnored private let server: ServerClient
    @ObservationIgnored private let store: LocalStore
    @ObservationIgnored private let pacing: ReplicationPacing
    @ObservationIgnored private let wording: Wording
    @ObservationIgnored private var sleeping: Task<Void, Never>?
    /// The present request and live feed.
    @ObservationIgnored private var following: Task<Void, any Error>?
    @ObservationIgnored private var failures = 0
    @ObservationIgnored private var isWoken = false
    @ObservationIgnored private var reloading: Task<Void, Never>?
    /// How many reloads in a row were refused, unanswered, or of no use.
    @ObservationIgnored private var reloadFailures = 0
    /// How many snapshots are being requested, and the changes that the feed has brought since the first of them was.
    @ObservationIgnored private var loads = 0
    @ObservationIgnored private var arrived: [JSONValue] = []
    /// How often there were more changes than are held. A snapshot that was requested before is not adopted then.
    @ObservationIgnored private var overflows = 0
    /// The largest number of changes that are held for a snapshot: as many as a large team has people.
    @ObservationIgnored var heldLimit = 10_000
    /// The number of the snapshot that was requested last, and of that which was adopted last.
    @ObservationIgnored private var requestedNumber = 0
    @ObservationIgnored private var adoptedNumber = 0
    @ObservationIgnored private var keptAt: Date?
    /// Called when the server is heard again.
    @ObservationIgnored var onLive: () -> Void = {}
    /// Called when the server refuses the credentials; returns whether there are others now.
    @ObservationIgnored var onRefused: () async -> Bool = { false }

    /// The longest wait between two attempts, seconds: a call to evacuate must not wait longer.
    private static let longestDelaySeconds = 10.0
    /// Seconds between two copies on the phone.
    private static let keepSeconds = 20.0

    init(user: String, _ server: ServerClient, store: LocalStore, pacing: ReplicationPacing, wording: Wording) {
        state = TeamState(user: user)
        self.server = server
        self.store = store
        self.pacing = pacing
        self.wording = wording
    }

    /// Whether the server is heard now.
    var isLive: Bool { connection == .live }

    /// How many changes are held for the snapshots that are being requested.
    var heldCount: Int { arrived.count }

    /// Adopts the phone's copy. A copy of another person, or one that is damaged, is left alone.
    func restore() async {
        guard let kept = try? await store.cachedValue(of: StoredTeam.note, as: StoredTeam.self),
            kept.user == state.user, state.heardAt == nil
        else { return }
        state = TeamState(kept)
        wording.names = state.names
        isKept = true
        wording.learnServerTime(aheadSeconds: kept.aheadSeconds)
    }

    /// Loads and follows until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            isWoken = false
            let round = Task {
                try await load()
                failures = 0
                try await follow()
            }
            following = round
            var isRefused = false
            do {
                try await withTaskCancellationHandler {
                    try await round.value
                } onCancel: {
                    round.cancel()
                }
            } catch {
                isRefused = await note(ServerFault(error))
            }
            following = nil
            failures += 1
            let delay = min(Self.longestDelaySeconds, pacing.delaySeconds(afterFailures: failures))
            if !isWoken, !Task.isCancelled { await wait(isRefused ? Outbox.refusedDelaySeconds : delay) }
        }
        reloading?.cancel()
    }

    /// Tries again at once: the network may be back. A feed that is followed goes on.
    func hurry() {
        isWoken = true
        sleeping?.cancel()
        reloadIfOutdated()
    }

    /// Begins anew, as after the app was suspended or on another network: the feed may have died without a word. Until
    /// the server has answered, it does not count as heard.
    func restart() {
        if connection == .live { connection = .connecting }
        hurry()
        following?.cancel()
    }

    /// Asks the server for everything again.
    ///
    /// - Returns: whether the server refuses the credentials, and there are no others.
    @discardableResult
    func reload() async -> Bool {
        do {
            try await load()
            return false
        } catch {
            return await note(ServerFault(error))
        }
    }

    /// Stores the phone's copy.
    func keep() async {
        guard state.heardAt != nil, !isKept else { return }
        keptAt = pacing.now().date
        let copy = StoredTeam(state, aheadSeconds: wording.serverAheadSeconds)
        // On a full disk the copy is older; what is shown does not depend on it.
        try? await store.storeValue(copy, note: StoredTeam.note)
    }

    /// Shows a state that no server said, for a preview.
    func show(_ state: TeamState) {
        self.state = state
        wording.names = state.names
        connection = .live
    }

    // MARK: Pieces

    private func load() async throws(ServerFault) {
        let (earlier, overflowsBefore) = (arrived.count, overflows)
        loads += 1
        requestedNumber += 1
        let number = requestedNumber
        defer {
            loads -= 1
            if loads == 0 { arrived = [] }
        }
        let snapshot = try await TeamSnapshot.request(of: state.user, from: server) { [pacing] in pacing.now().date }
        if let at = snapshot.at, let toldAt = snapshot.toldAt {
            wording.learnServerTime(aheadSeconds: at.timeIntervalSince(toldAt))
        }
        // Where a later request has been answered, these answers may be older than what is shown.
        if number > adoptedNumber, overflows != overflowsBefore {
            // Without the changes that were not held, these answers would take back what the feed has told.
            state.isOutdated = true
        } else if number > adoptedNumber {
            adoptedNumber = number
            state.adopt(snapshot, then: Array(arrived.dropFirst(earlier)))
            wording.names = state.names
            isKept = false
        }
        if connection != .live {
            connection = .live
            onLive()
        }
        reloadIfOutdated()
        await keep()
    }

    private func follow() async throws {
        guard let session = server.session() else { throw ServerFault.signedOut }
        let feed = LiveFeed(
            server: session.server, credentials: session.credentials, connections: session.connections)
        try await feed.followEvents(since: state.sequence) { @Sendable [weak self] event in
            guard event.name != "resync" else { throw ServerFault.away(reason: "resync", retryAfterSeconds: nil) }
            guard let change = try? JSONValue(parsing: Array(event.data.utf8)) else { return }
            await self?.receive(change)
        }
    }

    private func receive(_ change: JSONValue) async {
        if loads > 0 { hold(change) }
        state.apply(change)
        if wording.names != state.names { wording.names = state.names }
        reloadIfOutdated()
        if keptAt.map({ pacing.now().date.timeIntervalSince($0) > Self.keepSeconds }) ?? true { await keep() }
    }

    /// Holds a change for the snapshots that are being requested.
    private func hold(_ change: JSONValue) {
        if arrived.count >= heldLimit {
            arrived = []
            overflows += 1
        }
        arrived.append(change)
    }

    private func reloadIfOutdated() {
        guard state.isOutdated, reloading == nil else { return }
        reloading = Task {
            await reloadWhileOutdated()
            reloading = nil
        }
    }

    /// Asks for everything again until nothing is outdated. Several changes in a row ask once, and one that comes while
    /// the answers are on their way asks once more. Where the server refuses the person, the next change asks again.
    private func reloadWhileOutdated() async {
        var isRefused = false
        repeat {
            let delay = reloadFailures == 0 ? 0.2 : pacing.delaySeconds(afterFailures: reloadFailures)
            try? await pacing.sleep(min(Self.longestDelaySeconds, delay))
            if Task.isCancelled { return }
            let before = overflows
            isRefused = await reload()
            reloadFailures = isLive && overflows == before ? 0 : reloadFailures + 1
        } while state.isOutdated && !isRefused
    }

    /// - Returns: whether the server refuses the credentials, and there are no others.
    private func note(_ fault: ServerFault) async -> Bool {
        switch fault {
        case .cancelled: break
        case .signedOut:
            connection = .signedOut
            return await !onRefused()
        case .away(let reason, _), .refused(_, let reason):
            if case .away = connection { break }
            connection = .away(since: state.heardAt, reason: reason)
        }
        return false
    }

    private func wait(_ seconds: Double) async {
        let pacing = pacing
        let sleep = Task { _ = try? await pacing.sleep(seconds) }
        sleeping = sleep
        await withTaskCancellationHandler {
            await sleep.value
        } onCancel: {
            sleep.cancel()
        }
        sleeping = nil
    }
}
