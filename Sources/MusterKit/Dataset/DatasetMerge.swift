import MusterCore

/// The effect of the server's changes on a dataset of this device, before conflicts are decided.
struct DatasetMerge: Sendable {
    /// Records that take the server's value.
    var overwritten: [RemoteRecord] = []
    /// Records that both sides changed, to different values.
    var conflicts: [(local: LocalRecord, remote: RemoteRecord)] = []

    /// Compares the changes with what the device has. A record that the device did not change, or changed to the same
    /// value, becomes the server's.
    ///
    /// - Complexity: O(changes).
    init(_ changes: [RemoteRecord], into dataset: LocalDataset) {
        // A record that changed while pages were read is on two of them; the later one counts.
        var newest: [ExactText: RemoteRecord] = [:]
        for record in changes where newest[ExactText(record.key)].map({ $0.syncCount < record.syncCount }) ?? true {
            newest[ExactText(record.key)] = record
        }
        for (key, remote) in newest {
            guard let local = dataset.records[key], local.isDirty,
                local.value.map(ExactText.init) != remote.value.map(ExactText.init)
            else {
                overwritten.append(remote)
                continue
            }
            conflicts.append((local, remote))
        }
        conflicts.sort { $0.local.key.utf8.lexicographicallyPrecedes($1.local.key.utf8) }
    }
}
