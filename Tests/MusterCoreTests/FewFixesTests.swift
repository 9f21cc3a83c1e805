import MusterCore
import Testing

/// A region that an edit draws around a device makes its owner safe only by three fixes over 20 s.
@Suite struct FewFixesTests {
    private static let point = LeavingTrails.Point(east: 0, north: 0, radius: 60)

    /// Ana's phone sends fixes in the middle of the later muster point.
    private static func world(_ policy: CrossingPolicy, fixesAt seconds: [Double]) -> World {
        var world = World(silenceSeconds: 3_600, policy: policy)
        world.putMusterPoint(LeavingTrails.Point(east: 2_000, north: 0, radius: 60), number: 2)
        for second in seconds { world.reportOffset(east: 0, at: second) }
        return world
    }

    @Test(arguments: CrossingPolicy.allCases)
    func `a region drawn around a device with two fixes makes nobody safe`(policy: CrossingPolicy) {
        var world = Self.world(policy, fixesAt: [0, 5])
        world.now = 6
        world.putMusterPoint(Self.point, number: 1)
        #expect(world.ana.state == .unknown && world.ana.doubt == .checking)
        world.reportOffset(east: 0, at: 10)
        #expect(world.ana.state == .unknown)
        for second in stride(from: 15.0, through: 30, by: 5) { world.reportOffset(east: 0, at: second) }
        #expect(world.ana.state == .safe && world.ana.doubt == nil)
    }

    @Test(arguments: CrossingPolicy.allCases)
    func `a region drawn around a device with three fixes in ten seconds makes nobody safe`(policy: CrossingPolicy) {
        var world = Self.world(policy, fixesAt: [0, 5, 10])
        world.now = 11
        world.putMusterPoint(Self.point, number: 1)
        #expect(world.ana.state == .unknown)
    }

    @Test(arguments: CrossingPolicy.allCases)
    func `a region drawn around a device with three fixes over 20 s makes its owner safe`(policy: CrossingPolicy) {
        for fixes in [[0.0, 10, 20], [0, 30, 60], [0, 5, 10, 15, 20]] {
            var world = Self.world(policy, fixesAt: fixes)
            world.now = 61
            world.putMusterPoint(Self.point, number: 1)
            #expect(world.ana.state == .safe, "\(fixes)")
        }
    }

    @Test(arguments: CrossingPolicy.allCases)
    func `two fixes, a region and a fix outside make nobody safe`(policy: CrossingPolicy) {
        var world = Self.world(policy, fixesAt: [0, 5])
        world.now = 6
        world.putMusterPoint(Self.point, number: 1)
        for second in [10.0, 20, 30] {
            #expect(world.reportOffset(east: second == 20 ? 120 : 0, at: second).state != .safe)
        }
    }

    @Test(arguments: CrossingPolicy.allCases)
    func `a team that moves to a tracker with the region is made safe by no two fixes`(policy: CrossingPolicy) throws {
        var world = World(silenceSeconds: 3_600, policy: policy)
        world.putMusterPoint(Self.point, number: 1)
        let other = TrackerNumber(2)
        world.edit(.putTracker(Tracker(number: other, name: "other", filter: .none, collections: [])))
        var team = try #require(world.directory.teams[World.team])
        team.tracker = other
        world.edit(.putTeam(team))
        for second in [0.0, 5] { world.reportOffset(east: 0, at: second) }
        team.tracker = World.tracker
        world.edit(.putTeam(team))
        #expect(world.ana.state == .unknown && world.ana.doubt == .checking)
    }

    @Test(arguments: CrossingPolicy.allCases)
    func `what an edit did to few fixes is stored, and a restart makes nobody safe`(policy: CrossingPolicy) {
        var world = Self.world(policy, fixesAt: [0, 5])
        world.now = 6
        let edit = Edit.putRegion(
            world.square(1, at: 48, 11, isMuster: true))
        world.directory.apply(edit)
        world.engine.apply(edit)
        world.engine.review(now: World.time(6), into: &world.decision)
        #expect(world.decision.statesToStore.contains(World.phone))
        world.settle()
        #expect(world.ana.state == .unknown)
        world.restart(at: 8)
        world.sweep(at: 9)
        #expect(world.ana.state == .unknown)
        world.reportOffset(east: 0, at: 10)
        #expect(world.ana.state == .unknown)
    }
}
