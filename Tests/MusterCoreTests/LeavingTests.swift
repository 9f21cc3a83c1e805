import Foundation
import MusterGeometry
import Testing

@testable import MusterCore

/// Who leaves a muster region is not safe, and one fix makes nobody safe.
@Suite struct LeavingTests {
    // MARK: Leaving

    @Test(arguments: CrossingPolicy.allCases)
    func `two fixes in a row outside end safe, and one does not`(policy: CrossingPolicy) {
        var world = World.safeAtMusterPoint(policy)
        #expect(world.reportOffset(east: 100, at: 65).state == .safe)
        let left = world.reportOffset(east: 130, at: 70)
        #expect(left.state == .unknown && left.source == .seemsToHaveLeft && left.region == RegionNumber(1))
        for step in 1...12 {
            #expect(world.reportOffset(east: 130 + 30 * Double(step), at: 70 + 5 * Double(step)).state != .safe)
        }
        #expect(world.ana.state == .unsafe)
    }

    @Test func `fixes somewhat outside add up, and one inside takes off`() {
        var world = World.safeAtMusterPoint()
        // 8.5 m outside, 5.5 m of them beyond the margin: almost one accuracy.
        #expect(world.reportOffset(east: 68.5, at: 65).state == .safe)
        #expect(world.reportOffset(east: 57, at: 70).state == .safe)
        #expect(world.reportOffset(east: 68.5, at: 75).state == .safe)
        #expect(world.reportOffset(east: 68.5, at: 80).source == .seemsToHaveLeft)
    }

    @Test func `a region drawn around someone is left as any other`() {
        var world = World(silenceSeconds: 3_600, policy: .confident)
        for step in 0...12 { world.reportOffset(east: Double(step % 3), at: Double(step) * 5) }
        world.putMusterPoint(LeavingTrails.Point(east: 0, north: 0, radius: 60), number: 1)
        world.reportOffset(east: 1, at: 65)
        #expect(world.ana.state == .safe)
        #expect(world.reportOffset(east: 100, at: 70).state == .safe)
        #expect(world.reportOffset(east: 130, at: 75).source == .seemsToHaveLeft)
    }

    @Test func `fixes in quick succession count less`() {
        var world = World.safeAtMusterPoint()
        #expect(world.reportOffset(east: 100, at: 60.5).state == .safe)
        #expect(world.reportOffset(east: 100, at: 61).state == .safe)
        #expect(world.reportOffset(east: 100, at: 62).state == .safe)
        #expect(world.reportOffset(east: 100, at: 65).source == .seemsToHaveLeft)
    }

    @Test func `an old fix inside right before each true one outside does not keep safe`() {
        var world = World.safeAtMusterPoint()
        for step in 1...4 {
            let seconds = 60 + 5 * Double(step)
            world.reportOffset(east: 0, at: seconds - 0.01)
            world.reportOffset(east: 100 + 7 * Double(step), at: seconds)
        }
        #expect(world.ana.source == .seemsToHaveLeft)
    }

    @Test func `fixes five times a second add up as well`() {
        var world = World.safeAtMusterPoint()
        for step in 1...100 { world.reportOffset(east: 100, at: 60 + Double(step) / 5, accuracy: 65) }
        #expect(world.ana.source == .seemsToHaveLeft)
    }

    @Test func `a fix inside that is sent twice makes nobody safe again`() {
        var world = World.safeAtMusterPoint()
        world.reportOffset(east: 100, at: 65)
        world.reportOffset(east: 105, at: 70)
        #expect(world.reportOffset(east: 0, at: 75).source == .seemsToHaveLeft)
        #expect(world.reportOffset(east: 0, at: 75.001).source == .seemsToHaveLeft)
    }

    @Test func `fixes outside and inside by turns do not keep safe`() {
        var world = World.safeAtMusterPoint()
        for step in 0..<5 {
            world.reportOffset(east: 260, at: 65 + Double(step) * 10)
            if step < 4 { world.reportOffset(east: 0, at: 70 + Double(step) * 10) }
        }
        #expect(world.ana.source == .seemsToHaveLeft)
    }

