import MusterHTTP
package import MusterStore
import MusterWire

/// The messages for people about a disk that accepts no writes, or that is nearly full.
package enum StorageWords {
    /// The answer to a client whose request cannot be stored.
    package static let refusal =
        "The server's disk is full or takes no writes: nothing of this was stored. What was stored before is safe. Try "
        + "again later; whoever runs the server must make room."
    /// The seconds after which to try again: about as often as the server makes a test write.
    package static let retryAfterSeconds = 15

    package static let unwritable =
        "The disk is full or takes no writes: nothing can be stored. Everything can be read. Make room on the disk of "
        + "the data folder, or make it writable; the server goes on by itself."
    package static let low =
        "The disk is nearly full: when it is, nothing can be stored any more. Make room on the disk of the data folder."
}

extension JSONWriter {
    /// Writes whether the disk accepts writes and whether it is nearly full. Writes nothing where all is well.
    ///
    /// - Parameter isKnown: whether the caller may see how much room there is, and the database's error.
    package mutating func member(_ status: StorageHealth.Status, isKnown: Bool, warningBytes: Int64) {
        let isLow = status.space?.isLow(warningBytes: warningBytes) ?? false
        guard !status.isWritable || isLow else { return }
        key("storage")
        beginObject()
        member("writable", status.isWritable)
        member("low", isLow)
        if let since = status.refusedSince { member("since", since) }
        member("message", status.isWritable ? StorageWords.low : StorageWords.unwritable)
        if isKnown {
            if let space = status.space { member("freeBytes", space.freeBytes) }
            if !status.isWritable { member("reason", status.lastRefusal) }
        }
        endObject()
    }
}

extension StorageHealth.Status {
    /// Metrics: whether the disk accepts writes, how many it refused, and its free room where known.
    var metricFamilies: [MetricFamily] {
        var families = [
            MetricFamily(
                "muster_storage_writable", .gauge, "Whether writes to the disk succeed.", isWritable ? 1 : 0),
            MetricFamily(
                "muster_storage_failed_commits_total", .counter, "Writes that the disk refused.", Double(failedWrites)),
        ]
        if let space {
            families.append(
                MetricFamily(
                    "muster_disk_free_bytes", .gauge, "Room left on the disk of the data folder.",
                    Double(space.freeBytes)))
        }
        return families
    }
}
