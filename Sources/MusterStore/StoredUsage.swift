package import MusterCore

/// The number of bytes that a store uses, per device and per database.
package struct StoredUsage: Hashable, Sendable {
    /// Bytes of each device's positions. Positions not yet merged into the history are not counted.
    package var positionBytes: [DeviceNumber: Int64] = [:]
    /// Bytes of each database's documents, of all their kept revisions and files.
    package var documentBytes: [DatabaseNumber: Int64] = [:]
    /// Bytes in use in the whole store, including its own metadata.
    package var storeBytes: Int64 = 0

    /// Nothing.
    package init() {}
}