    @Test func `one fix with the speed of someone who left ends safe at once`() {
        var world = World.safeAtMusterPoint()
        #expect(world.reportOffset(east: 90, at: 67, speed: 14).state != .safe)
        world = World.safeAtMusterPoint()
        // The speed does not explain the way there, so the next fix decides.
        #expect(world.reportOffset(east: 2_000, at: 65, speed: 1.5).state == .safe)
    }

    @Test func `two fixes inside make safe again who seemed to have left`() {
        var world = World.safeAtMusterPoint()
        world.reportOffset(east: 88, at: 65)
        #expect(world.reportOffset(east: 86, at: 70).source == .seemsToHaveLeft)
        #expect(world.reportOffset(east: 3, at: 75).source == .seemsToHaveLeft)
        #expect(world.reportOffset(east: 0, at: 80).state == .safe)
    }

    @Test func `three fixes over 20 s make safe again who was seen far outside, and not before`() {
        var world = World.safeAtMusterPoint()
        func leave(at seconds: Double) {
            world.reportOffset(east: 120, at: seconds)
            #expect(world.reportOffset(east: 124, at: seconds + 5).source == .seemsToHaveLeft)
        }
        leave(at: 65)
        // Three false fixes, 5 s apart, and a true one.
        for seconds in [75.0, 80, 85] {
            #expect(world.reportOffset(east: 0, at: seconds).source == .seemsToHaveLeft, "\(seconds)")
        }
        #expect(world.reportOffset(east: 124, at: 90).source == .seemsToHaveLeft)
        for seconds in [95.0, 100, 105, 110] {
            #expect(world.reportOffset(east: 2, at: seconds).source == .seemsToHaveLeft, "\(seconds)")
        }
        #expect(world.reportOffset(east: 0, at: 115).state == .safe)
        leave(at: 120)
        // Two fixes are too few, however far apart.
        #expect(world.reportOffset(east: 0, at: 130).source == .seemsToHaveLeft)
        #expect(world.reportOffset(east: 0, at: 155).source == .seemsToHaveLeft)
        #expect(world.reportOffset(east: 0, at: 160).state == .safe)
    }

    @Test func `poor fixes by turns inside and somewhat outside make nobody safe again who was seen far outside`() {
        var world = World.safeAtMusterPoint()
        world.reportOffset(east: 120, at: 65)
        world.reportOffset(east: 124, at: 70)
        for step in 0..<24 {
            let east: Double = step.isMultiple(of: 2) ? 59 : 110
            let safety = world.reportOffset(east: east, at: 75 + 5 * Double(step), accuracy: 65)
            #expect(safety.state != .safe, "\(step)")
        }
    }

    @Test func `fixes five times a second make safe again who was seen far outside`() {
        var world = World.safeAtMusterPoint()
        world.reportOffset(east: 120, at: 65)
        #expect(world.reportOffset(east: 124, at: 70).source == .seemsToHaveLeft)
        for step in 1...95 {
            let safety = world.reportOffset(east: Double(step % 3), at: 71 + Double(step) / 5)
            #expect(safety.state != .safe, "\(step)")
        }
        for step in 96...130 { world.reportOffset(east: Double(step % 3), at: 71 + Double(step) / 5) }
        #expect(world.ana.state == .safe)
    }

    @Test func `a better fix outside that comes again and again is not forgotten for a moment`() {
        var world = World.safeAtMusterPoint()
        world.reportOffset(east: 150, at: 65)
        for round in 0..<12 {
            let seconds = 70 + 15 * Double(round)
            for step in 0..<2 {
                let safety = world.reportOffset(east: 0, at: seconds + 5 * Double(step), accuracy: 40)
                #expect(safety.state != .safe, "\(seconds)")
            }
            #expect(world.reportOffset(east: 150, at: seconds + 10).state != .safe, "\(seconds)")
        }
    }

    @Test func `a fix too poor to tell decides nothing`() {
        var world = World.safeAtMusterPoint()
        world.reportOffset(east: 100, at: 65)
        #expect(world.reportOffset(east: 300, at: 70, accuracy: 400).source != .seemsToHaveLeft)
        #expect(world.reportOffset(east: 130, at: 75).source == .seemsToHaveLeft)
    }

