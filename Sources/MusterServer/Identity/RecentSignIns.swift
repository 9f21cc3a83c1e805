import MusterCore
import Synchronization

/// Who proved a password or a session from where of late, in memory alone: they go first where passwords are hashed.
///
/// Bounded: the oldest half is forgotten when there are too many.
final class RecentSignIns: Sendable {
    private struct Place: Hashable {
        /// nil for anybody.
        var user: UserNumber?
        var prefix: String
    }

    private let places = Mutex<[Place: Instant]>([:])
    private let capacity: Int
    private let lifetimeSeconds: Double

    init(capacity: Int = 20_000, lifetimeSeconds: Double = 30 * 86_400) {
        self.capacity = capacity
        self.lifetimeSeconds = lifetimeSeconds
    }

    /// Notes that a user proved who it is.
    func record(_ user: UserNumber, from address: String, at now: Instant) {
        let prefix = AddressPrefix.of(address)
        places.withLock { places in
            places[Place(user: user, prefix: prefix)] = now
            places[Place(user: nil, prefix: prefix)] = now
            guard places.count > capacity else { return }
            let middle = places.values.sorted()[places.count / 2]
            places = places.filter { $0.value > middle }
        }
    }

    /// Whether this user (nil: anybody) proved who it is from an address of late.
    func knows(_ user: UserNumber?, from address: String, at now: Instant) -> Bool {
        let place = Place(user: user, prefix: AddressPrefix.of(address))
        guard let last = places.withLock({ $0[place] }) else { return false }
        return now.seconds(since: last) < lifetimeSeconds
    }
}
