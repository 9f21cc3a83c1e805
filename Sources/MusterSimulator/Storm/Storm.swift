package import MusterCore
import MusterGeometry

/// Forty minutes at a small site in which everything goes wrong at once, from a seed. People walk, evacuate and stand
/// still. Their phones err, lie, repeat themselves, upload late, have wrong clocks and die. Meanwhile leaders start,
/// close and reopen incidents, and admins edit the site.
///
/// The same seed yields the same steps.
package struct Storm: Sendable {
    /// The seed of all random numbers.
    package let seed: UInt64
    /// The edits that fill the directory before the first step.
    package let founding: [Edit]
    /// The steps, in the order of time.
    package let moments: [StormMoment]
    /// By how many seconds each device's clock is ahead.
    package let clockErrors: [DeviceNumber: Double]

    /// When the storm begins.
    package static let start = Instant(milliseconds: 1_795_000_000_000)
    /// How long the storm lasts.
    package static let durationSeconds: Double = 2400
    /// The time between two sweeps of the server.
    package static let sweepSeconds: Double = 10
    /// The users with a phone. The device of each has the same number as the user.
    package static let users = (1...6).map { UserNumber(Int32($0)) }
    /// The teams and their leaders; the leader is the first of the members.
    package static let teams: [(team: TeamNumber, leader: UserNumber)] = [
        (TeamNumber(1), UserNumber(1)), (TeamNumber(2), UserNumber(5)),
    ]
    /// The second device of the second user: a tablet that is left behind.
    package static let tablet = DeviceNumber(7)

    package init(seed: UInt64) {
        self.seed = seed
        var chance = SeededRandom(seed: seed, stream: 0, purpose: 11)
        let site = StormSite(seed: seed, &chance)
        founding = site.founding(&chance)
        var phones = StormPhones(site, seed: seed, &chance)
        clockErrors = phones.clockErrors
        var orders = StormOrders(site, &chance)
        var moments = phones.moments(&chance) + orders.moments(&chance)
        for second in stride(from: Self.sweepSeconds, through: Self.durationSeconds, by: Self.sweepSeconds) {
            moments.append(StormMoment(at: Self.start.advanced(bySeconds: second), step: .sweep))
        }
        self.moments = moments.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
            .map(\.element)
    }
}
