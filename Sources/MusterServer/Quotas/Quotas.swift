import MusterCore
import MusterStore
import Synchronization

/// Measures how much each user has used, and decides whether they may use more. Everything that endpoints store passes
/// through here: `StoreCoordinator.ingest`, `StoreCoordinator.write` and `StoreCoordinator.edit` check the quotas;
/// endpoints do not.
///
/// A refusal carries a message (`QuotaError`), is counted, and is logged at most once a minute for each owner.
/// Declarations of safety and changes of a roll are never limited.
package final class Quotas: Sendable {
    /// Receives refusals, to log them.
    package typealias Log = @Sendable (QuotaError) -> Void

    package let settings: QuotaSettings
    let clock: @Sendable () -> ContinuousClock.Instant
    private let log: Log
    let positions: Mutex<QuotaBuckets<UserNumber>>
    let signals: Mutex<SignalRates>
    let dryRuns = Mutex(
        QuotaBuckets<UserNumber>(perSecond: QuotaSettings.dryRunsPerSecond, burst: QuotaSettings.dryRunBurst))
    let usage = Mutex(Usage())
    private let refusals = Mutex(Refusals())

    /// The stored bytes at the last measurement.
    struct Usage {
        /// The bytes of each user's positions and signals, and of each member's ranges and notes.
        var observationBytes: [UserNumber: Int64] = [:]
        var datasetBytes: [UserNumber: Int64] = [:]
        var usersOverBytes: Set<UserNumber> = []
        var storeBytes: Int64 = 0
        var mostBytesOfUser: Int64 = 0
        var mostBytesOfDatabase: Int64 = 0
        var teamsInIncident: Set<TeamNumber> = []
    }

    private struct Refusals {
        var counts: [Quota: Int] = [:]
        var logged: [Subject: ContinuousClock.Instant] = [:]
    }

    private struct Subject: Hashable {
        var quota: Quota
        var owner: String?
    }

    /// Seconds between two log lines about one owner and quota. `logLimit` is the largest number of lines in that time.
    static let logSeconds: Double = 60
    static let logLimit = 1_000

    /// - Parameters:
    ///   - clock: the clock by which buckets fill.
    ///   - log: called at most once a minute for each owner and quota.
    package init(
        _ settings: QuotaSettings = QuotaSettings(),
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }, log: @escaping Log = { _ in }
    ) {
        self.settings = settings
        self.clock = clock
        self.log = log
        positions = Mutex(QuotaBuckets(perSecond: settings.positionsPerSecond, burst: settings.positionBurst))
        signals = Mutex(SignalRates(settings))
    }

    // MARK: Refusing

    /// Counts a refusal, and logs it unless its owner's last one was logged within the minute.
    package func noteRefusal(_ fault: QuotaError) {
        let now = clock()
        let isToLog = refusals.withLock { refusals in
            refusals.counts[fault.quota, default: 0] += 1
            let subject = Subject(quota: fault.quota, owner: fault.owner)
            if let last = refusals.logged[subject], now - last < .seconds(Self.logSeconds) { return false }
            if refusals.logged.count >= Self.logLimit {
                refusals.logged = refusals.logged.filter { now - $0.value < .seconds(Self.logSeconds) }
                guard refusals.logged.count < Self.logLimit else { return false }
            }
            refusals.logged[subject] = now
            return true
        }
        if isToLog { log(fault) }
    }

    /// The number of requests, or of entries of a request, that each quota refused.
    var refusalCounts: [Quota: Int] { refusals.withLock { $0.counts } }

    // MARK: What is stored

    /// Adopts the store's measurement of its content.
    func adopt(_ stored: StoredUsage, in directory: Directory) {
        var observationBytes: [UserNumber: Int64] = [:]
        func count(_ byDevice: [DeviceNumber: Int64], where isCounted: (User) -> Bool = { _ in true }) {
            for (device, bytes) in byDevice {
                guard let owner = directory.devices[device]?.user, let user = directory.users[owner], isCounted(user)
                else { continue }
                observationBytes[owner, default: 0] += bytes
            }
        }
        count(stored.positionBytes)
        count(stored.signalBytes)
        // Refusing a gateway's reports would lose other people's positions.
        count(stored.reportBytes) { $0.role == .member }
        var totals = observationBytes
        var mostBytesOfDatabase: Int64 = 0
        for (database, bytes) in stored.documentBytes {
            if let user = database.user {
                totals[user, default: 0] += bytes
            } else {
                mostBytesOfDatabase = max(mostBytesOfDatabase, bytes)
            }
        }
        totals.merge(stored.datasetBytes, uniquingKeysWith: +)
        let limit = settings.userBytes ?? .max
        let over = Set(totals.lazy.filter { $0.value >= limit }.map(\.key))
        usage.withLock { usage in
            usage.observationBytes = observationBytes
            usage.datasetBytes = stored.datasetBytes
            usage.usersOverBytes = over
            usage.storeBytes = stored.storeBytes
            usage.mostBytesOfUser = totals.values.max() ?? 0
            usage.mostBytesOfDatabase = mostBytesOfDatabase
        }
    }

    /// Adopts the teams with an open incident. Their people's positions are not refused for stored bytes.
    func adopt(teamsInIncident teams: Set<TeamNumber>) {
        usage.withLock { if $0.teamsInIncident != teams { $0.teamsInIncident = teams } }
    }

    /// Checks whether documents have room.
    ///
    /// - Parameters:
    ///   - bytes: the size of the new revisions and their files.
    ///   - stored: the size of the documents already in the same database.
    ///   - areFilesAmong: whether the revisions have files.
    /// - Returns: the quota they would exceed; nil where they have room.
    func refusal(
        ofBytes bytes: Int64, with stored: Int64, areFilesAmong: Bool, in target: WriteTarget
    ) -> QuotaError? {
        if bytes == 0 { return nil }
        let usage = usage.withLock { $0 }
        if let user = target.user {
            // During an incident a person's position matters more than a quota; a file does not.
            let isInIncident = user.team.map { usage.teamsInIncident.contains($0) } ?? false
            if isInIncident && !areFilesAmong { return nil }
            let others = (usage.observationBytes[user.number] ?? 0) + (usage.datasetBytes[user.number] ?? 0)
            if let limit = settings.userBytes, stored + others + bytes > limit {
                return QuotaError(.userBytes, of: user.name, limit: Double(limit))
            }
        } else if let limit = settings.databaseBytes, stored + bytes > limit {
            return QuotaError(.databaseBytes, of: target.name, limit: Double(limit))
        }
        return storeRefusal(usage.storeBytes)
    }

    /// Checks whether an update of a dataset has room. Unlike a position, it has none beyond the quota during an
    /// incident.
    ///
    /// - Parameters:
    ///   - bytes: how much larger the update makes the dataset.
    ///   - stored: the size of the user's datasets and location documents.
    ///   - name: the user's name.
    /// - Returns: the quota that it would exceed; nil where it has room.
    func refusal(ofDatasetBytes bytes: Int64, with stored: Int64, of user: UserNumber, called name: String)
        -> QuotaError?
    {
        if bytes <= 0 { return nil }
        let (observations, storeBytes) = usage.withLock { ($0.observationBytes[user] ?? 0, $0.storeBytes) }
        if let limit = settings.userBytes, stored + observations + bytes > limit {
            return QuotaError(.userBytes, of: name, limit: Double(limit))
        }
        return storeRefusal(storeBytes)
    }

    /// Checks that the store has room for data other than positions: documents, files, imports.
    ///
    /// - Throws: `QuotaError`.
    package func checkStore() throws(QuotaError) {
        guard let fault = storeRefusal(usage.withLock { $0.storeBytes }) else { return }
        noteRefusal(fault)
        throw fault
    }

    private func storeRefusal(_ bytes: Int64) -> QuotaError? {
        guard let limit = settings.storeBytes, bytes >= limit else { return nil }
        return QuotaError(.storeBytes, limit: Double(limit))
    }

    // MARK: Observations

    /// How many tokens of each rate the observations of one user need.
    struct Need {
        var positions = 0
        var signals: [DeviceNumber: Int] = [:]
    }

    /// The parts of users' quotas that the observations of a request take.
    struct Claim {
        /// The number of tokens taken of each user.
        fileprivate(set) var taken: [UserNumber: Need] = [:]
        /// The users whose observations may not be stored, and why.
        fileprivate(set) var refused: [UserNumber: QuotaError] = [:]
        /// The user of each device in the request.
        fileprivate(set) var owners: [DeviceNumber: UserNumber] = [:]

        /// The refusal of the user with the lowest number among those whose observations may not be stored.
        var firstRefusal: QuotaError? { refused.min { $0.key < $1.key }?.value }

        /// Why an observation may not be stored; nil where it may.
        func refusal(of observation: Observation) -> QuotaError? {
            if refused.isEmpty { return nil }
            return observation.device.flatMap { owners[$0] }.flatMap { refused[$0] }
        }
    }

    /// Takes the quota that observations need from the users who own the devices. For each user all observations pass
    /// or none.
    ///
    /// Reports by an admin, in person or through `muster`, are imports, to which the rates do not apply. The limit of
    /// bytes applies to everyone.
    func claim(_ observations: [Observation], by sender: Principal?, in directory: Directory) -> Claim {
        var claim = Claim()
        var needed: [UserNumber: Need] = [:]
        var last: (device: DeviceNumber, owner: UserNumber)?
        for observation in observations {
            guard let device = observation.device else { continue }
            if last?.device != device {
                guard let owner = directory.devices[device]?.user else { continue }
                claim.owners[device] = owner
                last = (device, owner)
            }
            guard let owner = last?.owner else { continue }
            if case .signal = observation {
                needed[owner, default: Need()].signals[device, default: 0] += 1
            } else {
                needed[owner, default: Need()].positions += 1
            }
        }
        takeShares(needed, isRated: sender.map { $0.role != .admin } ?? false, in: directory, for: &claim)
        return claim
    }

    /// Takes the rate that documents of a user's location database need, because each may hold a position.
    ///
    /// - Throws: `QuotaError`; then nothing was taken.
    func claim(documents count: Int, of user: User, by author: Author?, in directory: Directory) throws(QuotaError)
        -> Claim
    {
        var claim = Claim()
        guard let author, directory.users[author.user]?.role != .admin else { return claim }
        takeRates([user.number: Need(positions: count)], in: directory, for: &claim)
        for fault in claim.refused.values {
            noteRefusal(fault)
            throw fault
        }
        return claim
    }

    /// Gives back the tokens taken for observations that were not stored after all.
    func giveBack(_ claim: Claim) {
        guard !claim.taken.isEmpty else { return }
        positions.withLock { buckets in
            for (user, taken) in claim.taken { buckets.giveBack(Double(taken.positions), to: user) }
        }
        signals.withLock { rates in
            for (user, taken) in claim.taken { rates.giveBack(taken.signals, of: user) }
        }
    }

    /// Gives back most of the tokens that repeated signals took: the store had these signals already, so nothing was
    /// sent to a target. So a device that repeats unanswered signals may send ten times as many as new ones.
    ///
    /// - Parameters:
    ///   - repeated: the number of observations that were stored already.
    ///   - count: the number of observations.
    func giveBack(_ repeated: Int, repeatedOf count: Int, in claim: Claim) {
        guard repeated > 0 else { return }
        // Of a request with signals of several devices it is not known whose were repeated, unless all were.
        let fired = claim.taken.values.reduce(0) { $0 + $1.signals.count }
        guard fired > 0, repeated == count || (fired == 1 && claim.owners.count == 1) else { return }
        signals.withLock { rates in
            for (user, taken) in claim.taken {
                rates.giveBack(taken.signals.mapValues { min($0, repeated) }, times: Self.repeatedShare, of: user)
            }
        }
    }

    /// The part of a token that a repeated signal gets back.
    static let repeatedShare = 0.9

    private func takeShares(
        _ needed: [UserNumber: Need], isRated: Bool, in directory: Directory, for claim: inout Claim
    ) {
        var needed = needed
        usage.withLock { usage in
            let isStoreFull =
                settings.storeBytes.map { usage.storeBytes >= $0 + $0 / QuotaSettings.reserveDivisor } ?? false
            guard isStoreFull || !usage.usersOverBytes.isEmpty else { return }
            for user in needed.keys where isStoreFull || usage.usersOverBytes.contains(user) {
                let team = directory.users[user]?.team
                if team.map({ usage.teamsInIncident.contains($0) }) ?? false { continue }
                claim.refused[user] =
                    isStoreFull
                    ? QuotaError(.storeBytes, limit: Double(settings.storeBytes ?? 0))
                    : QuotaError(
                        .userBytes, of: directory.users[user]?.name, limit: Double(settings.userBytes ?? 0))
            }
        }
        for user in claim.refused.keys { needed[user] = nil }
        if isRated { takeRates(needed, in: directory, for: &claim) }
        for fault in claim.refused.values { noteRefusal(fault) }
    }

    private func takeRates(_ needed: [UserNumber: Need], in directory: Directory, for claim: inout Claim) {
        let reported = needed.compactMapValues { $0.positions > 0 ? $0.positions : nil }
        if !reported.isEmpty { takeRate(ofPositions: reported, in: directory, for: &claim) }
        for (user, need) in needed where !need.signals.isEmpty && claim.refused[user] == nil {
            if let fault = takeRate(ofSignals: need.signals, of: user, in: directory) {
                claim.refused[user] = fault
            } else {
                claim.taken[user, default: Need()].signals = need.signals
            }
        }
    }

    /// - Returns: the quota that the signals of a user's devices would exceed; nil where they took their tokens.
    private func takeRate(
        ofSignals needed: [DeviceNumber: Int], of user: UserNumber, in directory: Directory
    ) -> QuotaError? {
        let now = clock()
        guard let wait = signals.withLock({ $0.spendTokens(needed, of: user, at: now) }) else { return nil }
        let (owner, seconds) = (directory.users[user]?.name ?? "", max(1, Int(wait.seconds.rounded(.up))))
        guard let device = wait.device else {
            return QuotaError(
                .signalsOfUser, of: owner, limit: settings.signalsPerSecond * QuotaSettings.signalDevices,
                retryAfterSeconds: seconds)
        }
        return QuotaError(
            .signals, of: "\(owner)/\(directory.devices[device]?.name ?? "")", limit: settings.signalsPerSecond,
            retryAfterSeconds: seconds)
    }

    private func takeRate(
        ofPositions needed: [UserNumber: Int], in directory: Directory, for claim: inout Claim
    ) {
        let now = clock()
        let waits = positions.withLock { $0.spendTokens(needed, at: now) }
        for (user, count) in needed where waits[user] == nil { claim.taken[user, default: Need()].positions = count }
        for (user, seconds) in waits {
            claim.refused[user] = QuotaError(
                .positions, of: directory.users[user]?.name, limit: settings.positionsPerSecond,
                retryAfterSeconds: max(1, Int(seconds.rounded(.up))))
        }
    }
}

extension Observation {
    /// The device whose user's quota counts the observation; nil for declarations, which are never refused.
    fileprivate var device: DeviceNumber? {
        switch self {
        case .position(_, let device), .sighting(_, let device), .listening(_, let device), .note(_, let device),
            .signal(_, let device), .range(_, let device):
            device
        case .declaration: nil
        }
    }
}
