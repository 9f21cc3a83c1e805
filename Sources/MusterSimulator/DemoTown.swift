package import MusterCore
package import MusterGeometry

/// A fictional small harbour town on a real coast, with people who live in it, for the demo.
///
/// The sea is north of it. The people are evacuated from leaking fuel at the harbour.
package struct DemoTown: Sendable {
    /// An area that the demo sends to the server as a region.
    package struct Site: Hashable, Sendable {
        /// The id, unique in the town.
        package var id: String
        /// The name that people see.
        package var name: String
        /// The area.
        package var shape: Shape
        /// Whether it is a muster region.
        package var isMuster: Bool
    }

    /// The town's name.
    package static let name = "Puerto Sereno"
    /// The town's centre.
    package static let centre = Coordinate(validLatitude: 43.5665, longitude: -6.0580)
    /// The largest number of people.
    package static let mostPeople = 1000

    /// The simulated people.
    package var world: World

    /// Creates the town.
    ///
    /// - Parameters:
    ///   - seed: The seed of all random numbers.
    ///   - start: When the simulation begins.
    ///   - people: The number of people, 1 to `mostPeople`. Of every forty, three are late, one is stubborn, and one
    ///     loses the network, counted from the fifth person on.
    ///   - noise: The noise of their fixes.
    ///   - intervalSeconds: Seconds between two fixes of a person.
    ///   - pace: How many times faster than in life everyone moves and tires. At 8, two minutes show a quarter of an
    ///     hour.
    package init(
        seed: UInt64, start: Instant, people: Int = 40, noise: Noise = Noise(.honest, environment: .open),
        intervalSeconds: Double = 3, pace: Double = 1
    ) {
        precondition((1...DemoTown.mostPeople).contains(people), "1 to 1,000 people")
        let cellar = DeadZone(area: Circle(centre: DemoTown.at(-120, -60), radius: 25))
        world = World(
            seed: seed, start: start, people: DemoTown.residents(people), places: DemoTown.places, noise: noise,
            reporting: Reporting(intervalSeconds: intervalSeconds, deadZones: [cellar]), pace: pace)
    }

    /// The areas that the demo sends to the server as regions: three assembly points, and the harbour to keep away
    /// from, with the lifeboat station in it, where it is safe to stay.
    package static let sites: [Site] = [
        Site(
            id: "school-field", name: "School playing field",
            shape: .polygon(
                Polygon(
                    exterior: ring([
                        (-430, -500), (-330, -500), (-330, -440), (-370, -440),
                        (-370, -400), (-430, -400),
                    ]))), isMuster: true),
        Site(
            id: "station-square", name: "Station square",
            shape: .polygon(Polygon(exterior: ring([(20, -640), (110, -650), (120, -570), (25, -560)]))),
            isMuster: true),
        Site(
            id: "chapel-hill", name: "Chapel hill", shape: .circle(Circle(centre: at(470, -330), radius: 60)),
            isMuster: true),
        Site(
            id: "harbour-danger", name: "Harbour: fuel leak",
            shape: .polygon(
                Polygon(
                    exterior: ring([(-380, 120), (-60, 80), (210, 150), (260, 420), (-40, 520), (-360, 460)]),
                    holes: [ring([(90, 330), (90, 380), (150, 380), (150, 330)])])),
            isMuster: false),
    ]

    /// The southwestern corner of the town hall, a house of rooms as `RadioHouse` has them.
    package static let townHall = at(-27, -85)

    /// The places where people go.
    static let places: [Place] = [
        Place(name: "Old quarter", kind: .home, coordinate: at(-220, -40), spread: 90),
        Place(name: "Harbour row", kind: .home, coordinate: at(-130, 140), spread: 50),
        Place(name: "Mill lane", kind: .home, coordinate: at(260, -120), spread: 80),
        Place(name: "Orchard estate", kind: .home, coordinate: at(-60, -330), spread: 100),
        Place(name: "Fish market", kind: .work, coordinate: at(40, 190), spread: 30),
        Place(name: "Boatyard", kind: .work, coordinate: at(-250, 290), spread: 40),
        Place(name: "Cannery", kind: .work, coordinate: at(140, 260), spread: 30),
        Place(name: "Town hall", kind: .work, coordinate: at(-20, -80), spread: 20),
        Place(name: "School", kind: .work, coordinate: at(-310, -370), spread: 25),
        Place(name: "Bakery", kind: .shop, coordinate: at(-90, 10)),
        Place(name: "Wine cellar", kind: .shop, coordinate: at(-120, -60)),
        Place(name: "Pharmacy", kind: .shop, coordinate: at(70, -150)),
        Place(name: "Market square", kind: .shop, coordinate: at(30, 20), spread: 25),
        Place(name: "School playing field", kind: .muster, coordinate: at(-395, -455), spread: 22),
        Place(name: "Station square", kind: .muster, coordinate: at(68, -605), spread: 25),
        Place(name: "Chapel hill", kind: .muster, coordinate: at(470, -330), spread: 38),
    ]

    private static let plane = LocalPlane(origin: centre)

    private static func at(_ east: Double, _ north: Double) -> Coordinate {
        plane.coordinate(Offset(east: east, north: north))
    }

    /// Returns a closed ring, from its corners in metres east and north of the centre.
    private static func ring(_ corners: [(Double, Double)]) -> [Coordinate] {
        let places = corners.map { at($0.0, $0.1) }
        return places + places.prefix(1)
    }
}
