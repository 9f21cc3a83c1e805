package import MusterCore

/// A guest who has stored something, or was merged into a user.
package struct Guest: Hashable, Sendable {
    package var id: GuestID
    /// The number under which the guest's datasets are stored. It is below 0, so that no user has it.
    package var number: UserNumber
    /// When the guest last got credentials or stored something; to the day.
    package var usedAt: Instant
    /// The size of its datasets, as `GuestLimits.weight(of:)` counts them.
    package var bytes: Int
    /// The user into whom the guest was merged; nil while the identity can be used.
    package var user: UserNumber?

    package init(id: GuestID, number: UserNumber, usedAt: Instant, bytes: Int = 0, user: UserNumber? = nil) {
        self.id = id
        self.number = number
        self.usedAt = usedAt
        self.bytes = bytes
        self.user = user
    }
}

/// The totals of the guests of a pool.
package struct GuestUsage: Hashable, Sendable {
    /// The number of guests.
    package var guests: Int
    /// The size of their datasets, as `GuestLimits.weight(of:)` counts them.
    package var bytes: Int64

    package init(guests: Int = 0, bytes: Int64 = 0) {
        self.guests = guests
        self.bytes = bytes
    }
}

/// The guests of identity pools.
package protocol GuestStore {
    /// Returns the guest with this identity; nil if the guest has stored nothing.
    func guest(_ id: GuestID) throws -> Guest?
    /// Returns the totals of a pool's guests; nil for the team stands for the users without a team.
    func guestUsage(ofPool team: TeamNumber?) throws -> GuestUsage
    /// Returns guests of a pool whose identities can be used, in the order of their numbers, from -1 downwards, at most
    /// `limit`.
    ///
    /// - Parameter number: the guest to begin with; the next one if that guest no longer exists.
    func guests(ofPool team: TeamNumber?, from number: UserNumber, limit: Int) throws -> [Guest]
    /// Whether there is any guest.
    var hasGuests: Bool { get throws }
}

/// The operations of a transaction on guests.
package protocol GuestTransaction {
    /// Returns the guest with this identity, as this transaction sees it; nil if the guest has stored nothing.
    func guest(_ id: GuestID) throws -> Guest?
    /// Returns the totals of a pool's guests, as this transaction sees them.
    func guestUsage(ofPool team: TeamNumber?) throws -> GuestUsage
    /// Stores a guest who has stored nothing before, and gives it a number.
    func makeGuest(_ id: GuestID, at moment: Instant) throws -> Guest
    /// Stores a guest's state.
    func put(_ guest: Guest) throws
    /// Removes the datasets of a guest, and the guest itself if `isWhole`.
    func removeDatasets(of guest: Guest, isWhole: Bool) throws
    /// Returns guests of a pool who were last seen before a moment, the longest absent first, at most `limit`.
    func guests(ofPool team: TeamNumber?, idleSince moment: Instant, limit: Int) throws -> [Guest]
    /// Returns the pools that have guests; nil stands for the pool of users without a team.
    func poolsWithGuests() throws -> [TeamNumber?]
}
