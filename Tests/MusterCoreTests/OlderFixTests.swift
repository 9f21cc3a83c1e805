import MusterGeometry
import Testing

@testable import MusterCore

/// A fix that moves nothing, because another one claims to be newer, still shows who has left.
@Suite struct OlderFixTests {
    @Test func `a fix a minute ahead does not keep safe who leaves`() {
        var world = World.safeAtMusterPoint()
        world.reportOffset(east: 0, at: 124, receivedAt: 65)
        #expect(world.reportOffset(east: 100, at: 70).state == .safe)
        let left = world.reportOffset(east: 130, at: 75)
        #expect(left.state == .unknown && left.source == .seemsToHaveLeft && left.region == RegionNumber(1))
        world.restart(at: 76)
        #expect(world.reportOffset(east: 0, at: 80).source == .seemsToHaveLeft)
        // Only newer fixes make safe again.
        for second in [125.0, 130, 135, 140, 145] { world.reportOffset(east: 0, at: second) }
        #expect(world.ana.state == .safe)
    }

    @Test func `fixes from before somebody came in do not show that they left`() {
        var world = World.safeAtMusterPoint()
        for second in stride(from: -1.0, through: -50, by: -1) {
            world.reportOffset(east: 200, at: second, receivedAt: 65)
        }
        #expect(world.ana.state == .safe && world.ana.doubt == nil)
    }

    @Test func `an older fix inside does not take off what a newer one outside showed`() {
        var world = World.safeAtMusterPoint()
        #expect(world.reportOffset(east: 100, at: 70).state == .safe)
        for second in [66.0, 67, 68, 69] { world.reportOffset(east: 0, at: second, receivedAt: 71) }
        #expect(world.reportOffset(east: 130, at: 75).state != .safe)
    }

    @Test func `one older fix outside decides nothing`() {
        var world = World.safeAtMusterPoint()
        world.reportOffset(east: 0, at: 75)
        #expect(world.reportOffset(east: 300, at: 70, receivedAt: 76).state == .safe)
    }

    @Test func `fixes of a clock that went ahead show who has left`() {
        var world = World.safeAtMusterPoint()
        #expect(world.reportOffset(east: 100, at: 3_665, receivedAt: 65).state == .safe)
        #expect(world.reportOffset(east: 130, at: 3_670, receivedAt: 70).source == .seemsToHaveLeft)
    }

    @Test func `nobody is safe by a clock that was set back until it is corrected`() {
        var world = World.safeAtMusterPoint()
        for step in 1...4 {
            let second = 60 + 10 * Double(step)
            world.reportOffset(east: 0, at: second - 600, receivedAt: second)
        }
        #expect(world.ana.state == .unknown && world.ana.source == .unlocated)
        for step in 5...12 {
            let second = 60 + 10 * Double(step)
            world.reportOffset(east: 0, at: second - 600, receivedAt: second)
        }
        #expect(world.ana.state == .safe && world.ana.doubt == nil)
    }

    @Test func `a region drawn around one false fix makes nobody safe`() {
        var world = World(silenceSeconds: 3_600, policy: .confident)
        world.putMusterPoint(LeavingTrails.Point(east: 2_000, north: 0, radius: 60), number: 2)
        for step in 0...12 { world.reportOffset(east: 0, at: Double(step) * 5) }
        // After four minutes of silence the track moves to one accurate fix.
        world.reportOffset(east: 500, at: 400)
        world.putMusterPoint(LeavingTrails.Point(east: 500, north: 0, radius: 60), number: 1)
        #expect(world.ana.state == .unknown && world.ana.doubt == .checking)
        for step in 1...5 { world.reportOffset(east: 500, at: 400 + 10 * Double(step)) }
        #expect(world.ana.state == .safe)
    }
}
