import MusterCore
import MusterGeometry
import Testing

/// Seeded hours of people who come, go and fall silent, with noisy fixes, restarts and clock jumps. The reports are
/// compared with what the people really did.
@Suite struct AttendanceSimulationTests {
    /// What a person really does.
    private struct Walker {
        var user: UserNumber
        var phone: DeviceNumber
        var isInside = false
        var isSilent = false
        /// Since when the two have been so.
        var since = 0.0
        var lastFix = -1e9
    }

    private static let after = 120.0
    private static let silence = 300.0
    /// How long the confident policy, the next look at the clock and a quiet minute may take together.
    private static let slack = 150.0

    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func `every attendance report is true, in time, and made once`(seed: UInt64) throws {
        var chance = Chance(seed: seed)
        var world = World.crew(silenceSeconds: Self.silence)
        try world.demand(2, after: Self.after)
        var walkers = [
            (World.ana, World.phone), (World.lea, World.leasPhone), (World.ben, World.bensPhone),
        ].map {
            Walker(user: $0.0, phone: $0.1, since: world.now)
        }
        var followed = world.log.count
        var isTold = false
        var reports = 0
        for _ in 0..<1_500 {
            let second = world.now + 5
            for index in walkers.indices where chance.happens(0.008) {
                if chance.happens(0.5) {
                    walkers[index].isInside.toggle()
                } else {
                    walkers[index].isSilent.toggle()
                }
                walkers[index].since = second
            }
            for index in walkers.indices where !walkers[index].isSilent {
                let latitude = (walkers[index].isInside ? 45 : 45.01) + chance.normal() * 0.00004
                world.report(
                    latitude, 14 + chance.normal() * 0.00004, at: second, accuracy: 6,
                    by: walkers[index].phone)
                walkers[index].lastFix = second
            }
            if chance.happens(0.01) {
                // Killed between two commits: what is on disk is what was decided so far.
                world.restart(rules: world.engine.attendanceRules(of: World.team), silentFor: 0)
            }
            world.sweep(at: second)
            for case .attendance(let report) in world.log[followed...] {
                check(report, walkers, wasTold: isTold, now: second, seed: seed)
                isTold = report.turn == .lacking
                reports += 1
            }
            followed = world.log.count
            let steady = walkers.filter { second - $0.since > Self.slack }
            guard steady.count == walkers.count else { continue }
            let there = walkers.count { $0.isInside && !$0.isSilent }
            if there >= 2 {
                #expect(!isTold, "seed \(seed), \(second) s: \(there) are there, and a lack stands")
            }
            let isLong = walkers.allSatisfy {
                second - $0.since > Self.silence + Self.after + 2 * Self.slack
            }
            if there < 2, isLong {
                #expect(isTold, "seed \(seed), \(second) s: \(there) are there, and nobody is told")
            }
        }
        #expect(reports > 0, "seed \(seed): nothing happened")
    }

    private func check(
        _ report: AttendanceReport, _ walkers: [Walker], wasTold: Bool, now: Double, seed: UInt64
    ) {
        let place = "seed \(seed), \(now) s"
        #expect(report.turn == (wasTold ? .enough : .lacking), "\(place): \(report.turn) again")
        #expect(report.count.present + report.count.absent + report.count.unknown == 3, "\(place)")
        #expect((report.count.present < 2) == (report.turn == .lacking), "\(place)")
        if report.turn == .lacking {
            let lasted = report.since.map { World.time(now).seconds(since: $0) } ?? 0
            #expect(lasted >= Self.after, "\(place): told after \(lasted) s")
        }
        for walker in walkers {
            // Nothing is expected about a person who is silent, because the engine cannot know where they go.
            let isSteady = now - walker.since > Self.slack && !walker.isSilent
            if report.count.presentPeople.contains(walker.user) {
                #expect(
                    now - walker.lastFix <= Self.silence, "\(place): \(walker.user) is silent, and present")
                #expect(walker.isInside || !isSteady, "\(place): \(walker.user) is elsewhere, and present")
            }
            if report.count.absentPeople.contains(walker.user) {
                #expect(!walker.isInside || !isSteady, "\(place): \(walker.user) is there, and absent")
            }
        }
    }
}
