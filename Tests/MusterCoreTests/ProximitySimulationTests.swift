import MusterCore
import MusterGeometry
import Testing

/// Seeded hours of two people who walk about with noisy fixes and silences, and of restarts. What a fence around one of
/// them reports is compared with how far apart they really were.
@Suite struct ProximitySimulationTests {
    private static let radius = 60.0
    /// The standard deviation of a fix on each axis, metres.
    private static let noise = 4.0
    /// How wrong a report may be, metres: five deviations of the two fixes, and what both walk in an interval.
    private static let slack = 5 * 1.414 * noise + 14
    /// How long the confident policy may take to follow, seconds: after a silence it checks fixes that do not fit.
    private static let delay = 200.0

    private struct Walker {
        var phone: DeviceNumber
        var east = 0.0
        var north = 0.0
        var speed = (0.0, 0.0)
        var silentUntil = 0.0
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `every report of nearness is true and made once, and none is missing`(seed: UInt64) throws {
        var chance = Chance(seed: seed)
        var world = World.crew(silenceSeconds: 900)
        try world.measure(.person(World.ben), within: Self.radius, of: .person(World.ana))
        var walkers = [Walker(phone: World.phone), Walker(phone: World.bensPhone)]
        var followed = world.log.count
        var isNear = false
        var (nearSince, farSince): (Double?, Double?)
        var reports = 0
        for _ in 0..<2_000 {
            let second = world.now + 5
            for index in walkers.indices { step(&walkers[index], to: second, in: &world, &chance) }
            if chance.happens(0.01) { world.restartWithProximity() }
            world.sweep(at: second)
            let (east, north) = (walkers[0].east - walkers[1].east, walkers[0].north - walkers[1].north)
            let metres = (east * east + north * north).squareRoot()
            for case .proximity(let report) in world.log[followed...] {
                reports += 1
                #expect((report.turn == .near) != isNear, "seed \(seed): told twice at \(second)")
                isNear = report.turn == .near
                if isNear {
                    #expect(metres < Self.radius + Self.slack, "seed \(seed): near at \(metres) m")
                } else {
                    #expect(metres > Self.radius - Self.slack, "seed \(seed): left at \(metres) m")
                }
            }
            followed = world.log.count
            let isHeard = walkers.allSatisfy { second > $0.silentUntil }
            nearSince = isHeard && metres < Self.radius - Self.slack ? nearSince ?? second : nil
            farSince = isHeard && metres > Self.radius + Self.slack ? farSince ?? second : nil
            if let nearSince { #expect(isNear || second - nearSince < Self.delay, "seed \(seed): unreported") }
            if let farSince { #expect(!isNear || second - farSince < Self.delay, "seed \(seed): still near") }
        }
        #expect(reports >= 4, "seed \(seed): \(reports) reports")
    }

    /// Walks on for five seconds, and reports where that led.
    private func step(_ walker: inout Walker, to second: Double, in world: inout World, _ chance: inout Chance) {
        if chance.happens(0.03) {
            // Towards the middle, so that the two meet again.
            walker.speed = (0.5 * chance.normal() - walker.east / 300, 0.5 * chance.normal() - walker.north / 300)
        }
        if chance.happens(0.003) { walker.silentUntil = second + 200 }
        walker.east += 5 * walker.speed.0
        walker.north += 5 * walker.speed.1
        guard second > walker.silentUntil else { return }
        let perDegree = World.metresPerDegree
        world.report(
            45 + (walker.north + Self.noise * chance.normal()) / perDegree,
            14 + (walker.east + Self.noise * chance.normal()) / (perDegree * 0.708_1), at: second, accuracy: 6,
            by: walker.phone)
    }
}
