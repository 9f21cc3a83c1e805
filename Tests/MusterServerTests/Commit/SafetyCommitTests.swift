import MusterCore
import MusterStore
import MusterTestSupport
import Testing

@testable import MusterServer

/// Declarations and incidents on their way through the coordinator.
@Suite struct SafetyCommitTests {
    /// Someone who leads Ana's team, in name only.
    private static let lea = UserNumber(9)

    private func declaration(_ kind: Declaration.Kind, _ id: String, by author: UserNumber = Town.ana, _ town: Town)
        -> Observation
    {
        .declaration(
            Declaration(
                id: id, subject: Town.ana, author: author, kind: kind, sampleTime: town.clock.now,
                receivedTime: town.clock.now, note: "stairs"))
    }

    private func changes(_ town: Town) throws -> [Change] {
        try town.store.changes(since: .zero, limit: 1_000).map(\.change)
    }

    private func reminders(_ town: Town) throws -> Int {
        try changes(town).count { change in
            if case .reminder = change { true } else { false }
        }
    }

    /// Waits until the writer has looked at who waits and who is silent: it does so after every job.
    private func awaitSweep(of town: Town) async throws {
        for _ in 0..<2 { try await town.coordinator.inspect { _, _, _ in } }
    }

    private func start(_ number: Int32, _ town: Town) async throws {
        try await town.coordinator.withDecision { engine, transaction, decision, now in
            let incident = Incident(
                number: try transaction.nextIncidentNumber(), team: TeamNumber(1), kind: .drill, startedAt: now,
                startedBy: Self.lea)
            #expect(incident.number == IncidentNumber(number))
            try engine.start(incident, now: now, into: &decision)
        }
    }

    @Test func `the same declaration twice changes nothing, in one request or in two`() async throws {
        let town = try await Town()
        let call = declaration(.sos, "a", town)
        let first = try await town.coordinator.ingest([call, call])
        #expect((first.tally.accepted, first.tally.repeated) == (1, 1))
        let second = try await town.coordinator.ingest([call])
        #expect((second.tally.repeated, second.sequence) == (1, first.sequence))
        #expect(try town.store.declarations(of: Town.ana, after: nil, limit: 9).count == 1)
        try await town.coordinator.close()
    }

    @Test func `an edit that the engine's state forbids changes nothing`() async throws {
        struct Refusal: Error {}
        let town = try await Town()
        func remove() async throws {
            try await town.coordinator.edit(by: Author(user: Town.ana)) { engine in
                guard !engine.safety(of: Town.ana).state.isCall else { throw Refusal() }
            } _: { directory, draft in
                draft.edits = directory.removal(of: Town.ana)
            }
        }
        _ = try await town.coordinator.ingest([declaration(.sos, "a", town)])
        let sequence = town.store.lastSequence
        await #expect(throws: Refusal.self) { try await remove() }
        #expect(town.coordinator.directory.users[Town.ana] != nil && town.store.lastSequence == sequence)
        town.clock.advance(bySeconds: 1)
        _ = try await town.coordinator.ingest([declaration(.clear, "b", by: Self.lea, town)])
        try await remove()
        #expect(town.coordinator.directory.users[Town.ana] == nil)
        try await town.coordinator.close()
    }

    @Test func `a call for help is repeated each minute until it is acknowledged, also after a restart`() async throws {
        let store = MemoryStore()
        var town = try await Town(store: store)
        _ = try await town.coordinator.ingest([declaration(.sos, "a", town)])
        try await awaitSweep(of: town)
        #expect(try reminders(town) == 0)
        for expected in 1...3 {
            town.clock.advance(bySeconds: Engine.reminderSeconds)
            try await awaitSweep(of: town)
            #expect(try reminders(town) == expected)
        }
        let clock = town.clock
        try await town.coordinator.close()
        town = try await Town(store: store)
        town.clock.advance(bySeconds: clock.now.seconds(since: town.clock.now) + 10 * Engine.reminderSeconds)
        try await awaitSweep(of: town)
        #expect(try reminders(town) == 4)
        _ = try await town.coordinator.ingest([declaration(.acknowledge, "b", by: Self.lea, town)])
        town.clock.advance(bySeconds: 10 * Engine.reminderSeconds)
        try await awaitSweep(of: town)
        #expect(try reminders(town) == 4)
        try await town.coordinator.close()
    }

