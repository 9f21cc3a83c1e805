import MusterCore
import MusterGeometry
import Testing

@Suite struct SafetyTests {
    @Test func `someone in two muster regions who leaves one is still safe`() {
        var world = World()
        world.putSquare(1, at: 45, 14, half: 0.002, isMuster: true)
        world.putSquare(2, at: 45.002, 14, half: 0.002, isMuster: true)
        world.stay(45.001, 14, from: 0, to: 25)
        #expect(world.engine.safety(of: World.ana).region == RegionNumber(1))
        world.stay(45.003, 14, from: 30, to: 120)
        #expect(world.crossings == ["enter 1", "enter 2", "exit 1"])
        #expect(world.safety.allSatisfy { $0 == .safe })
        #expect(world.engine.safety(of: World.ana).since == World.time(25))
        #expect(world.engine.safety(of: World.ana).region == RegionNumber(2))
        world.report(46, 14, at: 125, accuracy: 5)
        #expect(world.engine.safety(of: World.ana).state == .safe)
        world.stay(46, 14, from: 130, to: 165)
        #expect(world.engine.safety(of: World.ana).source == .seemsToHaveLeft)
        world.report(46, 14, at: 170, accuracy: 5)
        #expect(world.engine.safety(of: World.ana) == Safety(state: .unsafe, since: World.time(170)))
    }

    @Test func `being inside a region that is not a muster region is not safe`() {
        var world = World()
        world.putSquare(1, at: 45, 14)
        world.stay(45, 14, from: 0, to: 60)
        #expect(world.safety == [.unsafe])
    }

    @Test func `silence beyond the limit is unknown, not safe`() {
        var world = World(silenceSeconds: 600)
        world.putSquare(1, at: 45, 14, isMuster: true)
        world.stay(45, 14, from: 0, to: 25)
        world.sweep(at: 625)
        #expect(world.safety == [.safe])
        world.sweep(at: 626)
        #expect(world.safety == [.safe, .unknown])
        #expect(world.engine.safety(of: World.ana).since == World.time(625))
        world.report(45, 14, at: 700, accuracy: 5)
        #expect(world.safety == [.safe, .unknown, .safe])
    }

    @Test func `positions an hour late cross, and do not make safe now`() {
        var world = World(silenceSeconds: 600)
        world.putSquare(1, at: 45, 14, isMuster: true)
        for second in stride(from: 0.0, through: 60, by: 5) {
            world.report(45, 14, at: second, receivedAt: 3600, accuracy: 5)
        }
        #expect(world.crossings == ["enter 1"])
        #expect(world.engine.safety(of: World.ana).state == .unknown)
        #expect(world.engine.safety(of: World.ana).source == .unlocated)
    }

    @Test func `a tablet left behind in safety does not make its owner safe`() {
        var world = World(silenceSeconds: 600)
        let tablet = DeviceNumber(2)
        world.edit(.putDevice(Device(number: tablet, name: "tablet", user: World.ana)))
        world.putSquare(1, at: 45, 14, isMuster: true)
        world.stay(45, 14, from: 0, to: 25, by: tablet)
        #expect(world.engine.safety(of: World.ana).state == .safe)
        world.stay(46, 14, from: 30, to: 35)
        #expect(world.engine.safety(of: World.ana).state == .unsafe)
        world.stay(45, 14, from: 500, to: 510, by: tablet)
        #expect(world.engine.safety(of: World.ana).state == .unsafe)
        // The phone was last outside while the tablet was inside: its silence shows nothing.
        world.stay(45, 14, from: 600, to: 1_200, by: tablet)
        world.sweep(at: 1_200)
        #expect(world.engine.safety(of: World.ana).state == .unknown)
        #expect(world.engine.safety(of: World.ana).source == .unlocated)
        #expect(!world.safety.dropFirst().contains(.safe))
    }

