package import MusterCore

/// How much a store holds of whom.
package struct StoredUsage: Hashable, Sendable {
    /// Bytes of each device's positions, those aside that are not merged into the history yet.
    package var positionBytes: [DeviceNumber: Int64] = [:]
    /// Bytes of each database's documents, of all their kept revisions and files.
    package var documentBytes: [DatabaseNumber: Int64] = [:]
    /// Bytes of the store that are in use, what it keeps about itself among them.
    package var storeBytes: Int64 = 0

    /// Nothing.
    package init() {}
}
