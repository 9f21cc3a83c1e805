package import MusterCore

/// The number of bytes that a store uses, per device and per database.
package struct StoredUsage: Hashable, Sendable {
    /// The bytes of each device's positions in the history. Positions that are not merged yet are not counted.
    package var positionBytes: [DeviceNumber: Int64] = [:]
    /// The bytes of each device's signals: ids, names and values.
    package var signalBytes: [DeviceNumber: Int64] = [:]
    /// The bytes of each device's ranges and notes.
    package var reportBytes: [DeviceNumber: Int64] = [:]
    /// The bytes of each database's documents, with all stored revisions and attachments.
    package var documentBytes: [DatabaseNumber: Int64] = [:]
    /// The bytes of each user's datasets: keys and values.
    package var datasetBytes: [UserNumber: Int64] = [:]
    /// The bytes in use in the whole file, with its indexes and metadata.
    package var storeBytes: Int64 = 0

    package init() {}
}
