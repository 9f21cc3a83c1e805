package import MusterCore

/// That a database was made, or removed: what a client follows that waits for databases.
///
/// The database of a user's locations is made with the user. With the user goes whatever was kept of it: no name of
/// somebody who was removed stays here.
package struct DatabaseEvent: Hashable, Sendable {
    /// The number of the change that it was; 0 for what was there before anyone noted it.
    package var sequence: LogSequence
    /// Which database.
    package var database: DatabaseNumber
    /// What it was called when it was removed; nil for the event that it was made, as long as it is there.
    package var removedName: String?
    /// Whether this is the event that it was removed.
    package var isRemoval: Bool

    /// How many removed databases are remembered.
    package static let removalLimit = 1_000

    package init(sequence: LogSequence, database: DatabaseNumber, removedName: String? = nil, isRemoval: Bool = false) {
        self.sequence = sequence
        self.database = database
        self.removedName = removedName
        self.isRemoval = isRemoval
    }
}
