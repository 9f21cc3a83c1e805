package import MusterCore
package import MusterStore
import Synchronization

extension MemoryStore {
    package func databaseEvents(since sequence: LogSequence) throws -> [DatabaseEvent] {
        contents.withLock { $0.databaseEvents }.filter { $0.sequence > sequence }
    }
}

extension MemoryTransaction {
    func recordDatabaseMade(_ database: DatabaseNumber, at sequence: LogSequence) throws {
        edits.append { $0.databaseEvents.append(DatabaseEvent(sequence: sequence, database: database)) }
    }

    func recordDatabaseRemoved(_ database: DatabaseNumber, called name: String, at sequence: LogSequence) throws {
        edits.append { contents in
            for index in contents.databaseEvents.indices where contents.databaseEvents[index].database == database {
                contents.databaseEvents[index].removedName = name
            }
            contents.databaseEvents.append(
                DatabaseEvent(sequence: sequence, database: database, removedName: name, isRemoval: true))
            let removed = contents.databaseEvents.filter(\.isRemoval).map(\.database)
            let forgotten = Set(removed.dropLast(DatabaseEvent.removalLimit))
            contents.databaseEvents.removeAll { forgotten.contains($0.database) }
        }
    }
}
