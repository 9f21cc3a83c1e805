import MusterCore
import MusterStore
import MusterTestSupport
import MusterWire
import Testing

@testable import MusterServer

/// Check-in timers on their way through the coordinator.
@Suite struct CheckInCommitTests {
    private static let lea = UserNumber(9)

    private func awaitSweep(of town: Town) async throws {
        for _ in 0..<2 { try await town.coordinator.inspect { _, _, _ in } }
    }

    private func start(_ town: Town, opensIncident: Bool = false, by author: UserNumber = Town.ana) async throws {
        try await town.coordinator.withDecision { engine, _, decision, now in
            let timer = CheckInTimer(
                intervalSeconds: 600, leaderAfterSeconds: 120, sosAfterSeconds: 300, opensIncident: opensIncident,
                note: "roof", setBy: author, lastWord: now, now: now)
            try engine.startTimer(timer, of: Town.ana, into: &decision)
        }
    }

    private func turns(_ town: Town) throws -> [CheckInTimer.Turn] {
        try town.store.changes(since: .zero, limit: 1_000).compactMap { logged in
            if case .checkInTimer(let timer, _) = logged.change { timer.turn } else { nil }
        }
    }

    /// Advances the clock and lets the writer look at it, as often as there are steps.
    private func pass(_ seconds: [Double], _ town: Town) async throws {
        for step in seconds {
            town.clock.advance(bySeconds: step)
            try await awaitSweep(of: town)
        }
    }

    private func makeLeader(_ town: Town, role: Role = .leader) async throws {
        let user = User(number: Self.lea, name: "lea", role: role, team: TeamNumber(1))
        try await town.coordinator.edit { _, draft in draft.edits = [.putUser(user)] }
    }

    @Test func `a timer that runs out raises an SOS and opens a real incident, across restarts`() async throws {
        let store = MemoryStore()
        var town = try await Town(store: store)
        try await makeLeader(town)
        try await start(town, opensIncident: true, by: Self.lea)
        try await pass([599], town)
        #expect(try turns(town) == [.started])
        try await pass([2], town)
        #expect(try turns(town) == [.started, .reminded])
        try await town.coordinator.close()
        town = try await Town(store: store, clock: town.clock)
        // The clock stands still until the writer has begun.
        try await awaitSweep(of: town)
        try await pass([119, 2, 299], town)
        #expect(try turns(town) == [.started, .reminded, .overdue])
        #expect(try store.openIncidents().isEmpty)
        try await pass([2], town)
        #expect(try turns(town) == [.started, .reminded, .overdue, .sos])
        let incident = try #require(try store.openIncidents().first)
        #expect((incident.kind, incident.startedBy) == (.real, Self.lea))
        #expect(incident.note?.hasPrefix("No word from ana since ") == true)
        #expect(try store.roll(of: incident.number).contains { $0.person == Town.ana && $0.safety.state == .sos })
        #expect(try store.safety().first { $0.user == Town.ana }?.safety.source == .checkInTimer)
        // The start is somebody's hand; what time does is nobody's.
        let audit = try store.audit(before: nil, limit: 9)
        #expect(audit.count { if case .checkInTimer = $0.change { true } else { false } } == 1)
        try await town.coordinator.close()
    }

    @Test func `a timer whose author no longer leads the team opens no incident`() async throws {
        let town = try await Town()
        try await makeLeader(town)
        try await start(town, opensIncident: true, by: Self.lea)
        try await makeLeader(town, role: .member)
        try await pass([601, 121, 301], town)
        #expect(try turns(town).last == .sos)
        #expect(try town.store.openIncidents().isEmpty)
        try await town.coordinator.close()
    }

    @Test func `a real incident that is open is not opened again`() async throws {
        let town = try await Town()
        try await makeLeader(town)
        try await start(town, opensIncident: true, by: Self.lea)
        try await town.coordinator.withDecision { engine, transaction, decision, now in
            let incident = Incident(
                number: try transaction.nextIncidentNumber(), team: TeamNumber(1), kind: .real, startedAt: now,
                startedBy: Self.lea)
            try engine.start(incident, now: now, into: &decision)
        }
        try await pass([601, 121, 301], town)
        #expect(try turns(town).last == .sos)
        #expect(try town.store.openIncidents().map(\.number) == [IncidentNumber(1)])
        try await town.coordinator.close()
    }

    @Test func `the person is notified first, then the leader, by push and by rules`() async throws {
        let town = try await Town()
        try await makeLeader(town)
        try await start(town)
        try await pass([601, 121], town)
        let directory = town.coordinator.directory
        let recipients = PushRecipients(
            directory: directory, origin: EventOrigin(account: "1", region: "r", store: "s"))
        let told = try town.store.changes(since: .zero, limit: 1_000).compactMap {
            logged -> PushRecipients.Recipients? in
            guard case .checkInTimer = logged.change else { return nil }
            return recipients.notification(of: logged)?.recipients
        }
        #expect(told == [.people([Town.ana]), .people([Self.lea])])
        try await town.coordinator.close()
    }
}
