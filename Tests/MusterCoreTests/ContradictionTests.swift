import MusterCore
import MusterGeometry
import Testing

/// Fixes of one phone that contradict each other: good ones and poor ones of two sources, and wrong places in turn.
@Suite struct ContradictionTests {
    /// A degree of latitude at 45 to 46° is 111,151 m to a thousandth.
    private static let metre = 1 / 111_151.0
    private static let place = Coordinate(validLatitude: 46, longitude: 14)

    private func fix(
        metresNorth: Double, at seconds: Double, accuracy: Double = 8, speed: Double? = nil
    ) -> ConfidentFix {
        ConfidentFix(
            coordinate: Coordinate(validLatitude: 46 + metresNorth * Self.metre, longitude: 14),
            sampleTime: World.time(seconds), accuracyMetres: accuracy, speedMetresPerSecond: speed)
    }

    private func metresNorth(_ track: ConfidentTrack) -> Double { (track.estimate.latitude - 46) / Self.metre }

    @Test(arguments: Array(stride(from: 60.0, through: 175, by: 5)))
    func `fixes on one side move a track to no fix on the other side`(lie: Double) {
        var track = ConfidentTrack()
        for second in stride(from: 0.0, through: 600, by: 5) {
            track.advance(fix(metresNorth: 0, at: second, speed: 0))
        }
        // It says that it stands, so that these are checked for 180 s.
        for second in stride(from: 605.0, through: 600 + lie, by: 5) {
            track.advance(fix(metresNorth: 300, at: second, speed: 0))
        }
        track.advance(fix(metresNorth: -250, at: 605 + lie, accuracy: 100, speed: 0))
        #expect(abs(metresNorth(track)) < 20)
    }

    @Test func `an estimate of poor fixes gives way to one good fix that errs otherwise`() {
        var track = ConfidentTrack()
        for second in stride(from: 0.0, through: 3600, by: 30) {
            track.advance(fix(metresNorth: 0, at: second, accuracy: 100))
        }
        // The poor ones may all err by the same 70 m, and the good one lies 2.4 deviations of that away.
        track.advance(fix(metresNorth: 170, at: 3630, accuracy: 8))
        #expect(!track.isChecking && metresNorth(track) > 160)
        #expect(track.deviationMetres < 40)
    }

    @Test(arguments: [60.0, 120])
    func `a good fix now and then shows that poor ones on one side err alike`(every: Double) {
        var track = ConfidentTrack()
        for second in stride(from: 0.0, through: 600, by: 5) { track.advance(fix(metresNorth: 0, at: second)) }
        var farthest = 0.0
        for second in stride(from: 615.0, through: 7200, by: 15) {
            let isGood = second.truncatingRemainder(dividingBy: every) == 0
            track.advance(fix(metresNorth: isGood ? 0 : 280, at: second, accuracy: isGood ? 8 : 100))
            farthest = max(farthest, metresNorth(track))
        }
        #expect(farthest < 20)
    }

    /// Ana 40 m outside of an assembly point, as good fixes say every so often. Network fixes have her in the middle of
    /// it, 150 or 180 m away. They are followed for a while, until the next good one.
    @Test(arguments: [150.0, 180], [300.0, 600])
    func `poor fixes that a good one contradicts make nobody safe for long`(metres: Double, every: Double) {
        var world = World(policy: .confident)
        world.putSquare(1, at: 45, 14, half: 0.0012, isMuster: true)
        let outside = 45 - 0.0012 - 40 * Self.metre
        world.stay(outside, 14, from: 0, to: 600)
        #expect(world.ana.state == .unsafe)
        var (safe, all) = (0.0, 0.0)
        for second in stride(from: 630.0, through: 7800, by: 30) {
            let isGood = second.truncatingRemainder(dividingBy: every) == 0
            world.report(
                isGood ? outside : outside + metres * Self.metre, 14, at: second, accuracy: isGood ? 8 : 60)
            world.sweep(at: second + 1)
            all += 1
            if world.ana.state == .safe { safe += 1 }
        }
        #expect(safe <= 0.15 * all, "\(safe) of \(all)")
        // Good fixes inside tell again, whatever contradicted them before.
        world.stay(45, 14, from: 7810, to: 7900)
        #expect(world.ana.state == .safe)
    }

