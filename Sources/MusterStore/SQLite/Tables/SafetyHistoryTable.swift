import GRDB
import MusterCore
import MusterDocuments

/// The states of each person over time. The log has them too, among all positions; this finds those of a person at a
/// time without reading it.
enum SafetyHistoryTable {
    static let schema = """
        CREATE TABLE safety_history (
            person INTEGER NOT NULL, at INTEGER NOT NULL, sequence INTEGER NOT NULL, state INTEGER NOT NULL,
            doubt INTEGER, PRIMARY KEY (person, at, sequence)) WITHOUT ROWID;
        CREATE INDEX safety_history_by_time ON safety_history (at);

        """

    /// Begins the history of a file that has a log already with the present states, and notes when that was.
    static let beginning = """
        INSERT INTO safety_history (person, at, sequence, state, doubt)
            SELECT person, coalesce((SELECT committed_at FROM log ORDER BY first_sequence DESC LIMIT 1), 0), 0, state,
                doubt FROM safety;
        INSERT INTO counters (name, value)
            SELECT 'safetyHistory', committed_at FROM log ORDER BY first_sequence DESC LIMIT 1;

        """

    /// What each state follows from: the number of its source, and who marked the person. Null in rows of older files.
    static let sources = """
        ALTER TABLE safety_history ADD COLUMN source INTEGER;
        ALTER TABLE safety_history ADD COLUMN marked_by INTEGER;

        """

    static func insert(
        _ safety: Safety, of user: UserNumber, at moment: Instant, _ sequence: Int64, in database: Database
    ) throws {
        let statement = try RawStatement(
            """
            INSERT OR REPLACE INTO safety_history (person, at, sequence, state, doubt, source, marked_by)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """, in: database)
        let code = SafetySourceCode(safety.source)
        statement.bind(1, Int64(user.rawValue))
        statement.bind(2, moment.milliseconds)
        statement.bind(3, sequence)
        statement.bind(4, Int64(safety.state.rawValue))
        statement.bind(5, safety.doubt.map { Int64($0.rawValue) })
        statement.bind(6, Int64(code.number))
        statement.bind(7, code.markedBy.map { Int64($0.rawValue) })
        try statement.run()
    }

    static func remove(_ user: UserNumber, in database: Database) throws {
        try database.cachedStatement(sql: "DELETE FROM safety_history WHERE person = ?")
            .execute(arguments: [user.rawValue])
    }

    /// Appends the states of a person in `(from, to)`, and the last one before, in the order of time.
    static func fetch(
        of user: UserNumber, from: Instant, to: Instant, into found: inout [ReportedSafety], in database: Database
    ) throws {
        let before = try RawStatement(
            """
            SELECT at, state, doubt, source, marked_by, sequence FROM safety_history
            WHERE person = ? AND at <= ?
            ORDER BY at DESC, sequence DESC LIMIT 1
            """, in: database)
        before.bind(1, Int64(user.rawValue))
        before.bind(2, from.milliseconds)
        if try before.step() { found.append(try reported(before, of: user)) }
        before.reset()
        let within = try RawStatement(
            """
            SELECT at, state, doubt, source, marked_by, sequence FROM safety_history
            WHERE person = ? AND at > ? AND at < ?
            ORDER BY at, sequence
            """, in: database)
        within.bind(1, Int64(user.rawValue))
        within.bind(2, from.milliseconds)
        within.bind(3, to.milliseconds)
        defer { within.reset() }
        while try within.step() { found.append(try reported(within, of: user)) }
    }

    private static func reported(_ row: RawStatement, of user: UserNumber) throws -> ReportedSafety {
        guard let number = UInt8(exactly: row.integer(1)), let state = Safety.State(rawValue: number) else {
            throw CodecError.malformed(offset: 0)
        }
        let doubt = row.isNull(2) ? nil : UInt8(exactly: row.integer(2)).flatMap { Doubt(rawValue: $0) }
        let marker = row.isNull(4) ? nil : Int32(exactly: row.integer(4)).map { UserNumber($0) }
        let source =
            row.isNull(3)
            ? nil
            : UInt8(exactly: row.integer(3))
                .flatMap { SafetySourceCode(number: $0, markedBy: marker).source }
        return ReportedSafety(
            user: user, at: Instant(milliseconds: row.integer(0)), sequence: LogSequence(row.integer(5)), state: state,
            source: source, doubt: doubt)
    }

    /// Deletes at most `limit` states before `horizon`, each of which a later one of the person before `horizon` has
    /// replaced; returns how many it deleted.
    static func delete(before horizon: Instant, limit: Int, in database: Database) throws -> Int {
        try database.cachedStatement(
            sql: """
                DELETE FROM safety_history WHERE (person, at, sequence) IN (
                    SELECT person, at, sequence FROM safety_history AS old WHERE at < ?1 AND EXISTS (
                        SELECT 1 FROM safety_history AS new
                        WHERE new.person = old.person AND new.at < ?1
                            AND (new.at, new.sequence) > (old.at, old.sequence))
                    LIMIT ?2)
                """
        ).execute(arguments: [horizon.milliseconds, limit])
        return database.changesCount
    }
}
