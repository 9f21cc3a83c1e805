import GRDB
import MusterCore
import MusterDocuments

/// The table `deliveries`, a transactional outbox: events on their way to targets, stored in the transaction of the
/// changes that they report, until each arrives or becomes a dead letter (`DeadLetterTable`). Its functions run in the
/// caller's transaction.
enum DeliveryTable {
    /// Adds an index of each target's deliveries, and the number up to which deliveries to a target that is run by hand
    /// were released.
    static let ofTargets = """
        ALTER TABLE targets ADD COLUMN released_through INTEGER;
        CREATE INDEX deliveries_of_target ON deliveries (target, number);

        """

    static func insert(_ delivery: Delivery, in database: Database) throws {
        let statement = try RawStatement(
            """
            INSERT INTO deliveries (
                number, target, subject, rule, event, content_type, created_at, attempts, next_attempt_at, last_error,
                body)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, in: database)
        try bind(delivery, to: statement)
    }

    /// Binds the columns that `deliveries` and `dead_letters` share, the body as the eleventh, and runs the statement.
    static func bind(_ delivery: Delivery, to statement: RawStatement) throws {
        let content = delivery.content
        statement.bind(1, delivery.number.rawValue)
        statement.bind(2, Int64(content.target.rawValue))
        statement.bind(3, Int64(content.subject.code))
        statement.bind(4, content.rule)
        statement.bind(5, content.event)
        statement.bind(6, content.contentType)
        statement.bind(7, content.createdAt.milliseconds)
        statement.bind(8, Int64(delivery.attempts))
        statement.bind(9, delivery.nextAttemptAt.milliseconds)
        statement.bind(10, delivery.lastError)
        try statement.binding(11, content.body[...]) { try statement.run() }
    }

    /// Deletes a waiting delivery.
    ///
    /// - Returns: its target; nil if there was no such delivery.
    static func delete(_ number: DeliveryNumber, in database: Database) throws -> TargetNumber? {
        let statement = try RawStatement("DELETE FROM deliveries WHERE number = ? RETURNING target", in: database)
        statement.bind(1, number.rawValue)
        guard try statement.step() else { return nil }
        let target = TargetNumber(Int32(truncatingIfNeeded: statement.integer(0)))
        try statement.run()
        return target
    }

    static func postpone(
        _ number: DeliveryNumber, until next: Instant, attempts: Int, error: String, in database: Database
    ) throws {
        let statement = try RawStatement(
            "UPDATE deliveries SET attempts = ?, next_attempt_at = ?, last_error = ? WHERE number = ?", in: database)
        statement.bind(1, Int64(attempts))
        statement.bind(2, next.milliseconds)
        statement.bind(3, error)
        statement.bind(4, number.rawValue)
        try statement.run()
    }

    static func pending(
        after number: DeliveryNumber, limit: Int, in database: Database
    ) throws -> [PendingDelivery] {
        let statement = try RawStatement(
            """
            SELECT number, target, subject, created_at, attempts, next_attempt_at FROM deliveries
            WHERE number > ? ORDER BY number LIMIT ?
            """, in: database)
        statement.bind(1, number.rawValue)
        statement.bind(2, Int64(limit))
        defer { statement.reset() }
        var pending: [PendingDelivery] = []
        while try statement.step() {
            pending.append(
                PendingDelivery(
                    number: DeliveryNumber(statement.integer(0)),
                    target: TargetNumber(Int32(truncatingIfNeeded: statement.integer(1))),
                    subject: DeliverySubject(code: Int32(truncatingIfNeeded: statement.integer(2))),
                    createdAt: Instant(milliseconds: statement.integer(3)),
                    attempts: Int32(clamping: statement.integer(4)),
                    nextAttemptAt: Instant(milliseconds: statement.integer(5))))
        }
        return pending
    }

    /// Returns deliveries of a target after a number, without their bodies. Complexity: O(`DeliveryLimits.lookLimit`).
    static func waiting(
        of target: TargetNumber, matching filter: WaitingFilter, after number: DeliveryNumber, limit: Int,
        in database: Database
    ) throws -> WaitingPage {
        let statement = try RawStatement(
            "SELECT \(columns) FROM deliveries WHERE target = ? AND number > ? ORDER BY number LIMIT ?", in: database)
        statement.bind(1, Int64(target.rawValue))
        statement.bind(2, number.rawValue)
        // One more than is looked at shows that there are more.
        statement.bind(3, Int64(DeliveryLimits.lookLimit + 1))
        defer { statement.reset() }
        var page = WaitingPage()
        var looked = 0
        var last = number
        while try statement.step() {
            if page.items.count == limit || looked == DeliveryLimits.lookLimit {
                page.end = last
                break
            }
            let found = try delivery(statement, body: [])
            looked += 1
            last = found.number
            if filter.admits(found) { page.items.append(found) }
        }
        return page
    }

    static func delivery(_ number: DeliveryNumber, in database: Database) throws -> Delivery? {
        let statement = try RawStatement("SELECT \(columns), body FROM deliveries WHERE number = ?", in: database)
        statement.bind(1, number.rawValue)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        return try delivery(statement, body: statement.withBlob(10) { Array($0) })
    }

    /// Counts the waiting deliveries of each target, of all subjects or of one. Complexity: O(deliveries counted).
    static func counts(about subject: DeliverySubject? = nil, in database: Database) throws -> [TargetNumber: Int] {
        let condition = subject.map { "WHERE subject = \($0.code) " } ?? ""
        let rows = try Row.fetchAll(
            database, sql: "SELECT target, count(*) AS count FROM deliveries \(condition)GROUP BY target")
        return Dictionary(uniqueKeysWithValues: try rows.map { (try $0.number("target"), try $0.value("count")) })
    }

    /// Counts the waiting deliveries of a target up to a number. Complexity: O(deliveries counted).
    static func count(
        of target: TargetNumber, through number: DeliveryNumber, in database: Database
    ) throws -> Int {
        try Int.fetchOne(
            database, sql: "SELECT count(*) FROM deliveries WHERE target = ? AND number <= ?",
            arguments: [target.rawValue, number.rawValue]) ?? 0
    }

    /// The columns that `delivery` reads, in this order.
    static let columns =
        "number, target, subject, rule, event, content_type, created_at, attempts, next_attempt_at, last_error"

    /// Reads the delivery of a row that begins with `columns`.
    static func delivery(_ row: RawStatement, body: [UInt8]) throws -> Delivery {
        guard let rule = row.text(3), let event = row.text(4), let contentType = row.text(5) else {
            throw CodecError.malformed(offset: 0)
        }
        let content = NewDelivery(
            target: TargetNumber(Int32(truncatingIfNeeded: row.integer(1))),
            subject: DeliverySubject(code: Int32(truncatingIfNeeded: row.integer(2))), rule: rule, event: event,
            contentType: contentType, body: body, createdAt: Instant(milliseconds: row.integer(6)))
        return Delivery(
            number: DeliveryNumber(row.integer(0)), content: content, attempts: Int(row.integer(7)),
            nextAttemptAt: Instant(milliseconds: row.integer(8)), lastError: row.text(9))
    }
}
