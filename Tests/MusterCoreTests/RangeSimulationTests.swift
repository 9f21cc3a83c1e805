import MusterCore
import MusterGeometry
import Testing

/// Seeded hours of two people with radios and noisy fixes, of silences and restarts. What a fence of a few metres
/// reports is compared with how far apart they really were.
@Suite struct RangeSimulationTests {
    private static let radius = 5.0
    private static let noise = 4.0
    /// The radio's reach, metres.
    private static let reach = 40.0
    /// How wrong a report may be, metres: five deviations of the radio, and an obstacle.
    private static let slack = 2.5

    private struct Walker {
        var phone: DeviceNumber
        var peer: DeviceNumber
        var east = 0.0
        var north = 0.0
        var speed = (0.0, 0.0)
        var silentUntil = 0.0
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `a fence of five metres is reported as it was, once, and soon`(seed: UInt64) throws {
        var chance = Chance(seed: seed)
        var world = World.crew(silenceSeconds: 900)
        for phone in [World.phone, World.bensPhone] { world.agree(phone) }
        try world.measure(.person(World.ben), within: Self.radius, of: .person(World.ana))
        var walkers = [
            Walker(phone: World.phone, peer: World.bensPhone), Walker(phone: World.bensPhone, peer: World.phone),
        ]
        var (followed, reports, isNear) = (world.log.count, 0, false)
        var nearSince: Double?
        for _ in 0..<4_000 {
            let second = world.now + 1
            for index in walkers.indices { step(&walkers[index], to: second, in: &world, &chance) }
            let metres = Self.distance(walkers)
            for walker in walkers { measure(by: walker, metres, at: second, in: &world, &chance) }
            if chance.happens(0.01) { world.restartWithRanges() }
            world.sweep(at: second)
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
            if let nearSince { #expect(isNear || second - nearSince < 40, "seed \(seed): unreported at \(second)") }
        }
        #expect(reports >= 4, "seed \(seed): \(reports) reports")
    }

    private static func distance(_ walkers: [Walker]) -> Double {
        let (east, north) = (walkers[0].east - walkers[1].east, walkers[0].north - walkers[1].north)
        return (east * east + north * north).squareRoot()
    }

    /// Walks on for a second. Every fifth tells a fix.
    private func step(_ walker: inout Walker, to second: Double, in world: inout World, _ chance: inout Chance) {
        if chance.happens(0.02) {
            // Towards the middle, so that the two meet again.
            walker.speed = (0.3 * chance.normal() - walker.east / 60, 0.3 * chance.normal() - walker.north / 60)
            let speed = (walker.speed.0 * walker.speed.0 + walker.speed.1 * walker.speed.1).squareRoot()
            if speed > 1 { walker.speed = (walker.speed.0 / speed, walker.speed.1 / speed) }
        }
        if chance.happens(0.001) { walker.silentUntil = second + 120 }
        walker.east += walker.speed.0
        walker.north += walker.speed.1
        guard second > walker.silentUntil, Int(second) % 5 == 0 else { return }
        let perDegree = World.metresPerDegree
        world.report(
            45 + (walker.north + Self.noise * chance.normal()) / perDegree,
            14 + (walker.east + Self.noise * chance.normal()) / (perDegree * 0.708_1), at: second, accuracy: 6,
            by: walker.phone)
    }

    /// Measures as a radio does, every third second; one time in ten something stands between.
    private func measure(
        by walker: Walker, _ metres: Double, at second: Double, in world: inout World, _ chance: inout Chance
    ) {
        guard second > walker.silentUntil, metres < Self.reach, Int(second) % 3 == 0 else { return }
        let isBlocked = chance.happens(0.1)
        let measured = metres + 0.1 * chance.normal() + (isBlocked ? chance.number(0...0.8) : 0)
        world.range(
            max(0, measured), deviation: isBlocked ? 0.5 : 0.1, from: walker.phone, to: walker.peer, at: second)
    }
}
