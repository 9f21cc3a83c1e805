import MusterCore
import MusterHTTP
import Synchronization

/// Remembers, in memory, which users authenticated from which addresses lately. Their passwords are hashed first.
///
/// Bounded: when there are too many entries, the oldest half is dropped.
final class RecentSignIns: Sendable {
    private struct Place: Hashable {
        /// The user; nil for any user.
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

    /// Records that a user authenticated from an address.
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

    /// Whether this user (any user where nil) authenticated from an address lately.
    func knows(_ user: UserNumber?, from address: String, at now: Instant) -> Bool {
        let place = Place(user: user, prefix: AddressPrefix.of(address))
        guard let last = places.withLock({ $0[place] }) else { return false }
        return now.seconds(since: last) < lifetimeSeconds
    }
}
