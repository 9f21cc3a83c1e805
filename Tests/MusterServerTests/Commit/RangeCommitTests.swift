import MusterCore
import MusterStore
import MusterTestSupport
import Testing

@testable import MusterServer

/// Measured ranges on their way through the coordinator.
@Suite struct RangeCommitTests {
    private static let ben = UserNumber(2)
    private static let bensPhone = DeviceNumber(2)

    /// Adds Ben, whose phone may be measured, and a fence of three metres around him.
    private func addBen(to town: Town) async throws {
        try await town.coordinator.edit { directory, draft in
            let team = directory.users[Town.ana]?.team
            draft.edits = [
                .putUser(User(number: try draft.transaction.nextUserNumber(), name: "ben", role: .member, team: team)),
                .putDevice(
                    Device(
                        number: try draft.transaction.nextDeviceNumber(), name: "phone", user: Self.ben,
                        rangeTag: RangeTag(high: 1, low: 2))),
            ]
        }
        try await town.coordinator.withDecision { engine, transaction, decision, now in
            let rule = ProximityRule(
                number: try transaction.nextProximityNumber(), team: TeamNumber(1), name: "near",
                centre: .person(Self.ben), radiusMetres: 3, demand: .fence, setBy: Town.ana, setAt: now)
            try engine.putProximityRule(rule, now: now, into: &decision)
        }
    }

    private func range(_ metres: Double, secondsAgo: Double = 0, in town: Town) -> Observation {
        .range(
            PeerRange(
                to: Self.bensPhone, sampleTime: town.clock.now.advanced(bySeconds: -secondsAgo),
                receivedTime: town.clock.now, metres: metres, deviationMetres: 0.3, source: .ultraWideband),
            of: Town.phone)
    }

    private func reading(in town: Town) async throws -> ProximityReading? {
        let now = town.clock.now
        return try await town.coordinator.inspect { engine, _, _ in
            engine.proximityRules(of: TeamNumber(1)).first.flatMap { engine.proximity(of: $0, now: now).first }
        }
    }

    private func turns(in town: Town) throws -> [ProximityReport.Turn] {
        try town.store.changes(since: .zero, limit: 1_000).compactMap { logged in
            if case .proximity(let report) = logged.change { report.turn } else { nil }
        }
    }

    @Test func `a restart takes up the fresh ranges, repeats no report, and knows a repetition`() async throws {
        let town = try await Town()
        try await addBen(to: town)
        let first = range(2, in: town)
        #expect(try await town.coordinator.ingest([first]).tally.accepted == 1)
        #expect(try turns(in: town) == [.made, .near])
        town.clock.advance(bySeconds: 1)
        let again = try await Town(store: town.store, clock: town.clock)
        #expect(try await reading(in: again)?.metres == 2)
        #expect(try await again.coordinator.ingest([first]).tally.repeated == 1)
        // Older than the last that the first server took.
        #expect(try await again.coordinator.ingest([range(20, secondsAgo: 5, in: again)]).tally.late == 1)
        #expect(try await again.coordinator.ingest([range(20, in: again)]).tally.accepted == 1)
        #expect(try turns(in: again) == [.made, .near, .left])
        again.clock.advance(bySeconds: 60)
        let last = try await Town(store: town.store, clock: town.clock)
        #expect(try await reading(in: last)?.metres == nil)
        try await last.coordinator.close()
    }

    @Test func `a range does not show that its owner was heard: a silent owner stays unknown`() async throws {
        let town = try await Town()
        try await addBen(to: town)
        _ = try await town.coordinator.ingest([town.fix(45, at: 0), town.fix(45, at: 5)])
        town.clock.advance(bySeconds: 700)
        for _ in 0..<2 { try await town.coordinator.inspect { _, _, _ in } }
        for expected in [(1, 0), (0, 1)] {
            let receipt = try await town.coordinator.ingest([range(1, in: town)])
            #expect((receipt.tally.accepted, receipt.tally.repeated) == expected)
            for _ in 0..<2 { try await town.coordinator.inspect { _, _, _ in } }
            let safety = try await town.coordinator.inspect { engine, _, _ in engine.safety(of: Town.ana).state }
            #expect(safety == .unknown)
        }
        try await town.coordinator.close()
    }

    @Test func `a tag that was withdrawn before the writer came to the range stores nothing`() async throws {
        let town = try await Town()
        try await addBen(to: town)
        let underWay = range(2, in: town)
        try await town.coordinator.edit { directory, draft in
            guard var phone = directory.devices[Self.bensPhone] else { return }
            phone.rangeTag = nil
            draft.edits = [.putDevice(phone)]
        }
        #expect(try await town.coordinator.ingest([underWay]).tally.filtered == 1)
        #expect(
            try town.store.ranges(
                of: Town.phone, from: .init(milliseconds: 0), to: town.clock.now, after: nil, limit: 9
            ).isEmpty)
        try await town.coordinator.close()
    }
}
