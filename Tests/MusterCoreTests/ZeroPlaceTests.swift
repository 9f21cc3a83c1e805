import MusterCore
import MusterGeometry
import Testing

/// Positions at 0° north, 0° east, which trackers without a fix send.
@Suite struct ZeroPlaceTests {
    private static func fix(_ seconds: Double, _ latitude: Double, _ longitude: Double, accuracy: Double?) -> Position {
        Position(
            coordinate: Coordinate(validLatitude: latitude, longitude: longitude), sampleTime: World.time(seconds),
            receivedTime: World.time(seconds), accuracy: accuracy.map { Metres($0) })
    }

    @Test func `only a place at zero that claims to be measured is one`() {
        #expect(Self.fix(0, 0, 0, accuracy: 5).isAtZero)
        #expect(Self.fix(0, 0.000_000_9, -0.000_000_9, accuracy: 100).isAtZero)
        for other in [
            Self.fix(0, 0, 0, accuracy: nil), Self.fix(0, 0, 0, accuracy: 101), Self.fix(0, 0, 1, accuracy: 5),
            Self.fix(0, 1, 0, accuracy: 5), Self.fix(0, 0.000_01, 0, accuracy: 5),
        ] {
            #expect(!other.isAtZero)
        }
    }

    @Test(arguments: [CrossingPolicy.confident, .raw])
    func `a position there moves nobody, unless the tracker works there`(policy: CrossingPolicy) {
        for worksAtZero in [false, true] {
            var world = World(policy: policy)
            if worksAtZero {
                world.edit(
                    .putTracker(
                        Tracker(
                            number: World.tracker, name: "crew", filter: .none, collections: [World.collection],
                            worksAtZero: true)))
            }
            world.putSquare(1, at: 0, 0, isMuster: true)
            let fixes = (1...12).map { Self.fix(10 * Double($0), 0, 0, accuracy: 5) }
            var decision = Decision()
            var tally = Tally()
            var index = 0
            let observations = fixes.map { Observation.position($0, of: World.phone) }
            while let question = world.engine.decideBatch(
                observations, from: &index, now: World.time(200), into: &decision, tally: &tally)
            {
                #expect(question == .isStored)
                tally.count(
                    world.engine.decide(observations[index], now: World.time(200), into: &decision))
                index += 1
            }
            world.engine.adopt(&decision)
            #expect(tally == (worksAtZero ? Tally(accepted: 12) : Tally(late: 12)))
            #expect((world.ana.state == .safe) == worksAtZero)
            #expect((world.engine.latestPosition(of: World.phone) != nil) == worksAtZero)
        }
    }
}

extension Tally {
    fileprivate init(accepted: Int = 0, late: Int = 0) {
        self.init()
        self.accepted = accepted
        self.late = late
    }
}
