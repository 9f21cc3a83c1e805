import Foundation
import MusterCore
import MusterHTTP
import MusterStore

/// The metrics of the server's parts.
extension Server {
    /// The version of this program.
    package static let version = "0.1.0"
}

extension Metrics {
    /// Adds the metrics of the server's parts. They are measured when a client reads the metrics.
    func addSources(
        coordinator: StoreCoordinator, feeds: LogFeeds, identity: Identity, dataDirectory: String,
        certificates: CertificateFiles?
    ) {
        addSource { [MetricFamily("muster_build_info", .gauge, "The program.", by: "version", [(Server.version, 1)])] }
        addSource { ProcessMetrics.families() }
        addSource { Self.databaseFamilies(coordinator, in: dataDirectory) }
        addSource { Self.workFamilies(coordinator, identity) }
        addSource { coordinator.reads.families }
        addSource { coordinator.storage.status.metricFamilies }
        addSource { coordinator.quotas.metricFamilies(in: coordinator.directory) }
        addSource {
            [
                MetricFamily(
                    "muster_damaged_pages", .gauge, "Pages and rows of the store that are known to be damaged.",
                    Double(coordinator.knownDamage.count))
            ]
        }
        addSource {
            [
                MetricFamily(
                    "muster_feeds", .gauge, "Feeds that are open, by kind.", by: "kind",
                    LogFeeds.Kind.allCases.map { ($0.metricLabel, Double(feeds.count(of: $0))) }),
                MetricFamily(
                    "muster_feeds_refused_total", .counter, "Feeds that were refused, by kind.", by: "kind",
                    LogFeeds.Kind.allCases.map { ($0.metricLabel, Double(feeds.refusedCount(of: $0))) }),
                identity.signIns.family,
            ]
        }
        guard let certificates else { return }
        addSource {
            [
                MetricFamily(
                    "muster_tls_certificate_expiry_timestamp_seconds", .gauge,
                    "When the certificate that new connections get ends, Unix time.", certificates.endsAt),
                MetricFamily(
                    "muster_tls_reload_failures_total", .counter,
                    "SIGHUPs after which the former certificate stayed.", Double(certificates.failures)),
            ]
        }
    }

    private static func databaseFamilies(_ coordinator: StoreCoordinator, in folder: String) -> [MetricFamily] {
        let parts = [("database", ""), ("wal", "-wal"), ("shm", "-shm")]
        let sizes = parts.map { part, suffix in
            let path = folder + "/" + SQLiteStore.fileName + suffix
            let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
            return (part, Double(size ?? 0))
        }
        let backup = try? FileManager.default.attributesOfItem(atPath: folder + "/" + SQLiteStore.backupMark)
        let backupAt = (backup?[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
        return [
            MetricFamily(
                "muster_last_backup_timestamp_seconds", .gauge,
                "When `muster backup` last copied the store, Unix time; 0 if it never did.", backupAt),
            MetricFamily("muster_database_bytes", .gauge, "Size of the store's files.", by: "file", sizes),
            MetricFamily(
                "muster_last_sequence", .gauge, "The number of the newest change.",
                Double(coordinator.lastSequence.rawValue)),
            MetricFamily(
                "muster_commit_seconds", "Time that a transaction took, decided and on disk.",
                coordinator.statistics.commitSeconds),
        ]
    }

    private static func workFamilies(_ coordinator: StoreCoordinator, _ identity: Identity) -> [MetricFamily] {
        let queues =
            [("readers", coordinator.readers.counts), ("credentials", coordinator.credentialReaders.counts)]
            + [("hashing", identity.hasher.counts)]
        let waits = coordinator.waits.map { ($0.part, $0.seconds) } + [("hashing", identity.hasher.oldestWaitSeconds)]
        return [
            MetricFamily(
                "muster_work_waiting", .gauge, "Jobs that wait for a thread, by queue.", by: "queue",
                queues.map { ($0, Double($1.waiting)) }),
            MetricFamily(
                "muster_work_running", .gauge, "Jobs that are being done, by queue.", by: "queue",
                queues.map { ($0, Double($1.running)) }),
            MetricFamily(
                "muster_work_refused_total", .counter, "Jobs that were turned away, by queue.", by: "queue",
                queues.map { ($0, Double($1.refused)) } + [("writer", Double(coordinator.queue.refused))]),
            MetricFamily(
                "muster_work_oldest_wait_seconds", .gauge,
                "How long the oldest job waits that lacks nothing but its turn, by queue.", by: "queue", waits),
        ]
    }
}
