import MusterCore
import MusterStore
import Synchronization

/// How much everyone has taken, and whether they may take more. Every endpoint's road to the store passes through here:
/// `StoreCoordinator.ingest`, `StoreCoordinator.write` and `StoreCoordinator.edit` ask; no endpoint does.
///
/// A refusal is told with words (`QuotaError`), counted, and logged at most once a minute for each owner. A person's
/// word about safety, and what a leader does to a roll, is never asked about.
package final class Quotas: Sendable {
    /// Told that a request of somebody was over a quota.
    package typealias Log = @Sendable (QuotaError) -> Void

    package let settings: QuotaSettings
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let log: Log
    private let positions: Mutex<QuotaBuckets<UserNumber>>
    private let usage = Mutex(Usage())
    private let refusals = Mutex(Refusals())

    /// What was stored when it was last looked at.
    private struct Usage {
        var positionBytes: [UserNumber: Int64] = [:]
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

    /// Seconds between two lines of the log about one owner and quota; lines of all in that time.
    static let logSeconds: Double = 60
    static let logLimit = 1_000

    /// - Parameters:
    ///   - clock: by which buckets fill.
    ///   - log: called at most once a minute for each owner and quota.
    package init(
        _ settings: QuotaSettings = QuotaSettings(),
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }, log: @escaping Log = { _ in }
    ) {
        self.settings = settings
        self.clock = clock
        self.log = log
        positions = Mutex(QuotaBuckets(perSecond: settings.positionsPerSecond, burst: settings.positionBurst))
    }

    // MARK: Refusing

    /// Counts a refusal, and logs it unless its owner's last one was logged within the minute.
    func noteRefusal(_ fault: QuotaError) {
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

    /// How many requests, or entries of one, each quota refused.
    var refusalCounts: [Quota: Int] { refusals.withLock { $0.counts } }

    // MARK: What is stored

    /// Takes what the store says of how much everyone has stored.
    func adopt(_ stored: StoredUsage, in directory: Directory) {
        var positionBytes: [UserNumber: Int64] = [:]
        for (device, bytes) in stored.positionBytes {
            if let owner = directory.devices[device]?.user { positionBytes[owner, default: 0] += bytes }
        }
        var totals = positionBytes
        var mostBytesOfDatabase: Int64 = 0
        for (database, bytes) in stored.documentBytes {
            if let user = database.user {
                totals[user, default: 0] += bytes
            } else {
                mostBytesOfDatabase = max(mostBytesOfDatabase, bytes)
            }
        }
        let limit = settings.userBytes ?? .max
        let over = Set(totals.lazy.filter { $0.value >= limit }.map(\.key))
        usage.withLock { usage in
            usage.positionBytes = positionBytes
            usage.usersOverBytes = over
            usage.storeBytes = stored.storeBytes
            usage.mostBytesOfUser = totals.values.max() ?? 0
            usage.mostBytesOfDatabase = mostBytesOfDatabase
        }
    }

    /// Takes which teams have an open incident: their people's positions are not refused for bytes.
    func adopt(teamsInIncident teams: Set<TeamNumber>) {
        usage.withLock { if $0.teamsInIncident != teams { $0.teamsInIncident = teams } }
    }

    /// Makes sure that so many bytes of documents have room.
    ///
    /// - Parameters:
    ///   - bytes: what new revisions say, and their files.
    ///   - stored: what is stored of documents in the same database.
    ///   - areFilesAmong: whether files come with them.
    /// - Returns: why they have none; nil where they have.
    func refusal(
        ofBytes bytes: Int64, with stored: Int64, areFilesAmong: Bool, in place: WriteTarget
    ) -> QuotaError? {
        if bytes == 0 { return nil }
        let usage = usage.withLock { $0 }
        if let user = place.user {
            // A person's place in an emergency is worth more than a quota; a file is no place.
            let isInIncident = user.team.map { usage.teamsInIncident.contains($0) } ?? false
            if isInIncident && !areFilesAmong { return nil }
            let positions = usage.positionBytes[user.number] ?? 0
            if let limit = settings.userBytes, stored + positions + bytes > limit {
                return QuotaError(.userBytes, of: user.name, limit: Double(limit))
            }
        } else if let limit = settings.databaseBytes, stored + bytes > limit {
            return QuotaError(.databaseBytes, of: place.name, limit: Double(limit))
        }
        return storeRefusal(usage.storeBytes)
    }

    /// Makes sure that the store may take what is no position: documents, files, imports.
    ///
    /// - Throws: `QuotaError`.
    func checkStore() throws(QuotaError) {
        guard let fault = storeRefusal(usage.withLock { $0.storeBytes }) else { return }
        noteRefusal(fault)
        throw fault
    }

    private func storeRefusal(_ bytes: Int64) -> QuotaError? {
        guard let limit = settings.storeBytes, bytes >= limit else { return nil }
        return QuotaError(.storeBytes, limit: Double(limit))
    }

    // MARK: Positions

    /// What a request's observations take of their users' quotas.
    struct Claim {
        /// How many were taken of whose bucket.
        fileprivate(set) var taken: [UserNumber: Int] = [:]
        /// Whose observations may not be stored, and why.
        fileprivate(set) var refused: [UserNumber: QuotaError] = [:]
        /// Whose every observation is.
        fileprivate(set) var owners: [DeviceNumber: UserNumber] = [:]

        /// The refusal of the first user, in the order of numbers, whose observations may not be stored.
        var firstRefusal: QuotaError? { refused.min { $0.key < $1.key }?.value }

        /// Why an observation may not be stored; nil where it may.
        func refusal(of observation: Observation) -> QuotaError? {
            if refused.isEmpty { return nil }
            return observation.device.flatMap { owners[$0] }.flatMap { refused[$0] }
        }
    }

    /// Takes what observations need of the quotas of the users whose devices they are of: for each user all or none.
    ///
    /// What an admin reports, in person or by `muster`, is an import and takes nothing of the rate. Bytes count for
    /// everyone.
    func claim(_ observations: [Observation], by sender: Principal?, in directory: Directory) -> Claim {
        var claim = Claim()
        var needed: [UserNumber: Int] = [:]
        var last: (device: DeviceNumber, owner: UserNumber)?
        for observation in observations {
            guard let device = observation.device else { continue }
            if last?.device != device {
                guard let owner = directory.devices[device]?.user else { continue }
                claim.owners[device] = owner
                last = (device, owner)
            }
            if let owner = last?.owner { needed[owner, default: 0] += 1 }
        }
        takeShares(needed, isRated: sender.map { $0.role != .admin } ?? false, in: directory, for: &claim)
        return claim
    }

    /// Takes what documents of a user's location database need of the user's rate: each may be a position.
    ///
    /// - Throws: `QuotaError`; then nothing was taken.
    func claim(documents count: Int, of user: User, by author: Author?, in directory: Directory) throws(QuotaError)
        -> Claim
    {
        var claim = Claim()
        guard let author, directory.users[author.user]?.role != .admin else { return claim }
        takeRate([user.number: count], in: directory, for: &claim)
        for fault in claim.refused.values {
            noteRefusal(fault)
            throw fault
        }
        return claim
    }

    /// Gives back what was taken for what was not stored after all.
    func giveBack(_ claim: Claim) {
        guard !claim.taken.isEmpty else { return }
        positions.withLock { buckets in
            for (user, count) in claim.taken { buckets.giveBack(Double(count), to: user) }
        }
    }

    private func takeShares(
        _ needed: [UserNumber: Int], isRated: Bool, in directory: Directory, for claim: inout Claim
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
        if isRated { takeRate(needed, in: directory, for: &claim) }
        for fault in claim.refused.values { noteRefusal(fault) }
    }

    private func takeRate(_ needed: [UserNumber: Int], in directory: Directory, for claim: inout Claim) {
        let now = clock()
        let waits = positions.withLock { buckets in
            var waits: [UserNumber: Double] = [:]
            for (user, count) in needed {
                if let seconds = buckets.take(Double(count), of: user, at: now) {
                    waits[user] = seconds
                } else {
                    claim.taken[user] = count
                }
            }
            return waits
        }
        for (user, seconds) in waits {
            claim.refused[user] = QuotaError(
                .positions, of: directory.users[user]?.name, limit: settings.positionsPerSecond,
                retryAfterSeconds: max(1, Int(seconds.rounded(.up))))
        }
    }
}

extension Observation {
    /// The device it is of, where its user's quota counts it: what a person says of a person is never refused.
    fileprivate var device: DeviceNumber? {
        switch self {
        case .position(_, let device), .sighting(_, let device), .note(_, let device): device
        case .declaration: nil
        }
    }
}

// MARK: Metrics

extension Quotas {
    /// What was refused, and how much is used. The figure of a quota that each user, team or database has is that of
    /// the one that uses most. Quotas without a limit have none in the last family.
    func metricFamilies(in directory: Directory) -> [MetricFamily] {
        let counts = refusalCounts
        let figures = figures(in: directory)
        return [
            MetricFamily(
                "muster_quota_refused_total", .counter, "Requests refused because of a quota.", by: "quota",
                Quota.allCases.map { ($0.rawValue, Double(counts[$0, default: 0])) }),
            MetricFamily(
                "muster_quota_used", .gauge, "Used of a quota, by the one that uses most.", by: "quota",
                figures.map { quota, used, _ in (quota.rawValue, Double(used)) }),
            MetricFamily(
                "muster_quota_limit", .gauge, "The limit of a quota.", by: "quota",
                figures.compactMap { quota, _, limit in limit.map { (quota.rawValue, Double($0)) } }),
        ]
    }

    private func figures(in directory: Directory) -> [(Quota, used: Int64, limit: Int64?)] {
        let usage = usage.withLock { $0 }
        let now = clock()
        let burstUsed = positions.withLock { $0.mostUsed(at: now) }
        let counts = QuotaCounts(in: directory)
        return [
            (.positions, Int64(burstUsed), Int64(settings.positionBurst)),
            (.userBytes, usage.mostBytesOfUser, settings.userBytes),
            (.databaseBytes, usage.mostBytesOfDatabase, settings.databaseBytes),
            (.storeBytes, usage.storeBytes, settings.storeBytes),
            (
                .implicitUsersOfTeam, Int64(counts.implicitUsers.values.max() ?? 0),
                Int64(settings.implicitUsersOfTeam)
            ),
            (.implicitUsers, Int64(counts.implicitUsers.values.reduce(0, +)), Int64(settings.implicitUsers)),
            (.collectionsOfTeam, Int64(counts.mostCollectionsOfTeam), Int64(settings.collectionsOfTeam)),
            (.collections, Int64(directory.collections.count), Int64(settings.collections)),
            (.databases, Int64(directory.databases.count), Int64(settings.databases)),
        ]
    }
}