    @Test func `an incident is on disk with its record and its audit entry, and survives a restart`() async throws {
        let store = MemoryStore()
        var town = try await Town(store: store)
        try await start(1, town)
        #expect(try store.openIncidents().map(\.number) == [IncidentNumber(1)])
        #expect(try store.roll(of: IncidentNumber(1)).map(\.event) == [.present])
        try await town.coordinator.close()
        town = try await Town(store: store)
        await #expect(throws: IncidentError.isOpen(IncidentNumber(1))) { try await start(2, town) }
        _ = try await town.coordinator.ingest([declaration(.safe, "a", by: Self.lea, town)])
        #expect(try store.incident(IncidentNumber(1))?.allAccountedAt == town.clock.now)
        #expect(
            try store.record(of: IncidentNumber(1), after: 0, limit: 9).map(\.entry.event)
                == [.present, .changed, .allAccounted, .declared])
        // The declaration without its note; that all are accounted for was nobody's hand.
        let audit = try store.audit(before: nil, limit: 9)
        #expect(audit.map(\.author) == [Self.lea, Self.lea])
        guard case .declaration(let declaration, isCurrent: true) = audit[0].change, case .incident = audit[1].change
        else {
            Issue.record("\(audit)")
            return
        }
        #expect(declaration.note == nil)
        try await town.coordinator.withDecision { engine, _, decision, now in
            try engine.close(
                IncidentNumber(1), of: TeamNumber(1), by: Self.lea, reason: "all clear", now: now, into: &decision)
        }
        #expect(try store.openIncidents().isEmpty)
        #expect(try store.audit(before: nil, limit: 1).map(\.author) == [Self.lea])
        // A number that was refused is given again: nothing of that transaction happened.
        try await start(2, town)
        try await town.coordinator.close()
    }

    @Test func `a user removed during an incident is on its roll in the same transaction, also after a restart`()
        async throws
    {
        let store = MemoryStore()
        var town = try await Town(store: store)
        try await start(1, town)
        try await town.coordinator.edit { directory, draft in draft.edits = directory.removal(of: Town.ana) }
        let removed = try #require(try store.roll(of: IncidentNumber(1)).first { $0.event == .removed })
        #expect(removed.name == "ana")
        #expect(try changes(town).contains(.roll(removed, of: TeamNumber(1))))
        try await town.coordinator.close()
        town = try await Town(store: store)
        let roll = try await town.coordinator.inspect { engine, _, _ in engine.roll(of: IncidentNumber(1)) }
        #expect(roll.holds(Town.ana))
        try await town.coordinator.close()
    }

    @Test func `a team is not removed while an incident of it is open`() async throws {
        let town = try await Town()
        try await start(1, town)
        await #expect(throws: IncidentError.keepsTeam(IncidentNumber(1))) {
            try await town.coordinator.edit { directory, draft in draft.edits = directory.removal(of: TeamNumber(1)) }
        }
        #expect(town.coordinator.directory.teams[TeamNumber(1)] != nil)
        try await town.coordinator.close()
    }

    @Test func `an edit is audited with its author, and an edit of the server's own is not`() async throws {
        let town = try await Town()
        #expect(try town.store.audit(before: nil, limit: 9).isEmpty)
        let user = User(number: Town.ana, name: "ana", role: .leader, team: TeamNumber(1))
        let principal = Principal(
            User(number: Self.lea, name: "lea", role: .admin, team: nil), device: nil, proof: .apiKey)
        try await town.coordinator.edit(by: Author(principal)) { _, draft in draft.edits = [.putUser(user)] }
        let audit = try town.store.audit(before: nil, limit: 9)
        #expect(audit.map(\.author) == [Self.lea])
        #expect(audit.map(\.change) == [.directory(.user(Town.ana), removed: false)])
        #expect(audit.map(\.sequence) == [town.store.lastSequence])
        try await town.coordinator.close()
    }
}