    @Test func `a contradiction outlives a restart, and no time makes whoever left safe`() {
        var world = World(silenceSeconds: 600, policy: .confident)
        world.putSquare(1, at: 45, 14, half: 0.0018, isMuster: true)
        for second in stride(from: 0.0, through: 1800, by: 30) { world.report(45, 14, at: second, accuracy: 60) }
        #expect(world.ana.state == .safe)
        world.report(45.004, 14, at: 1830, accuracy: 8)
        #expect(world.ana.state == .safe && world.ana.doubt == .checking)
        world.report(45, 14, at: 1860, accuracy: 60)
        #expect(world.ana.state == .unknown)
        world.restart(at: 1870)
        world.sweep(at: 1871)
        #expect(world.ana.state == .unknown)
        for second in stride(from: 1890.0, through: 2520, by: 30) { world.report(45, 14, at: second, accuracy: 60) }
        #expect(world.ana.state == .unknown)
        for second in stride(from: 2550.0, through: 2580, by: 5) { world.report(45, 14, at: second, accuracy: 10) }
        #expect(world.ana.state == .safe)
    }

    @Test func `another device inside removes no doubt about one whose fixes contradict each other`() {
        var world = World(policy: .confident)
        let tablet = DeviceNumber(2)
        world.edit(.putDevice(Device(number: tablet, name: "tablet", user: World.ana)))
        world.putSquare(1, at: 45, 14, half: 0.0018, isMuster: true)
        for second in stride(from: 0.0, through: 1800, by: 30) {
            world.report(45, 14, at: second, accuracy: 5, by: tablet)
            world.report(45, 14, at: second + 1, accuracy: 60)
        }
        #expect(world.ana.state == .safe && world.ana.doubt == nil)
        world.report(45.004, 14, at: 1830, accuracy: 8)
        world.report(45, 14, at: 1860, accuracy: 60)
        #expect(world.ana.state == .safe && world.ana.doubt == .checking)
        world.report(45, 14, at: 1870, accuracy: 8)
        world.sweep(at: 1871)
        #expect(world.ana.state == .safe && world.ana.doubt == nil)
    }

    @Test func `a stored track keeps a good fix beside poor ones`() {
        var track = ConfidentTrack()
        for second in stride(from: 0.0, through: 1800, by: 30) {
            track.advance(fix(metresNorth: 0, at: second, accuracy: 60))
        }
        track.advance(fix(metresNorth: 400, at: 1830, accuracy: 8))
        track.advance(fix(metresNorth: 0, at: 1860, accuracy: 60))
        #expect(!track.isChecking && ConfidentTrack(words: track.words) == track)
        var other = track
        other.advance(fix(metresNorth: 0, at: 1890, accuracy: 8))
        #expect(other.words[24] != track.words[24])
    }

    @Test(arguments: [5.0, 10], [8.0, 50, 150])
    func `fixes that contradict each other keep nobody safe beyond the limit of silence`(
        every: Double, accuracy: Double
    ) {
        for (isOneSided, limit) in [(false, 1200.0), (true, 300)] {
            var world = World(policy: .confident)
            world.putSquare(1, at: 45, 14, isMuster: true)
            world.stay(45, 14, from: 0, to: 600)
            #expect(world.ana.state == .safe)
            // 5 km to the north and the south in turn, or 6 and 11 km to the north.
            let places = isOneSided ? [45.06, 45.1] : [45.05, 44.95]
            for second in stride(from: 600 + every, through: 2400, by: every) {
                let place = places[Int(second / every) % 2]
                world.report(place, 14, at: second, accuracy: Metres(accuracy))
                world.sweep(at: second + 1)
                if second > 600 + limit { #expect(world.ana.state != .safe, "\(second)") }
            }
            #expect(world.crossings.contains("exit 1") == isOneSided)
            #expect(world.ana.state == (isOneSided ? .unsafe : .unknown))
            world.stay(45, 14, from: 2410, to: 2700)
            #expect(world.ana.state == .safe)
        }
    }
}
