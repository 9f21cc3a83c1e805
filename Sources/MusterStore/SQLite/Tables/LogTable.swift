import GRDB
import MusterCore
import MusterDocuments

/// The rows of the log: a commit each, its changes as `ChangeCodec` writes them.
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

    /// The newest number in the log; nil when it is empty.
    static func lastSequence(in database: Database) throws -> Int64? {
        try Int64.fetchOne(
            database, sql: "SELECT first_sequence + count - 1 FROM log ORDER BY first_sequence DESC LIMIT 1")
    }

    /// When the newest commit in the log was made; nil when it is empty.
    static func lastCommit(in database: Database) throws -> Instant? {
        try Int64.fetchOne(database, sql: "SELECT committed_at FROM log ORDER BY first_sequence DESC LIMIT 1")
            .map { Instant(milliseconds: $0) }
    }

    /// Calls `body` with every commit from the one that holds `sequence` on, until it says no.
    ///
    /// - Parameter body: the commit's first number, how many changes it has, its time, and its bytes, which are good
    ///   during the call.
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

    /// Calls `body` with every commit from the one that holds `sequence`, or is next before it, downwards, until it
    /// says no.
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

    /// Deletes at most `limit` of the oldest commits, those committed before `horizon` that end no later than `mark`.
    ///
    /// - Returns: how many, and the last number that is gone.
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

/// Numbers that outlive the process, by name.
enum Counter: String {
    case user, team, device, tracker, collection, region, rule, target, incident
    /// The delivery that was put last.
    case delivery
    /// Positions in changes up to this one are in the history, or were when they were merged.
    case merged
    /// Of the changes after `merged` up to this one, sorted as the stage sorts them,
    case mergingThrough
    /// so many positions are in the history already. Both 0 between two generations.
    case mergedOfThese
    /// Devices' records have followed changes up to this one.
    case recorded
    /// 1 while devices wait for what an edit makes of their standings.
    case reviewing
    /// Changes up to this one were forgotten.
    case trimmed

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
        (.user, \.user), (.team, \.team), (.device, \.device), (.tracker, \.tracker), (.collection, \.collection),
        (.region, \.region), (.rule, \.rule), (.target, \.target),
        (.incident, \.incident),
    ]

    /// The numbers as they are stored.
    init(from database: Database) throws {
        for (counter, kind) in Self.counters {
            guard let value = Int32(exactly: try counter.value(in: database)) else {
                throw CodecError.malformed(offset: 0)
            }
            self[keyPath: kind] = value
        }
    }

    /// Stores those that differ from `before`.
    func store(in database: Database, insteadOf before: LastNumbers) throws {
        guard self != before else { return }
        for (counter, kind) in Self.counters where self[keyPath: kind] != before[keyPath: kind] {
            try counter.set(Int64(self[keyPath: kind]), in: database)
        }
    }
}
