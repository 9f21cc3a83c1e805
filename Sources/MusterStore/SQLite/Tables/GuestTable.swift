package import GRDB
package import MusterCore

/// The rows of guests. Their datasets are stored in the tables of users' datasets, under numbers below 0.
///
/// No number is used twice, because an address in a stream's delivery refers to a guest's records by it for a week.
package enum GuestTable {
    package static let schema = """
        -- high, low: the identity. team: the pool, 0 for the users without a team. user: whom it was merged into.
        CREATE TABLE guests (
            number INTEGER PRIMARY KEY AUTOINCREMENT, high INTEGER NOT NULL, low INTEGER NOT NULL,
            team INTEGER NOT NULL, used_at INTEGER NOT NULL, bytes INTEGER NOT NULL, user INTEGER);
        CREATE UNIQUE INDEX guests_by_id ON guests (high, low);
        CREATE INDEX guests_by_use ON guests (team, used_at);
        -- The number and the size of each pool's guests.
        CREATE TABLE guest_pools (
            team INTEGER PRIMARY KEY, guests INTEGER NOT NULL, bytes INTEGER NOT NULL);

        """

    private static let columns = "number, high, low, used_at, bytes, user"

    package static func guest(_ id: GuestID, in database: Database) throws -> Guest? {
        try Row.fetchOne(
            database.cachedStatement(sql: "SELECT \(columns) FROM guests WHERE high = ? AND low = ?"),
            arguments: [Int64(bitPattern: id.high), Int64(bitPattern: id.low)]
        ).map { Guest($0) }
    }

    package static func usage(ofPool team: TeamNumber?, in database: Database) throws -> GuestUsage {
        let row = try Row.fetchOne(
            database.cachedStatement(sql: "SELECT guests, bytes FROM guest_pools WHERE team = ?"),
            arguments: [team?.rawValue ?? 0])
        return row.map { GuestUsage(guests: $0["guests"], bytes: $0["bytes"]) } ?? GuestUsage()
    }

    package static func holdsAny(in database: Database) throws -> Bool {
        try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM guests)") ?? false
    }

    package static func make(_ id: GuestID, at moment: Instant, in database: Database) throws -> Guest {
        try database.execute(
            sql: "INSERT INTO guests (high, low, team, used_at, bytes) VALUES (?, ?, ?, ?, 0)",
            arguments: [
                Int64(bitPattern: id.high), Int64(bitPattern: id.low), id.pool?.rawValue ?? 0, moment.milliseconds,
            ])
        guard let number = Int32(exactly: database.lastInsertedRowID) else {
            throw StoreError.unavailable(reason: "there are too many guests")
        }
        try count(1, 0, in: id.pool, database)
        return Guest(id: id, number: UserNumber(-number), usedAt: moment)
    }

    package static func put(_ guest: Guest, in database: Database) throws {
        let before =
            try Int.fetchOne(
                database, sql: "SELECT bytes FROM guests WHERE number = ?", arguments: [-guest.number.rawValue]) ?? 0
        try database.cachedStatement(sql: "UPDATE guests SET used_at = ?, bytes = ?, user = ? WHERE number = ?")
            .execute(arguments: [
                guest.usedAt.milliseconds, guest.bytes, guest.user?.rawValue, -guest.number.rawValue,
            ])
        if before != guest.bytes { try count(0, guest.bytes - before, in: guest.id.pool, database) }
    }

    package static func removeDatasets(of guest: Guest, isWhole: Bool, in database: Database) throws {
        try DatasetTable.remove(of: guest.number, in: database)
        _ = try DatasetTable.removeRecords(of: guest.number, limit: .max, in: database)
        var guest = guest
        guest.bytes = 0
        try put(guest, in: database)
        guard isWhole else { return }
        try database.execute(sql: "DELETE FROM guests WHERE number = ?", arguments: [-guest.number.rawValue])
        try count(-1, 0, in: guest.id.pool, database)
    }

    package static func guests(
        ofPool team: TeamNumber?, idleSince moment: Instant, limit: Int, in database: Database
    ) throws -> [Guest] {
        try Row.fetchAll(
            database,
            sql: "SELECT \(columns) FROM guests WHERE team = ? AND used_at < ? ORDER BY used_at LIMIT ?",
            arguments: [team?.rawValue ?? 0, moment.milliseconds, limit]
        ).map { Guest($0) }
    }

    /// Returns guests of a pool from a number downwards.
    package static func guests(
        ofPool team: TeamNumber?, from number: UserNumber, limit: Int, in database: Database
    ) throws -> [Guest] {
        try Row.fetchAll(
            database,
            sql: "SELECT \(columns) FROM guests WHERE team = ? AND number >= ? ORDER BY number LIMIT ?",
            arguments: [team?.rawValue ?? 0, -Int(number.rawValue), limit]
        ).map { Guest($0) }
    }

    /// Returns guests of a pool who are merged into no user, from a number downwards.
    package static func openGuests(
        ofPool team: TeamNumber?, from number: UserNumber, limit: Int, in database: Database
    ) throws -> [Guest] {
        try Row.fetchAll(
            database,
            sql: """
                SELECT \(columns) FROM guests WHERE team = ? AND number >= ? AND user IS NULL ORDER BY number LIMIT ?
                """,
            arguments: [team?.rawValue ?? 0, -Int(number.rawValue), limit]
        ).map { Guest($0) }
    }

    package static func pools(in database: Database) throws -> [TeamNumber?] {
        try Int32.fetchAll(database, sql: "SELECT team FROM guest_pools ORDER BY team").map {
            $0 == 0 ? nil : TeamNumber($0)
        }
    }

    private static func count(_ guests: Int, _ bytes: Int, in team: TeamNumber?, _ database: Database) throws {
        try database.execute(
            sql: """
                INSERT INTO guest_pools (team, guests, bytes) VALUES (?, ?, ?)
                ON CONFLICT (team) DO UPDATE SET guests = guests + excluded.guests, bytes = bytes + excluded.bytes
                """, arguments: [team?.rawValue ?? 0, guests, bytes])
        try database.execute(sql: "DELETE FROM guest_pools WHERE guests = 0")
    }
}

