import Foundation
import MusterCore
import MusterStore

extension Server {
    /// The version of this program.
    package static let version = "0.1.0"
}

extension Metrics {
    /// Shows what the parts of a server know of themselves, asked when somebody reads the metrics.
    func addSources(
        ledger: Ledger, live: Live, documentFeeds: DocumentFeeds, identity: Identity, dataDirectory: String,
        certificates: CertificateFiles?
    ) {
        addSource { [MetricFamily("muster_build_info", .gauge, "The program.", by: "version", [(Server.version, 1)])] }
        addSource { ProcessMetrics.families() }
        addSource { Self.databaseFamilies(ledger, in: dataDirectory) }
        addSource { Self.workFamilies(ledger, identity) }
        addSource { ledger.storage.status.metricFamilies }
        addSource { ledger.quotas.metricFamilies(in: ledger.directory) }
        addSource {
            [
                MetricFamily(
                    "muster_damaged_pages", .gauge, "Pages and rows of the store that are known to be damaged.",
                    Double(ledger.knownDamage.count))
            ]
        }
        addSource {
            [
                MetricFamily(
                    "muster_feeds", .gauge, "Feeds that are open, by kind.", by: "kind",
                    [("live", Double(live.listenerCount)), ("documents", Double(documentFeeds.count))]),
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

    private static func databaseFamilies(_ ledger: Ledger, in folder: String) -> [MetricFamily] {
        let parts = [("database", ""), ("wal", "-wal"), ("shm", "-shm")]
        let sizes = parts.map { part, suffix in
            let path = folder + "/" + SQLiteStore.fileName + suffix
            let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
            return (part, Double(size ?? 0))
        }
        return [
            MetricFamily("muster_database_bytes", .gauge, "Size of the store's files.", by: "file", sizes),
            MetricFamily(
                "muster_last_sequence", .gauge, "The number of the newest change.",
                Double(ledger.lastSequence.rawValue)),
            MetricFamily(
                "muster_commit_seconds", "Time that a transaction took, decided and on disk.",
                ledger.statistics.commitSeconds),
        ]
    }

    private static func workFamilies(_ ledger: Ledger, _ identity: Identity) -> [MetricFamily] {
        let queues =
            [("readers", ledger.readers.counts), ("credentials", ledger.credentialReaders.counts)]
            + [("hashing", identity.hasher.counts)]
        let waits = ledger.waits.map { ($0.part, $0.seconds) } + [("hashing", identity.hasher.oldestWaitSeconds)]
        return [
            MetricFamily(
                "muster_work_waiting", .gauge, "Jobs that wait for a thread, by queue.", by: "queue",
                queues.map { ($0, Double($1.waiting)) }),
            MetricFamily(
                "muster_work_running", .gauge, "Jobs that are being done, by queue.", by: "queue",
                queues.map { ($0, Double($1.running)) }),
            MetricFamily(
                "muster_work_refused_total", .counter, "Jobs that were turned away, by queue.", by: "queue",
                queues.map { ($0, Double($1.refused)) } + [("writer", Double(ledger.queue.refused))]),
            MetricFamily(
                "muster_work_oldest_wait_seconds", .gauge,
                "How long the oldest job waits that lacks nothing but its turn, by queue.", by: "queue", waits),
        ]
    }
}
