import GRDB
package import MusterCore
import MusterStore

/// Keeps attendance rules in the same table as `SQLiteStore`, in a database in memory.
extension MemoryStore {
    package func attendanceRules() throws -> [AttendanceRule] {
        try tables.unsafeReentrantRead { try AttendanceTable.all(in: $0) }
    }
}

extension MemoryTransaction {
    func nextAttendanceNumber() throws -> AttendanceNumber { try numbers.next(\.attendance) }

    func put(_ rule: AttendanceRule) throws { try AttendanceTable.put(rule, in: database) }

    func remove(_ rule: AttendanceNumber) throws { try AttendanceTable.remove(rule, in: database) }
}
