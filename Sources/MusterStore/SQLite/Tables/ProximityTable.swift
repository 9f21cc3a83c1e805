package import GRDB
package import MusterCore
import MusterDocuments

/// The rows of proximity rules, and of their alarms.
package enum ProximityTable {
    package static let schema = """
        CREATE TABLE proximity_rules (number INTEGER PRIMARY KEY, team INTEGER NOT NULL, rule BLOB NOT NULL);
        CREATE INDEX proximity_rules_of_team ON proximity_rules (team);
        CREATE TABLE proximity_alarms (
            rule INTEGER NOT NULL, user INTEGER NOT NULL, since INTEGER NOT NULL, is_told INTEGER NOT NULL,
            PRIMARY KEY (rule, user)) WITHOUT ROWID;

        """

    package static let simulated = "ALTER TABLE proximity_alarms ADD COLUMN is_simulated INTEGER NOT NULL DEFAULT 0;\n"

    package static func put(_ rule: ProximityRule, in database: Database) throws {
        var writer = ByteWriter()
        writer.put(rule)
        try database.cachedStatement(
            sql: """
                INSERT INTO proximity_rules (number, team, rule) VALUES (?, ?, ?) ON CONFLICT (number)
                DO UPDATE SET team = excluded.team, rule = excluded.rule
                """
        ).execute(arguments: [rule.number.rawValue, rule.team.rawValue, Blob(writer.bytes)])
    }

    package static func remove(_ rule: ProximityNumber, in database: Database) throws {
        for sql in ["DELETE FROM proximity_alarms WHERE rule = ?", "DELETE FROM proximity_rules WHERE number = ?"] {
            try database.cachedStatement(sql: sql).execute(arguments: [rule.rawValue])
        }
    }

    /// Removes the rules of a team, and their alarms.
    package static func remove(of team: TeamNumber, in database: Database) throws {
        for sql in [
            "DELETE FROM proximity_alarms WHERE rule IN (SELECT number FROM proximity_rules WHERE team = ?)",
            "DELETE FROM proximity_rules WHERE team = ?",
        ] { try database.cachedStatement(sql: sql).execute(arguments: [team.rawValue]) }
    }

    package static func put(_ alarm: ProximityAlarm, of rule: ProximityNumber, in database: Database) throws {
        try database.cachedStatement(
            sql: """
                INSERT INTO proximity_alarms (rule, user, since, is_told, is_simulated) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (rule, user) DO UPDATE
                SET since = excluded.since, is_told = excluded.is_told, is_simulated = excluded.is_simulated
                """
        ).execute(arguments: [
            rule.rawValue, alarm.user.rawValue, alarm.since.milliseconds, alarm.isTold, alarm.isSimulated,
        ])
    }

    package static func removeAlarm(
        of user: UserNumber, from rule: ProximityNumber, in database: Database
    ) throws {
        try database.cachedStatement(sql: "DELETE FROM proximity_alarms WHERE rule = ? AND user = ?")
            .execute(arguments: [rule.rawValue, user.rawValue])
    }

    package static func rules(in database: Database) throws -> [ProximityRule] {
        try Row.fetchAll(database, sql: "SELECT number, rule FROM proximity_rules ORDER BY number").map { row in
            let number = ProximityNumber(try row.value("number"))
            return try row.decode("rule") { reader throws(CodecError) in try reader.proximityRule(number) }
        }
    }

    package static func alarms(in database: Database) throws -> [(rule: ProximityNumber, alarm: ProximityAlarm)] {
        let sql = "SELECT rule, user, since, is_told, is_simulated FROM proximity_alarms ORDER BY rule, user"
        return try Row.fetchAll(database, sql: sql).map { row in
            let alarm = ProximityAlarm(
                user: UserNumber(try row.value("user")), since: Instant(milliseconds: try row.value("since")),
                isTold: try row.value("is_told"), isSimulated: try row.value("is_simulated"))
            return (ProximityNumber(try row.value("rule")), alarm)
        }
    }
}

extension SQLiteStore {
    package func proximityRules() throws -> [ProximityRule] { try onReader { try ProximityTable.rules(in: $0) } }

    package func proximityAlarms() throws -> [(rule: ProximityNumber, alarm: ProximityAlarm)] {
        try onReader { try ProximityTable.alarms(in: $0) }
    }
}

extension SQLiteTransaction {
    func nextProximityNumber() throws -> ProximityNumber { try numbers.next(\.proximity) }

    func put(_ rule: ProximityRule) throws { try run { try ProximityTable.put(rule, in: database) } }

    func remove(_ rule: ProximityNumber) throws { try run { try ProximityTable.remove(rule, in: database) } }

    func put(_ alarm: ProximityAlarm, of rule: ProximityNumber) throws {
        try run { try ProximityTable.put(alarm, of: rule, in: database) }
    }

    func removeAlarm(of user: UserNumber, from rule: ProximityNumber) throws {
        try run { try ProximityTable.removeAlarm(of: user, from: rule, in: database) }
    }
}
