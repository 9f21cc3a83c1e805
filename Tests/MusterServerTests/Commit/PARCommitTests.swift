import MusterCore
import MusterStore
import MusterTestSupport
import MusterWire
import Testing

@testable import MusterServer

/// PAR and handovers on their way through the coordinator.
@Suite struct PARCommitTests {
    private static let lea = UserNumber(9), max = UserNumber(10)
    private static let incident = IncidentNumber(1), team = TeamNumber(1)
    private static let origin = EventOrigin(account: "1", region: "r", store: "s")

    /// Ana's team with two leaders and a real incident, in which PAR is due every quarter of an hour.
    private func emergency(leaders: [UserNumber] = [lea, max]) async throws -> Town {
        let town = try await Town()
        try await town.coordinator.edit { directory, draft in
            var team = try #require(directory.teams[Self.team])
            team.incidents.parEverySeconds = 900
            draft.edits =
                [.putTeam(team)]
                + leaders.map { .putUser(User(number: $0, name: "l\($0.rawValue)", role: .leader, team: Self.team)) }
        }
        try await town.coordinator.withDecision { engine, transaction, decision, now in
            let incident = Incident(
                number: try transaction.nextIncidentNumber(), team: Self.team, kind: .real, startedAt: now,
                startedBy: Self.lea)
            try engine.start(incident, now: now, into: &decision)
        }
        return town
    }

    private func pass(_ seconds: Double, _ town: Town) async throws {
        town.clock.advance(bySeconds: seconds)
        for _ in 0..<2 { try await town.coordinator.inspect { _, _, _ in } }
    }

    private func report(_ present: Int32, _ town: Town) async throws {
        try await town.coordinator.withDecision { engine, _, decision, now in
            try engine.reportPAR(
                nil, present: present, note: nil, of: Self.incident, of: Self.team, by: Self.lea, now: now,
                into: &decision)
        }
    }

    private func logged(_ turn: Incident.Turn, _ town: Town) throws -> LoggedChange? {
        try town.store.changes(since: .zero, limit: 1_000).last {
            if case .incident(let incident) = $0.change { incident.turn == turn } else { false }
        }
    }

    private func turns(_ town: Town) throws -> [Incident.Turn] {
        try town.store.changes(since: .zero, limit: 1_000).compactMap {
            if case .incident(let incident) = $0.change { incident.turn } else { nil }
        }
    }

    @Test func `the timer requests PAR, and once more after the server was off for hours`() async throws {
        var town = try await emergency()
        try await pass(899, town)
        #expect(try turns(town) == [.started])
        try await pass(2, town)
        #expect(try turns(town) == [.started, .parRequested])
        try await town.coordinator.close()
        town.clock.advance(bySeconds: 20_000)
        town = try await Town(store: town.store, clock: town.clock)
        try await pass(0, town)
        #expect(try turns(town) == [.started, .parRequested, .parRequested])
        try await pass(299, town)
        #expect(try turns(town).last == .parRequested)
        try await pass(2, town)
        #expect(try turns(town).last == .parOverdue)
        try await report(3, town)
        #expect(try turns(town).suffix(2) == [.parReported, .parComplete])
        // What time does is nobody's, and what a leader reports is the leader's.
        let audited = try town.store.audit(before: nil, limit: 99).compactMap { entry -> Incident.Turn? in
            if case .incident(let incident) = entry.change { incident.turn } else { nil }
        }
        #expect(audited == [.parReported, .started])
        try await town.coordinator.close()
    }

    @Test func `rules hear of overdue crews, and leaders by push`() async throws {
        let town = try await emergency()
        try await pass(901, town)
        try await pass(301, town)
        let overdue = try #require(try logged(.parOverdue, town))
        let directory = town.coordinator.directory
        let mapper = EventMapper(origin: Self.origin)
        let (event, _) = try #require(mapper.event(of: overdue, in: directory) { _, _ in nil })
        let pattern = try EventPattern(
            parsing: """
                {"source": ["muster"], "detail-type": ["Muster Incident"], "detail": {"EventType": ["PAR_OVERDUE"],
                 "Team": ["crew"], "Incident": [1], "Par": [1], "Crews": {"People": [3]}, "Leader": ["l9"]}}
                """)
        #expect(pattern.matches(event.envelope))
        let recipients = PushRecipients(directory: directory, origin: Self.origin)
        let due = try #require(try logged(.parRequested, town))
        #expect(recipients.notification(of: due)?.recipients == .people([Self.lea, Self.max]))
        let notification = try #require(recipients.notification(of: overdue))
        #expect(notification.recipients == .people([Self.lea, Self.max]))
        #expect(notification.message.notice?.body == "crew: no report of people without a crew")
        try await town.coordinator.close()
    }

    @Test func `whoever takes over hears of it, and the audit log has it`() async throws {
        let town = try await emergency()
        try await town.coordinator.withDecision { engine, _, decision, now in
            try engine.handOver(
                Self.incident, of: Self.team, to: Self.max, named: "l10", note: nil, by: Self.lea, now: now,
                into: &decision)
        }
        let handover = try #require(try logged(.handedOver, town))
        let recipients = PushRecipients(directory: town.coordinator.directory, origin: Self.origin)
        #expect(recipients.notification(of: handover)?.recipients == .people([Self.max]))
        #expect(try town.store.openIncidents().first?.leader == Self.max)
        let entry = try #require(try town.store.audit(before: nil, limit: 1).first)
        #expect(entry.author == Self.lea && entry.change == handover.change)
        try await town.coordinator.close()
    }

    @Test func `an incident that a timer opens is led by nobody`() async throws {
        let town = try await Town()
        let leader = User(number: Self.lea, name: "lea", role: .leader, team: Self.team)
        try await town.coordinator.edit { _, draft in draft.edits = [.putUser(leader)] }
        try await town.coordinator.withDecision { engine, _, decision, now in
            let timer = CheckInTimer(
                intervalSeconds: 600, opensIncident: true, setBy: Self.lea, lastWord: now, now: now)
            try engine.startTimer(timer, of: Town.ana, into: &decision)
        }
        for seconds in [601.0, 121, 601] { try await pass(seconds, town) }
        let incident = try #require(try town.store.openIncidents().first)
        #expect(incident.startedBy == Self.lea && incident.leader == nil)
        try await town.coordinator.close()
    }
}
