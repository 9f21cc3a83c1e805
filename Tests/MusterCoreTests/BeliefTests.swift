import MusterCore
import MusterGeometry
import Testing

/// Fixes that are not believed are told as that, with where they seem to be; and so is when they are believed.
@Suite struct BeliefTests {
    /// A muster region around 45, 14 and Station square around 45.01, 14; Ana in the first.
    private static func town(_ policy: CrossingPolicy) -> World {
        var world = World(policy: policy)
        world.putSquare(1, at: 45, 14, isMuster: true)
        world.putSquare(2, at: 45.01, 14)
        world.stay(45, 14, from: 0, to: 60)
        return world
    }

    @Test(arguments: CrossingPolicy.allCases)
    func `a person leaving by car is shown as checking, with the place, until the fixes are believed`(
        policy: CrossingPolicy
    ) throws {
        var world = Self.town(policy)
        #expect(world.beliefs == [])
        world.stay(45.01, 14, from: 65, to: 105)
        let told = try #require(world.beliefs.first)
        #expect(world.beliefs.count == 1)
        #expect(told.sampleTime == World.time(65))
        #expect(told.estimate.latitude == 45)
        let checking = try #require(told.checking)
        #expect(checking.since == World.time(65))
        #expect(checking.regions == [RegionNumber(2)])
        #expect(abs(checking.coordinate.latitude - 45.01) < 1e-6)
        #expect(world.ana.source == .seemsToHaveLeft)
        #expect(world.ana.doubt == .checking)
        world.stay(45.01, 14, from: 110, to: 130)
        #expect(world.beliefs.count == 2)
        #expect(world.beliefs[1].checking == nil)
        #expect(world.beliefs[1].sampleTime == World.time(110))
        #expect(abs(world.beliefs[1].estimate.latitude - 45.01) < 1e-6)
        #expect(world.ana == Safety(state: .unsafe, since: World.time(110)))
    }

    @Test(arguments: CrossingPolicy.allCases)
    func `unbelieved fixes that reach another region are reported again`(policy: CrossingPolicy) {
        var world = Self.town(policy)
        world.putSquare(3, at: 45.02, 14)
        world.stay(45.01, 14, from: 65, to: 70)
        // On the way to the next region, and not there yet.
        world.report(45.0112, 14, at: 75, accuracy: 5)
        world.report(45.0125, 14, at: 80, accuracy: 5)
        #expect(world.beliefs.map { $0.checking?.regions.map(\.rawValue) } == [[2], []])
    }

    @Test(arguments: CrossingPolicy.allCases)
    func `the end of false fixes ends the belief and the doubt of the safety`(policy: CrossingPolicy) {
        var world = Self.town(policy)
        world.report(45.005, 14, at: 65, accuracy: 5)
        world.stay(45, 14, from: 70, to: 80)
        #expect(world.beliefs.map { $0.checking == nil } == [false, true])
        #expect(
            world.told() == [
                "unknown unlocated", "unknown unlocated checking", "safe region", "safe region checking",
                "safe region",
            ])
        #expect(world.ana.since == World.time(25))
    }

    @Test func `unbelieved fixes are reported also where every region is raw`() {
        var world = World(policy: .raw)
        world.putSquare(1, at: 45, 14)
        world.stay(45, 14, from: 0, to: 60)
        #expect(world.beliefs == [] && world.engine.belief(of: World.phone)?.checking == nil)
        world.stay(45.01, 14, from: 65, to: 75)
        #expect(world.beliefs.count == 1 && world.engine.belief(of: World.phone)?.checking != nil)
    }
}
