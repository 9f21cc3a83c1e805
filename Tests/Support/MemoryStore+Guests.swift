import GRDB
package import MusterCore
package import MusterStore

/// Guests are kept in tables as `SQLiteStore` has them, of a database in memory.
extension MemoryStore {
    package func guest(_ id: GuestID) throws -> Guest? {
        try tables.unsafeReentrantRead { try GuestTable.guest(id, in: $0) }
    }

    package func guestUsage(ofPool team: TeamNumber?) throws -> GuestUsage {
        try tables.unsafeReentrantRead { try GuestTable.usage(ofPool: team, in: $0) }
    }

    package func guests(ofPool team: TeamNumber?, from number: UserNumber, limit: Int) throws -> [Guest] {
        try tables.unsafeReentrantRead { try GuestTable.openGuests(ofPool: team, from: number, limit: limit, in: $0) }
    }

    package var hasGuests: Bool { get throws { try tables.unsafeReentrantRead { try GuestTable.holdsAny(in: $0) } } }
}

extension MemoryTransaction {
    func guest(_ id: GuestID) throws -> Guest? { try GuestTable.guest(id, in: database) }

    func guestUsage(ofPool team: TeamNumber?) throws -> GuestUsage { try GuestTable.usage(ofPool: team, in: database) }

    func makeGuest(_ id: GuestID, at moment: Instant) throws -> Guest {
        try GuestTable.make(id, at: moment, in: database)
    }

    func put(_ guest: Guest) throws { try GuestTable.put(guest, in: database) }

    func removeDatasets(of guest: Guest, isWhole: Bool) throws {
        try GuestTable.removeDatasets(of: guest, isWhole: isWhole, in: database)
    }

    func guests(ofPool team: TeamNumber?, idleSince moment: Instant, limit: Int) throws -> [Guest] {
        try GuestTable.guests(ofPool: team, idleSince: moment, limit: limit, in: database)
    }

    func poolsWithGuests() throws -> [TeamNumber?] { try GuestTable.pools(in: database) }
}
