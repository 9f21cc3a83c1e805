import GRDB
import MusterCore
import MusterDocuments

/// The rows of the log: one for each commit, with its changes as `ChangeCodec` encodes them.
enum LogTable {
    static func insert(
        first: Int64, count: Int, committedAt: Instant, changes: [UInt8], in database: Database
    ) throws {
        let statement = try RawStatement(
            "INSERT INTO log (first_sequence, count, committed_at, changes) VALUES (?, ?, ?, ?)", in: database)
        statement.bind(1, first)
        statement.bind(2, Int64(count))
        statement.bind(3, committedAt.milliseconds)
        try statement.binding(4, changes[...]) { try statement.run() }
    }

    /// Returns the newest sequence in the log; nil if the log is empty.
    static func lastSequence(in database: Database) throws -> Int64? {
        try Int64.fetchOne(
            database, sql: "SELECT first_sequence + count - 1 FROM log ORDER BY first_sequence DESC LIMIT 1")
    }

    /// Returns the time of the newest commit in the log; nil if the log is empty.
    static func lastCommit(in database: Database) throws -> Instant? {
        try Int64.fetchOne(database, sql: "SELECT committed_at FROM log ORDER BY first_sequence DESC LIMIT 1")
            .map { Instant(milliseconds: $0) }
    }

    /// Calls `body` with every commit from the one that has `sequence` on, until `body` returns false.
    ///
    /// - Parameter body: gets the commit's first sequence, the number of its changes, its time, and its bytes, which
    ///   are valid during the call.
    static func forEachCommit(
        from sequence: Int64, in database: Database,
        _ body: (_ first: Int64, _ count: Int, _ committedAt: Instant, _ changes: UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        let statement = try RawStatement(
            """
            SELECT first_sequence, count, committed_at, changes FROM log
            WHERE first_sequence >= coalesce((SELECT max(first_sequence) FROM log WHERE first_sequence <= ?), 0)
            ORDER BY first_sequence
            """, in: database)
        defer { statement.reset() }
        statement.bind(1, sequence)
        while try statement.step() {
            let (first, count) = (statement.integer(0), statement.integer(1))
            guard first + count > sequence else { continue }
            let wantsMore = try statement.withBlob(3) {
                try body(first, Int(clamping: count), Instant(milliseconds: statement.integer(2)), $0)
            }
            guard wantsMore else { return }
        }
    }

    /// Calls `body` with every commit from the one that has `sequence` (or the last one before it) downwards, until
    /// `body` returns false.
    static func forEachCommit(
        downFrom sequence: Int64, in database: Database,
        _ body: (_ first: Int64, _ changes: UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        let statement = try RawStatement(
            "SELECT first_sequence, changes FROM log WHERE first_sequence <= ? ORDER BY first_sequence DESC",
            in: database)
        defer { statement.reset() }
        statement.bind(1, sequence)
        while try statement.step() {
            let first = statement.integer(0)
            guard try statement.withBlob(1, { try body(first, $0) }) else { return }
        }
    }

    static func replaceChanges(ofCommit first: Int64, by changes: [UInt8], in database: Database) throws {
        let statement = try RawStatement("UPDATE log SET changes = ? WHERE first_sequence = ?", in: database)
        statement.bind(2, first)
        try statement.binding(1, changes[...]) { try statement.run() }
    }

    /// Deletes the oldest commits: at most `limit`, committed before `horizon`, and with no sequence after `mark`.
    ///
    /// - Returns: how many it deleted, and the last sequence deleted; nil if none.
    static func trim(
        before horizon: Instant, through mark: Int64, limit: Int, in database: Database
    ) throws -> (commits: Int, last: Int64)? {
        let statement = try RawStatement(
            "SELECT first_sequence, count, committed_at FROM log ORDER BY first_sequence LIMIT ?", in: database)
        statement.bind(1, Int64(limit))
        var last: Int64?
        while try statement.step() {
            let end = statement.integer(0) + statement.integer(1) - 1
            guard statement.integer(2) < horizon.milliseconds, end <= mark else { break }
            last = end
        }
        statement.reset()
        guard let last else { return nil }
        let deletion = try RawStatement("DELETE FROM log WHERE first_sequence <= ?", in: database)
        deletion.bind(1, last)
        try deletion.run()
        return (database.changesCount, last)
    }
}

/// The stored numbers, by name.
enum Counter: String {
    case user, team, crew, device, tracker, collection, region, rule, target, incident, attendance, proximity
    /// The number of the delivery that was put last.
    case delivery
    /// The history has all positions of the changes up to this one, except those deleted since.
    case merged
    /// The last change of the generation that is being merged; 0 if there is none.
    case mergingThrough
    /// The number of positions of that generation that the history has, in the order of `Stage`; 0 if there is none.
    case mergedOfThese
    /// Every device's record includes all changes up to this one.
    case recorded
    /// 1 while devices wait for the review that an edit caused.
    case reviewing
    /// The log was trimmed up to this change.
    case trimmed
    /// The pushes of every change up to this one were sent, given up or stored.
    case pushed
    /// From when on the history of safety is complete; 0 if it always was.
    case safetyHistory

    func value(in database: Database) throws -> Int64 {
        let statement = try RawStatement("SELECT value FROM counters WHERE name = ?", in: database)
        statement.bind(1, rawValue)
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
    }

    func set(_ value: Int64, in database: Database) throws {
        let statement = try RawStatement(
            """
            INSERT INTO counters (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value
            """, in: database)
        statement.bind(1, rawValue)
        statement.bind(2, value)
        try statement.run()
    }
}

extension LastNumbers {
    private static let counters: [(counter: Counter, kind: any WritableKeyPath<LastNumbers, Int32> & Sendable)] = [
        (.user, \.user), (.team, \.team), (.crew, \.crew), (.device, \.device), (.tracker, \.tracker),
        (.collection, \.collection), (.region, \.region), (.rule, \.rule), (.target, \.target),
        (.incident, \.incident), (.attendance, \.attendance), (.proximity, \.proximity),
    ]

    /// Reads the stored numbers.
    ///
    /// - Throws: `CodecError.malformed` if one is out of range.
    init(from database: Database) throws {
        for (counter, kind) in Self.counters {
            guard let value = Int32(exactly: try counter.value(in: database)) else {
                throw CodecError.malformed(offset: 0)
            }
            self[keyPath: kind] = value
        }
    }

    /// Stores the numbers that differ from `before`.
    func store(in database: Database, insteadOf before: LastNumbers) throws {
        guard self != before else { return }
        for (counter, kind) in Self.counters where self[keyPath: kind] != before[keyPath: kind] {
            try counter.set(Int64(self[keyPath: kind]), in: database)
        }
    }
}
