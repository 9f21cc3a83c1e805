package import GRDB
package import MusterCore
import MusterDocuments

/// The rows of the reports that the server could not read.
package enum RefusedReportTable {
    package static let schema = """
        -- device: 0 where it is unknown. bytes: the length of the whole report; body: its beginning.
        CREATE TABLE refused_reports (
            number INTEGER PRIMARY KEY, received_at INTEGER NOT NULL, user INTEGER NOT NULL, device INTEGER NOT NULL,
            topic TEXT NOT NULL, reason TEXT NOT NULL, bytes INTEGER NOT NULL, body BLOB NOT NULL);
        CREATE INDEX refused_reports_of_user ON refused_reports (user, number);

        """

    package static func insert(_ report: RefusedReport, in database: Database) throws {
        try database.execute(
            sql: """
                INSERT INTO refused_reports (received_at, user, device, topic, reason, bytes, body)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                report.receivedAt.milliseconds, report.user.rawValue, report.device?.rawValue ?? 0, report.topic,
                report.reason, report.byteCount, Blob(report.body),
            ])
        try database.execute(
            sql: """
                DELETE FROM refused_reports WHERE user = ?1 AND number <=
                    (SELECT number FROM refused_reports WHERE user = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)
                """, arguments: [report.user.rawValue, RefusedReport.limitOfUser])
        // The newest report is always kept: one body is smaller than the limit of all.
        try database.execute(
            sql: """
                DELETE FROM refused_reports WHERE number <= (
                    SELECT max(number) FROM (
                        SELECT number, row_number() OVER newest AS place, sum(length(body)) OVER newest AS total
                        FROM refused_reports WINDOW newest AS (ORDER BY number DESC)
                    ) WHERE place > ?1 OR total > ?2)
                """, arguments: [RefusedReport.limit, RefusedReport.limitBytes])
    }

    package static func reports(
        of user: UserNumber?, before number: Int64?, limit: Int, in database: Database
    ) throws -> [RefusedReport] {
        let condition = user == nil ? "" : "user = ?3 AND "
        var arguments: StatementArguments = [number ?? .max, max(0, limit)]
        if let user { arguments += [user.rawValue] }
        return try Row.fetchAll(
            database,
            sql: "SELECT * FROM refused_reports WHERE \(condition)number < ?1 ORDER BY number DESC LIMIT ?2",
            arguments: arguments
        ).map { RefusedReport($0) }
    }

    package static func report(_ number: Int64, in database: Database) throws -> RefusedReport? {
        try Row.fetchOne(database, sql: "SELECT * FROM refused_reports WHERE number = ?", arguments: [number])
            .map { RefusedReport($0) }
    }

    /// Deletes reports that were received before a time. There are at most `RefusedReport.limit`.
    package static func delete(before horizon: Instant, in database: Database) throws -> Int {
        try database.execute(
            sql: "DELETE FROM refused_reports WHERE received_at < ?", arguments: [horizon.milliseconds])
        return database.changesCount
    }

    package static func delete(of user: UserNumber, in database: Database) throws {
        try database.execute(sql: "DELETE FROM refused_reports WHERE user = ?", arguments: [user.rawValue])
    }

    package static func delete(of device: DeviceNumber, in database: Database) throws {
        try database.execute(sql: "DELETE FROM refused_reports WHERE device = ?", arguments: [device.rawValue])
    }
}

extension RefusedReport {
    fileprivate init(_ row: Row) {
        let device: Int32 = row["device"]
        let body: Blob = row["body"]
        self.init(
            receivedAt: Instant(milliseconds: row["received_at"]), user: UserNumber(row["user"]),
            device: device == 0 ? nil : DeviceNumber(device), topic: row["topic"], reason: row["reason"],
            body: body.bytes)
        number = row["number"]
        byteCount = row["bytes"]
    }
}

extension SQLiteTransaction {
    func put(_ report: RefusedReport) throws { try run { try RefusedReportTable.insert(report, in: database) } }
}

extension SQLiteStore {
    package func refusedReports(
        of user: UserNumber?, before number: Int64?, limit: Int
    ) throws -> [RefusedReport] {
        try onReader { try RefusedReportTable.reports(of: user, before: number, limit: limit, in: $0) }
    }

    package func refusedReport(_ number: Int64) throws -> RefusedReport? {
        try onReader { try RefusedReportTable.report(number, in: $0) }
    }
}