    @Test(arguments: CrossingPolicy.allCases)
    func `a region drawn around a tablet outweighs no phone that was last outside`(policy: CrossingPolicy) {
        var world = World(silenceSeconds: 600, policy: policy)
        let tablet = DeviceNumber(2)
        world.edit(.putDevice(Device(number: tablet, name: "tablet", user: World.ana)))
        world.putSquare(2, at: 47, 14, isMuster: true)
        world.stay(46, 14, from: 0, to: 30)
        world.stay(45, 14, from: 0, to: 700, by: tablet)
        world.putSquare(1, at: 45, 14, isMuster: true)
        #expect(world.ana.state == .unknown && world.ana.source == .unlocated)
        world.stay(45, 14, from: 705, to: 900, by: tablet)
        #expect(world.ana.state == .unknown)
        // Once it has left and come in again, the tablet shows where the person is.
        world.stay(46, 14, from: 1_200, to: 1_300, by: tablet)
        world.stay(45, 14, from: 1_600, to: 1_700, by: tablet)
        #expect(world.ana.state == .safe)
    }

    @Test func `a tablet that comes in after the phone fell silent makes its owner safe`() {
        var world = World(silenceSeconds: 600)
        let tablet = DeviceNumber(2)
        world.edit(.putDevice(Device(number: tablet, name: "tablet", user: World.ana)))
        world.putSquare(1, at: 45, 14, isMuster: true)
        world.stay(46, 14, from: 0, to: 30)
        world.stay(46, 14, from: 0, to: 30, by: tablet)
        world.stay(45, 14, from: 700, to: 800, by: tablet)
        #expect(world.engine.safety(of: World.ana).state == .safe)
    }

    @Test func `removing the muster region that made someone safe makes them unsafe at once`() {
        var world = World()
        world.putSquare(1, at: 45, 14, isMuster: true)
        world.stay(45, 14, from: 0, to: 25)
        world.edit(.removeRegion(RegionNumber(1), from: World.collection))
        #expect(world.safety == [.safe, .unsafe])
    }

    @Test func `a held exit does not keep someone safe`() {
        var world = World()
        world.putSquare(1, at: 45, 14, isMuster: true, exitDelay: 60)
        world.stay(45, 14, from: 0, to: 25)
        world.stay(46, 14, from: 30, to: 80)
        #expect(world.crossings == ["enter 1"])
        #expect(world.safety == [.safe, .unknown, .unsafe])
    }

    @Test func `a person silent beyond a short limit is known again once the limit is raised`() {
        var world = World(silenceSeconds: 10)
        world.putSquare(1, at: 45, 14, isMuster: true)
        world.stay(45, 14, from: 0, to: 25)
        world.sweep(at: 60)
        #expect(world.safety == [.safe, .unknown])
        world.edit(.putTeam(Team(number: World.team, name: "crew", tracker: World.tracker, silenceSeconds: 1200)))
        #expect(world.safety == [.safe, .unknown, .safe])
        world.report(45, 14, at: 61, accuracy: 5)
        #expect(world.safety == [.safe, .unknown, .safe])
    }

    @Test func `a phone that may have left outweighs a tablet left in safety`() {
        var world = World()
        let tablet = DeviceNumber(2)
        world.putSquare(1, at: 45, 14, isMuster: true)
        world.edit(.putDevice(Device(number: tablet, name: "tablet", user: World.ana)))
        world.stay(45, 14, from: 0, to: 30, by: tablet)
        // At the rim the phone may be inside or not; then its fixes jump.
        world.stay(45.00101, 14, from: 0, to: 30, accuracy: 60)
        #expect(world.ana.state == .safe && world.ana.doubt == nil)
        world.report(45.05, 14, at: 35, accuracy: 5)
        #expect(world.ana.state == .unknown && world.ana.source == .unlocated && world.ana.doubt == .checking)
        world.report(45.00101, 14, at: 40, accuracy: 60)
        #expect(world.ana.state == .safe)
    }
}