extension Guest {
    fileprivate init(_ row: Row) {
        let number: Int32 = row["number"]
        let (high, low): (Int64, Int64) = (row["high"], row["low"])
        let user: Int32? = row["user"]
        self.init(
            id: GuestID(high: UInt64(bitPattern: high), low: UInt64(bitPattern: low)), number: UserNumber(-number),
            usedAt: Instant(milliseconds: row["used_at"]), bytes: row["bytes"], user: user.map { UserNumber($0) })
    }
}

extension SQLiteTransaction {
    func guest(_ id: GuestID) throws -> Guest? { try run { try GuestTable.guest(id, in: database) } }

    func guestUsage(ofPool team: TeamNumber?) throws -> GuestUsage {
        try run { try GuestTable.usage(ofPool: team, in: database) }
    }

    func makeGuest(_ id: GuestID, at moment: Instant) throws -> Guest {
        try run { try GuestTable.make(id, at: moment, in: database) }
    }

    func put(_ guest: Guest) throws { try run { try GuestTable.put(guest, in: database) } }

    func removeDatasets(of guest: Guest, isWhole: Bool) throws {
        try run { try GuestTable.removeDatasets(of: guest, isWhole: isWhole, in: database) }
    }

    func guests(ofPool team: TeamNumber?, idleSince moment: Instant, limit: Int) throws -> [Guest] {
        try run { try GuestTable.guests(ofPool: team, idleSince: moment, limit: limit, in: database) }
    }

    func poolsWithGuests() throws -> [TeamNumber?] { try run { try GuestTable.pools(in: database) } }
}

extension SQLiteStore {
    package func guest(_ id: GuestID) throws -> Guest? { try onReader { try GuestTable.guest(id, in: $0) } }

    package func guestUsage(ofPool team: TeamNumber?) throws -> GuestUsage {
        try onReader { try GuestTable.usage(ofPool: team, in: $0) }
    }

    package func guests(ofPool team: TeamNumber?, from number: UserNumber, limit: Int) throws -> [Guest] {
        try onReader { try GuestTable.openGuests(ofPool: team, from: number, limit: limit, in: $0) }
    }

    package var hasGuests: Bool { get throws { try onReader { try GuestTable.holdsAny(in: $0) } } }
}