    @Test func `fixes without an accuracy show who left, and who came back`() {
        var world = World.withMusterPoints(radius: 400)
        for step in 0...40 { world.reportOffset(east: 0, at: Double(step) * 5, accuracy: nil) }
        #expect(world.ana.state == .safe)
        world.reportOffset(east: 900, at: 205, accuracy: nil)
        #expect(world.reportOffset(east: 950, at: 210, accuracy: nil).source == .seemsToHaveLeft)
        for step in 0...40 { world.reportOffset(east: 0, at: 215 + Double(step) * 5, accuracy: nil) }
        #expect(world.ana.state == .safe)
    }

    @Test func `nobody who seems to have left is safe again because the server's clock was set back`() {
        var world = World.safeAtMusterPoint()
        world.reportOffset(east: 100, at: 65)
        #expect(world.reportOffset(east: 110, at: 70).source == .seemsToHaveLeft)
        world.now = -3_600
        world.engine.adjustTimes(to: World.time(-3_600), wasOff: false)
        world.sweep(at: -3_599)
        #expect(world.ana.state != .safe)
    }

    @Test(arguments: CrossingPolicy.allCases)
    func `nobody who seems to have left counts as present in that region`(policy: CrossingPolicy) {
        var world = World.safeAtMusterPoint(policy)
        #expect(world.whereabouts(of: World.ana) == .present)
        world.reportOffset(east: 75, at: 65, accuracy: 5)
        #expect(world.reportOffset(east: 76, at: 70, accuracy: 5).source == .seemsToHaveLeft)
        #expect(world.whereabouts(of: World.ana) != .present)
    }

    @Test func `a declared safe ends once somebody left, also when the first fixes outside were older`() {
        var world = World.safeAtMusterPoint()
        world.declare(.safe, at: 75)
        // The phone's fixes come late: the first ones outside are older than the declaration.
        for step in 0..<4 { world.reportOffset(east: 140 + 70 * Double(step), at: 65 + 3 * Double(step), speed: 14) }
        #expect(world.ana.state == .safe && world.ana.source == .ownDeclaration)
        world.reportOffset(east: 500, at: 80, speed: 14)
        world.sweep(at: 81)
        #expect(world.ana.state == .unsafe)
    }

    // MARK: Arriving

    @Test(arguments: CrossingPolicy.allCases)
    func `a jump into a region makes safe after three fixes over 20 s, and not before`(policy: CrossingPolicy) {
        var world = World.withMusterPoints(policy)
        for step in 0...10 { world.reportOffset(east: 400, at: Double(step) * 5) }
        #expect(world.ana.state == .unsafe)
        // After minutes of silence the track believes one accurate fix.
        #expect(world.reportOffset(east: 0, at: 400).state == .unknown)
        #expect(world.reportOffset(east: 2, at: 405).state == .unknown)
        #expect(world.reportOffset(east: 0, at: 410).state == .unknown)
        #expect(world.reportOffset(east: 1, at: 420).state == .safe)
    }

    @Test func `a fix outside after a jump begins the count anew`() {
        var world = World.withMusterPoints()
        for step in 0...10 { world.reportOffset(east: 400, at: Double(step) * 5) }
        for (east, time) in [(0.0, 400.0), (2, 410), (380, 415), (1, 425), (0, 435)] {
            #expect(world.reportOffset(east: east, at: time).state != .safe)
        }
        #expect(world.reportOffset(east: 1, at: 445).state == .safe)
    }

    @Test func `one good fix inside makes nobody safe after fixes that did not lie inside`() {
        var world = World.withMusterPoints()
        for step in 0...20 { world.reportOffset(east: 100, at: Double(step) * 60, accuracy: 65) }
        #expect(world.reportOffset(east: 0, at: 1_260, accuracy: 5).state != .safe)
        #expect(world.reportOffset(east: 100, at: 1_320, accuracy: 65).state != .safe)
    }

