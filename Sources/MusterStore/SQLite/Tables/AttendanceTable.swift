package import GRDB
package import MusterCore
import MusterDocuments

/// The rows of attendance rules.
package enum AttendanceTable {
    package static let schema = """
        CREATE TABLE attendance_rules (number INTEGER PRIMARY KEY, team INTEGER NOT NULL, rule BLOB NOT NULL);
        CREATE INDEX attendance_rules_of_team ON attendance_rules (team);

        """

    package static func put(_ rule: AttendanceRule, in database: Database) throws {
        var writer = ByteWriter()
        writer.put(rule)
        try database.cachedStatement(
            sql: """
                INSERT INTO attendance_rules (number, team, rule) VALUES (?, ?, ?) ON CONFLICT (number)
                DO UPDATE SET team = excluded.team, rule = excluded.rule
                """
        ).execute(arguments: [rule.number.rawValue, rule.team.rawValue, Blob(writer.bytes)])
    }

    package static func remove(_ rule: AttendanceNumber, in database: Database) throws {
        try database.cachedStatement(sql: "DELETE FROM attendance_rules WHERE number = ?")
            .execute(arguments: [rule.rawValue])
    }

    /// Removes the rules of a team.
    package static func remove(of team: TeamNumber, in database: Database) throws {
        try database.cachedStatement(sql: "DELETE FROM attendance_rules WHERE team = ?")
            .execute(arguments: [team.rawValue])
    }

    package static func all(in database: Database) throws -> [AttendanceRule] {
        try Row.fetchAll(database, sql: "SELECT number, rule FROM attendance_rules ORDER BY number").map { row in
            let number = AttendanceNumber(try row.value("number"))
            return try row.decode("rule") { reader throws(CodecError) in try reader.attendanceRule(number) }
        }
    }
}

extension SQLiteStore {
    package func attendanceRules() throws -> [AttendanceRule] { try onReader { try AttendanceTable.all(in: $0) } }
}

extension SQLiteTransaction {
    func nextAttendanceNumber() throws -> AttendanceNumber { try numbers.next(\.attendance) }

    func put(_ rule: AttendanceRule) throws { try run { try AttendanceTable.put(rule, in: database) } }

    func remove(_ rule: AttendanceNumber) throws { try run { try AttendanceTable.remove(rule, in: database) } }
}
