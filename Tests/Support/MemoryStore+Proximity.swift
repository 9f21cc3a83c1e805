import GRDB
package import MusterCore
import MusterStore

/// Keeps proximity rules in the same tables as `SQLiteStore`, in a database in memory.
extension MemoryStore {
    package func proximityRules() throws -> [ProximityRule] {
        try tables.unsafeReentrantRead { try ProximityTable.rules(in: $0) }
    }

    package func proximityAlarms() throws -> [(rule: ProximityNumber, alarm: ProximityAlarm)] {
        try tables.unsafeReentrantRead { try ProximityTable.alarms(in: $0) }
    }
}

extension MemoryTransaction {
    func nextProximityNumber() throws -> ProximityNumber { try numbers.next(\.proximity) }

    func put(_ rule: ProximityRule) throws { try ProximityTable.put(rule, in: database) }

    func remove(_ rule: ProximityNumber) throws { try ProximityTable.remove(rule, in: database) }

    func put(_ alarm: ProximityAlarm, of rule: ProximityNumber) throws {
        try ProximityTable.put(alarm, of: rule, in: database)
    }

    func removeAlarm(of user: UserNumber, from rule: ProximityNumber) throws {
        try ProximityTable.removeAlarm(of: user, from: rule, in: database)
    }
}
