import MusterCore
import MusterGeometry
import Testing

@Suite struct CrossingTests {
    @Test func `the first fix inside is an enter, the first outside of everything is nothing`() {
        var world = World()
        world.putSquare(1, at: 45, 14)
        world.report(46, 14, at: 0)
        #expect(world.crossings == [])
        var other = World()
        other.putSquare(1, at: 45, 14)
        other.report(45, 14, at: 0)
        #expect(other.crossings == ["enter 1"])
    }

    @Test func `an exit precedes an enter of the same instant`() {
        var world = World()
        world.putSquare(2, at: 45, 14)
        world.putSquare(1, at: 45.01, 14)
        world.report(45, 14, at: 0)
        world.report(45.01, 14, at: 10)
        #expect(world.crossings == ["enter 2", "exit 2", "enter 1"])
    }

    @Test func `presences are kept in room of their number, however many someone had before`() {
        var world = World()
        for number in 1...40 { world.putSquare(Int32(number), at: 45, 14) }
        world.putSquare(41, at: 45.01, 14)
        world.report(45, 14, at: 0)
        #expect(world.engine.standings(of: World.phone).count == 40)
        world.report(45.01, 14, at: 10)
        let standings = world.engine.standings(of: World.phone)
        #expect(standings.map(\.region) == [RegionNumber(41)])
        // The allocator may round up a little.
        #expect(standings.capacity < 4)
    }

    @Test func `a point on the boundary is inside`() {
        var world = World()
        world.putSquare(1, at: 45, 14)
        world.report(45.001, 14, at: 0)
        #expect(world.crossings == ["enter 1"])
    }

    @Test func `a late report never fires a crossing and is kept as history`() {
        var world = World()
        world.putSquare(1, at: 45, 14)
        world.report(45, 14, at: 100)
        #expect(world.report(46, 14, at: 50, receivedAt: 101) == .late)
        #expect(world.crossings == ["enter 1"])
        #expect(world.stored == 2)
    }

    @Test func `a sample from a clock that runs ahead moves no state`() {
        var world = World()
        world.putSquare(1, at: 45, 14)
        world.report(46, 14, at: 0)
        #expect(world.report(45, 14, at: 3600, receivedAt: 1) == .late)
        #expect(world.crossings == [])
        #expect(world.report(45, 14, at: 2) == .accepted)
        #expect(world.crossings == ["enter 1"])
    }

    @Test func `a dwell fires once, on the first fix after its time`() {
        var world = World()
        world.putSquare(1, at: 45, 14, dwell: 60)
        for second in stride(from: 0.0, through: 200, by: 25) { world.report(45, 14, at: second) }
        #expect(world.crossings == ["enter 1", "dwell 1"])
        world.report(46, 14, at: 300)
        world.report(45, 14, at: 310)
        world.report(45, 14, at: 400)
        #expect(world.crossings == ["enter 1", "dwell 1", "exit 1", "enter 1", "dwell 1"])
    }

    @Test func `a return within the exit delay cancels the exit`() {
        var world = World()
        world.putSquare(1, at: 45, 14, exitDelay: 60)
        world.report(45, 14, at: 0)
        world.report(46, 14, at: 10)
        world.report(45, 14, at: 40)
        world.sweep(at: 200)
        #expect(world.crossings == ["enter 1"])
    }

    @Test func `a held exit is reported after its delay, with the time at which the device left`() {
        var world = World()
        world.putSquare(1, at: 45, 14, exitDelay: 60)
        world.report(45, 14, at: 0)
        world.report(46, 14, at: 10)
        #expect(world.crossings == ["enter 1"])
        world.sweep(at: 69)
        #expect(world.crossings == ["enter 1"])
        world.sweep(at: 70)
        #expect(world.crossings == ["enter 1", "exit 1"])
        let exit = world.log.last
        #expect(
            exit
                == .crossing(
                    Crossing(kind: .exit, device: World.phone, region: RegionNumber(1), sampleTime: World.time(10))))
    }

    @Test func `an edited region is evaluated again at the next position`() {
        var world = World()
        world.putSquare(1, at: 45, 14)
        world.report(45, 14, at: 0)
        world.putSquare(1, at: 50, 14)
        #expect(world.crossings == ["enter 1"])
        world.report(45, 14, at: 10)
        #expect(world.crossings == ["enter 1", "exit 1"])
    }

    @Test func `removing a region causes no exit`() {
        var world = World()
        world.putSquare(1, at: 45, 14)
        world.report(45, 14, at: 0)
        world.edit(.removeRegion(RegionNumber(1), from: World.collection))
        world.report(46, 14, at: 10)
        #expect(world.crossings == ["enter 1"])
        #expect(world.engine.presences(of: World.phone) == [])
    }

    @Test func `standing in a region is forgotten after thirty days of silence`() {
        var world = World()
        world.putSquare(1, at: 45, 14)
        world.report(45, 14, at: 0)
        world.report(45, 14, at: 31 * 86_400)
        #expect(world.crossings == ["enter 1", "enter 1"])
        world.report(45, 14, at: 60 * 86_400)
        #expect(world.crossings == ["enter 1", "enter 1"])
    }

    @Test func `a decision for a failed transaction changes nothing`() {
        var world = World()
        world.putSquare(1, at: 45, 14)
        let position = Position(
            coordinate: Coordinate(validLatitude: 45, longitude: 14), sampleTime: World.time(5),
            receivedTime: World.time(5))
        let observation = Observation.position(position, of: World.phone)
        _ = world.engine.decide(observation, now: World.time(5), into: &world.decision)
        world.decision.discard()
        #expect(world.engine.latestPosition(of: World.phone) == nil)
        #expect(!world.decision.hasChanges)
        world.report(45, 14, at: 5)
        #expect(world.crossings == ["enter 1"])
    }

    @Test func `an engine made from what was stored goes on where the old one stood`() {
        var world = World()
        world.putSquare(1, at: 45, 14, isMuster: true)
        world.stay(45, 14, from: 0, to: 5)
        world.restart()
        world.stay(45, 14, from: 10, to: 25)
        #expect(world.crossings == ["enter 1"])
        world.stay(46, 14, from: 35, to: 85)
        #expect(world.crossings == ["enter 1", "exit 1"])
        #expect(world.safety == [.safe, .unknown, .unsafe])
    }
}
