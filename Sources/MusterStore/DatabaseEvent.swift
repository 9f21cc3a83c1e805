package import MusterCore

/// The creation or removal of a database, for clients that follow the list of databases.
///
/// The database of a user's locations is created with the user. When the user is removed, all its events are removed
/// too, so that no name of a removed user remains.
package struct DatabaseEvent: Hashable, Sendable {
    /// The number of the change that it was; 0 for what was there before anyone noted it.
    package var sequence: LogSequence
    /// Which database.
    package var database: DatabaseNumber
    /// The database's name when it was removed; nil for the creation event of a database that still exists.
    package var removedName: String?
    /// Whether this is the event that it was removed.
    package var isRemoval: Bool

    /// The number of removed databases whose events are kept.
    package static let removalLimit = 1_000

    package init(sequence: LogSequence, database: DatabaseNumber, removedName: String? = nil, isRemoval: Bool = false) {
        self.sequence = sequence
        self.database = database
        self.removedName = removedName
        self.isRemoval = isRemoval
    }
}
