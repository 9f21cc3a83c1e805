import MusterCore
import MusterHTTP
import Synchronization

/// The metrics of quotas.
extension Quotas {
    /// Metrics of refusals and usage. Where each user, team or database has a quota, the figure is that of the one that
    /// uses most. The last family leaves out quotas without a limit.
    func metricFamilies(in directory: Directory) -> [MetricFamily] {
        let counts = refusalCounts
        let figures = figures(in: directory)
        return [
            MetricFamily(
                "muster_quota_refused_total", .counter, "Refusals of a request, or of one user's part of it.",
                by: "quota",
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
        let (deviceFired, userFired) = signals.withLock { ($0.devices.mostUsed(at: now), $0.users.mostUsed(at: now)) }
        let tried = dryRuns.withLock { $0.mostUsed(at: now) }
        let counts = QuotaCounts(in: directory)
        return [
            (.positions, Int64(burstUsed), Int64(settings.positionBurst)),
            (.signals, Int64(deviceFired), Int64(settings.signalBurst)),
            (.signalsOfUser, Int64(userFired), Int64(settings.signalBurst * QuotaSettings.signalDevices)),
            (.dryRuns, Int64(tried), Int64(QuotaSettings.dryRunBurst)),
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
