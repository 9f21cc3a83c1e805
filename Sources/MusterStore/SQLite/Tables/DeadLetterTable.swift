import GRDB
import MusterCore
import MusterDocuments

/// The rows of dead letters.
enum DeadLetterTable {
    static func insert(_ letter: DeadLetter, in database: Database) throws {
        let statement = try RawStatement(
            """
            INSERT INTO dead_letters (
                number, target, subject, rule, event, content_type, created_at, attempts, next_attempt_at, last_error,
                body, died_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, in: database)
        statement.bind(12, letter.diedAt.milliseconds)
        try DeliveryTable.bind(letter.delivery, to: statement)
    }

    /// Returns dead letters after a number, of a target or of all, and of a rule or of any, without their bodies.
    static func letters(
        of target: TargetNumber?, by rule: String?, after number: DeliveryNumber, limit: Int, in database: Database
    ) throws -> [DeadLetter] {
        let ofTarget = target == nil ? "" : "target = ?3 AND "
        // As `NewDelivery.isMade(by:)` has it.
        let ofRule = rule == nil ? "" : "(rule = ?4 OR substr(rule, 1, length(?4) + 1) = ?4 || '/') AND "
        let statement = try RawStatement(
            """
            SELECT \(DeliveryTable.columns), died_at FROM dead_letters
            WHERE \(ofTarget)\(ofRule)number > ?1 ORDER BY number LIMIT ?2
            """, in: database)
        statement.bind(1, number.rawValue)
        statement.bind(2, Int64(limit))
        if let target { statement.bind(3, Int64(target.rawValue)) }
        if let rule { statement.bind(4, rule) }
        defer { statement.reset() }
        var letters: [DeadLetter] = []
        while try statement.step() {
            letters.append(
                DeadLetter(
                    delivery: try DeliveryTable.delivery(statement, body: []),
                    diedAt: Instant(milliseconds: statement.integer(10))))
        }
        return letters
    }

    static func letter(_ number: DeliveryNumber, in database: Database) throws -> DeadLetter? {
        let statement = try RawStatement(
            "SELECT \(DeliveryTable.columns), died_at, body FROM dead_letters WHERE number = ?", in: database)
        statement.bind(1, number.rawValue)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        return DeadLetter(
            delivery: try DeliveryTable.delivery(statement, body: statement.withBlob(11) { Array($0) }),
            diedAt: Instant(milliseconds: statement.integer(10)))
    }

    static func counts(in database: Database) throws -> [TargetNumber: Int] {
        let statement = try RawStatement("SELECT target, count(*) FROM dead_letters GROUP BY target", in: database)
        defer { statement.reset() }
        var counts: [TargetNumber: Int] = [:]
        while try statement.step() {
            counts[TargetNumber(Int32(truncatingIfNeeded: statement.integer(0)))] = Int(statement.integer(1))
        }
        return counts
    }

    /// Counts the dead letters of a target up to a number. Complexity: O(letters counted).
    static func count(
        of target: TargetNumber, through number: DeliveryNumber, in database: Database
    ) throws -> Int {
        try Int.fetchOne(
            database, sql: "SELECT count(*) FROM dead_letters WHERE target = ? AND number <= ?",
            arguments: [target.rawValue, number.rawValue]) ?? 0
    }

    /// Deletes a dead letter.
    ///
    /// - Returns: whether it existed.
    static func delete(_ number: DeliveryNumber, in database: Database) throws -> Bool {
        let statement = try RawStatement("DELETE FROM dead_letters WHERE number = ?", in: database)
        statement.bind(1, number.rawValue)
        try statement.run()
        return database.changesCount > 0
    }

    /// Deletes the oldest dead letters of a target beyond the newest `limit`.
    static func trim(_ target: TargetNumber, to limit: Int, in database: Database) throws {
        let statement = try RawStatement(
            """
            DELETE FROM dead_letters WHERE target = ?1 AND number <= (
                SELECT number FROM dead_letters WHERE target = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)
            """, in: database)
        statement.bind(1, Int64(target.rawValue))
        statement.bind(2, Int64(limit))
        try statement.run()
    }

    /// Deletes at most `limit` dead letters that were given up before `horizon`; returns how many it deleted.
    static func delete(before horizon: Instant, limit: Int, in database: Database) throws -> Int {
        let statement = try RawStatement(
            """
            DELETE FROM dead_letters WHERE number IN (SELECT number FROM dead_letters WHERE died_at < ? LIMIT ?)
            """, in: database)
        statement.bind(1, horizon.milliseconds)
        statement.bind(2, Int64(limit))
        try statement.run()
        return database.changesCount
    }
}
