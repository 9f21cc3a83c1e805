package import MusterCore

/// The creation or removal of a database, for clients that follow the list of databases.
///
/// The database of a user's locations is created with the user. When the user is removed, all its events are removed
/// too, so that no name of a removed user remains.
package struct DatabaseEvent: Hashable, Sendable {
    /// The number of the change in the log that made or removed the database; 0 for a creation that the store did not
    /// record, because the database is older than this table.
    package var sequence: LogSequence
    /// The database that was made or removed.
    package var database: DatabaseNumber
    /// The database's name when it was removed; nil for the creation event of a database that still exists.
    package var removedName: String?
    /// Whether the database was removed; false if it was made.
    package var isRemoval: Bool

    /// The largest number of removed databases whose events are kept.
    package static let removalLimit = 1_000

    package init(sequence: LogSequence, database: DatabaseNumber, removedName: String? = nil, isRemoval: Bool = false) {
        self.sequence = sequence
        self.database = database
        self.removedName = removedName
        self.isRemoval = isRemoval
    }
}