    @Test func `a jump back while an exit is held back makes nobody safe`() {
        var world = World.safeAtMusterPoint(exitDelay: 3_600)
        for step in 0...30 { world.reportOffset(east: 400, at: 65 + Double(step) * 5) }
        #expect(world.ana.state == .unsafe)
        #expect(world.reportOffset(east: 0, at: 600).state != .safe)
        #expect(world.reportOffset(east: 390, at: 605).state != .safe)
    }

    @Test func `whoever walks in is safe without a wait`() {
        var world = World.withMusterPoints()
        var safeAt: Double?
        for step in 0...60 where safeAt == nil {
            let seconds = Double(step) * 5
            if world.reportOffset(east: 250 - 1.3 * seconds, at: seconds).state == .safe { safeAt = seconds }
        }
        // The boundary is passed after 146 s.
        #expect((safeAt ?? .infinity) <= 146 + 25)
    }

    @Test func `coarse fixes make safe in a region that holds all of their likely places`() {
        var world = World.withMusterPoints(radius: 3_000)
        for step in 0...10 { world.reportOffset(east: 20_000, at: Double(step) * 30, accuracy: 300) }
        #expect(world.ana.state == .unsafe)
        for step in 0...40 { world.reportOffset(east: 0, at: 330 + Double(step) * 30, accuracy: 300) }
        #expect(world.ana.state == .safe)
    }

    @Test func `one good fix after coarse ones makes nobody safe`() {
        var world = World.withMusterPoints()
        for step in 0...10 { world.reportOffset(east: 200, at: Double(step) * 30, accuracy: 400) }
        #expect(world.reportOffset(east: 0, at: 330).state != .safe)
    }

    // MARK: Trails of people who left, and of phones that lied

    @Test(.enabled(if: LeavingTrails.shared != nil, "needs the shared test data: set MUSTER_TEST_DATA"))
    func `in the recorded trails nobody is safe for long while outside, or loses safe while inside`() throws {
        let trails = try #require(LeavingTrails.shared)
        #expect(trails.cases.count == 43)
        var deepInside = 0
        for (index, trail) in trails.cases.enumerated() {
            var world = World.withMusterPoints(trails.musterPoints)
            var outsideSince: Double?
            var longest = 0.0
            var wasSafe = false
            for fix in trail.fixes {
                let safety = world.reportOffset(east: fix.east, north: fix.north, at: fix.t, accuracy: fix.accuracy)
                let metresOutside = trails.metresOutside(fix)
                outsideSince = metresOutside > 30 ? outsideSince ?? fix.t : nil
                if safety.state == .safe, let since = outsideSince { longest = max(longest, fix.t - since) }
                if metresOutside <= -15 {
                    deepInside += 1
                    let losesSafe = wasSafe && safety.state != .safe
                    #expect(!losesSafe, "case \(index), \(trail.kind): lost at \(fix.t) s, \(safety)")
                }
                wasSafe = safety.state == .safe
            }
            #expect(longest <= 20, "case \(index), \(trail.what), \(trail.kind): safe for \(longest) s outside")
            if trail.endsWithGlitch { #expect(world.ana.state != .safe, "case \(index), \(trail.kind)") }
        }
        #expect(deepInside > 200, "\(deepInside) fixes of people 15 m or more inside")
    }

    @Test(
        .enabled(if: LeavingTrails.shared != nil, "needs the shared test data: set MUSTER_TEST_DATA"),
        arguments: CrossingPolicy.allCases)
    func `a restart between any two fixes changes nothing`(policy: CrossingPolicy) throws {
        let trails = try #require(LeavingTrails.shared)
        for (index, trail) in trails.cases.enumerated() {
            var plain = World.withMusterPoints(trails.musterPoints, policy)
            var restarted = plain
            for fix in trail.fixes {
                plain.reportOffset(east: fix.east, north: fix.north, at: fix.t, accuracy: fix.accuracy)
                restarted.reportOffset(east: fix.east, north: fix.north, at: fix.t, accuracy: fix.accuracy)
                restarted.restart()
                restarted.sweep(at: restarted.now)
                plain.sweep(at: plain.now)
                #expect(restarted.ana == plain.ana, "case \(index), \(fix.t) s")
            }
        }
    }
}
