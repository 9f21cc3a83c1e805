import MusterCore
import MusterStore
import MusterTestSupport
import MusterWire
import Testing

@testable import MusterServer

/// Attendance rules on their way through the coordinator.
@Suite struct AttendanceCommitTests {
    private static let lea = UserNumber(9)

    /// Advances the clock by as many steps of ten seconds, and lets the writer look at it each time.
    private func pass(_ seconds: Double, _ town: Town) async throws {
        for _ in stride(from: 0, to: seconds, by: 10) {
            town.clock.advance(bySeconds: 10)
            for _ in 0..<2 { try await town.coordinator.inspect { _, _, _ in } }
        }
    }

    /// Ana's phone reports from a latitude for a minute and a half.
    private func stay(_ latitude: Double, _ town: Town) async throws {
        for _ in 0..<9 {
            try await pass(10, town)
            let seconds = town.clock.now.seconds - 1_700_000_000
            _ = try await town.coordinator.ingest([town.fix(latitude, at: seconds)])
        }
    }

    private func makeLeader(_ town: Town, role: Role = .leader) async throws {
        let user = User(number: Self.lea, name: "lea", role: role, team: TeamNumber(1))
        try await town.coordinator.edit { _, draft in draft.edits = [.putUser(user)] }
    }

    private func demand(_ town: Town, opensIncident: Bool = false) async throws {
        try await town.coordinator.withDecision { engine, transaction, decision, now in
            let rule = AttendanceRule(
                number: try transaction.nextAttendanceNumber(), team: TeamNumber(1), name: "gate",
                region: RegionNumber(1), subject: .role(.member), demand: .atLeast(1, afterSeconds: 60),
                opensIncident: opensIncident, note: "first aid", setBy: Self.lea, setAt: now)
            try engine.putAttendanceRule(rule, now: now, into: &decision)
        }
    }

    private func reports(_ town: Town) throws -> [AttendanceReport] {
        try town.store.changes(since: .zero, limit: 10_000).compactMap { logged in
            if case .attendance(let report) = logged.change { report } else { nil }
        }
    }

    private func restart(_ town: Town) async throws -> Town {
        try await town.coordinator.close()
        return try await Town(store: town.store, clock: town.clock)
    }

    @Test func `a lack is reported once across restarts, opens an incident, and ends by evidence`() async throws {
        var town = try await Town()
        try await makeLeader(town)
        try await stay(45, town)
        try await demand(town, opensIncident: true)
        #expect(try reports(town).map(\.turn) == [.made])
        #expect(try reports(town).first?.count.presentPeople == [Town.ana])
        try await stay(45.01, town)
        // It began, and its time is not over: the restart loses nothing of that.
        let since = try #require(try town.store.attendanceRules().first?.progress.lackingSince)
        town = try await restart(town)
        try await pass(120, town)
        let lack = try #require(try reports(town).last)
        #expect((lack.turn, lack.since, lack.count.absentPeople) == (.lacking, since, [Town.ana]))
        let incident = try #require(try town.store.openIncidents().first)
        #expect((incident.kind, incident.startedBy) == (.real, Self.lea))
        #expect(incident.note == "Too few are known to be in Square since \(since.rfc3339): the rule gate. first aid")
        town = try await restart(town)
        try await pass(300, town)
        #expect(try reports(town).map(\.turn) == [.made, .lacking])
        try await stay(45, town)
        #expect(try reports(town).map(\.turn) == [.made, .lacking, .enough])
        town = try await restart(town)
        try await pass(120, town)
        #expect(try reports(town).map(\.turn) == [.made, .lacking, .enough])
        #expect(try town.store.openIncidents().count == 1)
        // The audit lists the edits of users, without people's positions. It lists no report that time alone caused.
        let audited = try town.store.audit(before: nil, limit: 99).compactMap { entry -> AttendanceReport? in
            if case .attendance(let report) = entry.change { report } else { nil }
        }
        #expect(audited.map(\.turn) == [.made])
        #expect(audited.first?.count == AttendanceCount())
        try await town.coordinator.close()
    }

    @Test func `a rule whose author no longer leads the team reports the lack, and opens no incident`() async throws {
        let town = try await Town()
        try await makeLeader(town)
        try await demand(town, opensIncident: true)
        try await makeLeader(town, role: .member)
        try await pass(200, town)
        #expect(try reports(town).map(\.turn) == [.made, .lacking])
        #expect(try town.store.openIncidents().isEmpty)
        try await town.coordinator.close()
    }

    @Test func `rules and leaders hear of it with how many are not known, and who`() async throws {
        let town = try await Town()
        try await makeLeader(town)
        try await demand(town)
        try await pass(200, town)
        let origin = EventOrigin(account: "1", region: "r", store: "s")
        let directory = town.coordinator.directory
        let logged = try #require(
            try town.store.changes(since: .zero, limit: 1_000).last {
                if case .attendance = $0.change { true } else { false }
            })
        let (event, _) = try #require(EventMapper(origin: origin).event(of: logged, in: directory) { _, _ in nil })
        #expect(event.detailType == "Muster Attendance")
        let pattern = try EventPattern(
            parsing: """
                {"source": ["muster"], "detail": {"EventType": ["LACKING"], "Rule": ["gate"], "Team": ["crew"],
                 "Region": ["square"], "Collection": ["town"], "Role": ["member"], "Minimum": [1], "Present": [0],
                 "Absent": [0], "Unknown": [1], "Certain": [false], "UnknownUsers": ["ana"], "Note": ["first aid"]}}
                """)
        #expect(pattern.matches(event.envelope))
        let notification = try #require(PushRecipients(directory: directory, origin: origin).notification(of: logged))
        #expect(notification.recipients == .people([Self.lea]))
        #expect(notification.message.notice?.title == "Too few in Square")
        try await town.coordinator.close()
    }

    @Test func `a push about expected people names a single person`() async throws {
        let town = try await Town()
        try await makeLeader(town)
        try await demand(town)
        var report = try #require(try reports(town).first)
        let recipients = PushRecipients(
            directory: town.coordinator.directory, origin: EventOrigin(account: "1", region: "r", store: "s"))
        func check(_ turn: AttendanceReport.Turn, _ people: [UserNumber], _ title: String) {
            report.turn = turn
            report.count.absentPeople = turn == .notThere ? people : []
            report.count.unknownPeople = turn == .noWord ? people : []
            let logged = LoggedChange(
                sequence: LogSequence(1), committedAt: town.clock.now, change: .attendance(report))
            #expect(recipients.notification(of: logged)?.message.notice?.title == title)
        }
        check(.notThere, [Town.ana], "ana is expected in Square: not there")
        check(.noWord, [Town.ana], "ana is expected in Square: not known to be there")
        check(.noWord, [Town.ana, Self.lea], "Expected in Square: not known to be there")
        try await town.coordinator.close()
    }
}
