import MusterCore
import MusterStore
import MusterWire

/// What people are told of a disk that takes no writes, and of one that is nearly full.
enum StorageWords {
    /// To whoever asked for what cannot be stored.
    static let refusal =
        "The server's disk is full or takes no writes: nothing of this was stored. What was stored before is safe. Try "
        + "again later; whoever runs the server must make room."
    /// When to try again, in seconds: about as often as the server tries a write.
    static let retryAfterSeconds = 15

    static let unwritable =
        "The disk is full or takes no writes: nothing can be stored. Everything can be read. Make room on the disk of "
        + "the data folder, or make it writable; the server goes on by itself."
    static let low =
        "The disk is nearly full: when it is, nothing can be stored any more. Make room on the disk of the data folder."
}

extension JSONWriter {
    /// Writes whether the disk takes writes and whether it is nearly full; nothing where all is well.
    ///
    /// - Parameter isKnown: whether someone asks who may know how much room there is, and what the database said.
    mutating func member(_ status: StorageHealth.Status, isKnown: Bool, warningBytes: Int64) {
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
    /// Whether the disk takes writes, how many it refused, and how much room it has where that is known.
    var metricFamilies: [MetricFamily] {
        var families = [
            MetricFamily(
                "muster_storage_writable", .gauge, "Whether the disk takes what is to be stored.", isWritable ? 1 : 0),
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
