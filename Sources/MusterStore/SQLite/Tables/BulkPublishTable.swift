package import GRDB
package import MusterCore

/// The rows of bulk publishes: the last of each pool.
package enum BulkPublishTable {
    package static let schema = """
        -- team: 0 for the users without a team. state: BulkPublish.State. owner, dataset: what was sent last.
        CREATE TABLE bulk_publishes (
            team INTEGER PRIMARY KEY, stream TEXT NOT NULL, state INTEGER NOT NULL, started_at INTEGER NOT NULL,
            ended_at INTEGER, failure TEXT, owner INTEGER NOT NULL, dataset TEXT NOT NULL);

        """

    package static func last(ofPool team: TeamNumber?, in database: Database) throws -> BulkPublish? {
        try Row.fetchOne(
            database, sql: "SELECT * FROM bulk_publishes WHERE team = ?", arguments: [team?.rawValue ?? 0]
        ).map { BulkPublish($0) }
    }

    package static func underWay(in database: Database) throws -> [BulkPublish] {
        try Row.fetchAll(
            database, sql: "SELECT * FROM bulk_publishes WHERE state = ? ORDER BY team",
            arguments: [BulkPublish.State.underWay.rawValue]
        ).map { BulkPublish($0) }
    }

    package static func put(_ publish: BulkPublish, in database: Database) throws {
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO bulk_publishes
                    (team, stream, state, started_at, ended_at, failure, owner, dataset)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                publish.pool?.rawValue ?? 0, publish.stream, publish.state.rawValue, publish.startedAt.milliseconds,
                publish.endedAt?.milliseconds, publish.failure, publish.owner.rawValue, publish.dataset,
            ])
    }
}

extension BulkPublish {
    fileprivate init(_ row: Row) {
        let team: Int32 = row["team"]
        self.init(
            of: team == 0 ? nil : TeamNumber(team), to: row["stream"],
            at: Instant(milliseconds: row["started_at"]))
        let ended: Int64? = row["ended_at"]
        state = State(rawValue: row["state"]) ?? .failed
        endedAt = ended.map { Instant(milliseconds: $0) }
        failure = row["failure"]
        owner = UserNumber(row["owner"])
        dataset = row["dataset"]
    }
}

extension SQLiteTransaction {
    func lastBulkPublish(ofPool team: TeamNumber?) throws -> BulkPublish? {
        try run { try BulkPublishTable.last(ofPool: team, in: database) }
    }

    func put(_ publish: BulkPublish) throws { try run { try BulkPublishTable.put(publish, in: database) } }

    func guests(ofPool team: TeamNumber?, from number: UserNumber, limit: Int) throws -> [Guest] {
        try run { try GuestTable.guests(ofPool: team, from: number, limit: limit, in: database) }
    }
}

extension SQLiteStore {
    package func bulkPublish(ofPool team: TeamNumber?) throws -> BulkPublish? {
        try onReader { try BulkPublishTable.last(ofPool: team, in: $0) }
    }

    package func bulkPublishesUnderWay() throws -> [BulkPublish] {
        try onReader { try BulkPublishTable.underWay(in: $0) }
    }
}
