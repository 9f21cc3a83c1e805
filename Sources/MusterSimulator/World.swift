package import MusterCore
import MusterGeometry

/// A small simulated world of people with phones. The same seed and calls yield the same world, in however many steps
/// its time is advanced.
///
/// The world knows everyone's true position, so that a test can compare a server's results with the truth.
package struct World: Sendable {
    /// The maximum number of people.
    package static let mostPeople = 100_000
    /// The maximum number of places.
    package static let mostPlaces = 100_000

    /// The people of the world. A delivery refers to a person by index.
    package let people: [Person]
    /// The places where they go.
    package let places: [Place]
    /// The moment that the world has reached.
    package private(set) var now: Instant
    /// The moment of the order to evacuate, past or to come; nil without such an order.
    package private(set) var evacuatedAt: Instant?

    let surroundings: Surroundings
    private(set) var travellers: [Traveller]

    /// Creates a world at its first moment, with everyone at home or at work.
    ///
    /// - Parameters:
    ///   - seed: The seed of all random numbers.
    ///   - start: When the simulation begins.
    ///   - people: The people of the world, at most `mostPeople`.
    ///   - places: The places where they go: at least one, at most `mostPlaces`; the first within 85° of the equator
    ///     and the others within some 100 km of it. When a kind is missing, nobody goes to that kind.
    ///   - noise: The noise of their fixes.
    ///   - reporting: How their phones report.
    ///   - pace: How many times faster than in life everyone moves and tires, 0.1 to 100.
    package init(
        seed: UInt64, start: Instant, people: [Person], places: [Place], noise: Noise = Noise(),
        reporting: Reporting = Reporting(), pace: Double = 1
    ) {
        precondition(people.count <= World.mostPeople, "too many people")
        precondition(!places.isEmpty && places.count <= World.mostPlaces, "too few or too many places")
        precondition((0.1...100).contains(pace), "a pace of 0.1 to 100")
        let plane = LocalPlane(origin: places[0].coordinate)
        let surroundings = Surroundings(
            seed: seed, start: start, noise: noise, reporting: reporting, pace: pace, plane: plane,
            gazetteer: Gazetteer(places, on: plane))
        self.people = people
        self.places = places
        self.surroundings = surroundings
        now = start
        travellers = people.enumerated().map { Traveller(index: $0, person: $1, world: surroundings) }
    }

    /// When the simulation began.
    package var start: Instant { surroundings.start }

    /// Advances the time and returns the deliveries that arrived meanwhile, in order of arrival. Does nothing when the
    /// given time is past.
    package mutating func advance(to time: Instant) -> [Delivery] {
        guard time > now else { return [] }
        var arrived: [Delivery] = []
        for index in travellers.indices { arrived += travellers[index].advance(to: time, in: surroundings) }
        now = time
        return arrived.enumerated().sorted { left, right in
            let (earlier, later) = (left.element.deliveredAt, right.element.deliveredAt)
            return earlier == later ? left.offset < right.offset : earlier < later
        }.map(\.element)
    }

    /// Tells everyone to go to the nearest muster point at that moment, or now when it is past. Only the first call
    /// counts. Each person's response decides when they set out.
    package mutating func evacuate(at time: Instant) {
        guard evacuatedAt == nil else { return }
        let moment = max(time, now)
        evacuatedAt = moment
        let seconds = moment.seconds(since: start)
        for index in travellers.indices { travellers[index].evacuate(atSeconds: seconds, in: surroundings) }
    }
}

/// The parts of a world that are the same for everyone and never change.
struct Surroundings: Sendable {
    let seed: UInt64
    let start: Instant
    let noise: Noise
    let reporting: Reporting
    let pace: Double
    let plane: LocalPlane
    let gazetteer: Gazetteer
}
