import MusterCore
import MusterGeometry
import Testing

@Suite struct SafetyTests {
    @Test func `someone in two muster regions who leaves one is still safe`() {
        var world = World()
        world.putSquare(1, at: 45, 14, half: 0.002, isMuster: true)
        world.putSquare(2, at: 45.002, 14, half: 0.002, isMuster: true)
        world.report(45.001, 14, at: 0)
        world.report(45.003, 14, at: 10)
        #expect(world.crossings == ["enter 1", "enter 2", "exit 1"])
        #expect(world.engine.safety(of: World.ana).state == .safe)
        #expect(world.engine.safety(of: World.ana).since == World.time(0))
        #expect(world.engine.safety(of: World.ana).region == RegionNumber(2))
        world.report(46, 14, at: 20)
        #expect(world.engine.safety(of: World.ana) == Safety(state: .unsafe, since: World.time(20)))
    }

    @Test func `inside a region that is no muster region is not safe`() {
        var world = World()
        world.putSquare(1, at: 45, 14)
        world.report(45, 14, at: 0)
        #expect(world.safety == [.unsafe])
    }

    @Test func `silence beyond the limit is unknown, not safe`() {
        var world = World(silenceSeconds: 600)
        world.putSquare(1, at: 45, 14, isMuster: true)
        world.report(45, 14, at: 0)
        world.sweep(at: 600)
        #expect(world.safety == [.safe])
        world.sweep(at: 601)
        #expect(world.safety == [.safe, .unknown])
        #expect(world.engine.safety(of: World.ana).since == World.time(600))
        world.report(45, 14, at: 700)
        #expect(world.safety == [.safe, .unknown, .safe])
    }

    @Test func `a truth told an hour late crosses but does not pretend to be now`() {
        var world = World(silenceSeconds: 600)
        world.putSquare(1, at: 45, 14, isMuster: true)
        world.report(45, 14, at: 0, receivedAt: 3600)
        #expect(world.crossings == ["enter 1"])
        #expect(world.engine.safety(of: World.ana).state == .unknown)
    }

    @Test func `a tablet left behind in safety does not make its owner safe`() {
        var world = World(silenceSeconds: 600)
        let tablet = DeviceNumber(2)
        world.edit(.putDevice(Device(number: tablet, name: "tablet", user: World.ana)))
        world.putSquare(1, at: 45, 14, isMuster: true)
        world.report(45, 14, at: 0, by: tablet)
        world.report(46, 14, at: 5)
        #expect(world.engine.safety(of: World.ana).state == .unsafe)
        world.report(45, 14, at: 500, by: tablet)
        world.sweep(at: 700)
        #expect(world.engine.safety(of: World.ana).state == .safe)
    }

    @Test func `removing the muster region that made someone safe makes them unsafe at once`() {
        var world = World()
        world.putSquare(1, at: 45, 14, isMuster: true)
        world.report(45, 14, at: 0)
        world.edit(.removeRegion(RegionNumber(1), from: World.collection))
        #expect(world.safety == [.safe, .unsafe])
    }

    @Test func `a held exit does not keep someone safe`() {
        var world = World()
        world.putSquare(1, at: 45, 14, isMuster: true, exitDelay: 60)
        world.report(45, 14, at: 0)
        world.report(46, 14, at: 10)
        #expect(world.crossings == ["enter 1"])
        #expect(world.safety == [.safe, .unsafe])
    }

    @Test func `who was silent for a short limit is known again at the next fix after the limit was raised`() {
        var world = World(silenceSeconds: 10)
        world.putSquare(1, at: 45, 14, isMuster: true)
        world.report(45, 14, at: 0)
        world.sweep(at: 60)
        #expect(world.safety == [.safe, .unknown])
        world.edit(.putTeam(Team(number: World.team, name: "crew", tracker: World.tracker, silenceSeconds: 1200)))
        world.report(45, 14, at: 61)
        #expect(world.safety == [.safe, .unknown, .safe])
    }
}
