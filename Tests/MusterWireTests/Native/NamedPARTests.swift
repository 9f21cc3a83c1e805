import MusterCore
import MusterWire
import Testing

/// PAR and handovers as the API shows them.
@Suite struct NamedPARTests {
    private static let time = Instant(seconds: 1_795_240_800)
    private static let crews = [
        PARCount(crew: CrewNumber(3), name: "Engine <3>", people: 4, present: 3),
        PARCount(crew: nil, name: nil, people: 2),
    ]

    private static func line(
        _ event: IncidentEntry.Event, _ detail: IncidentDetail, author: UserNumber? = nil, note: String? = nil
    ) -> IncidentEntry {
        IncidentEntry(
            incident: IncidentNumber(4), at: time, person: IncidentEntry.nobody, event: event,
            safety: Safety(state: .unknown, since: time), lastSeen: nil, author: author, note: note, detail: detail)
    }

    /// A round that Engine <3> reported, and the people in no crew did not, until they were overdue.
    private static func round() throws -> NamedPARRound {
        let asked = crews.map { PARCount(crew: $0.crew, name: $0.name, people: $0.people) }
        let lines = [
            line(.parRequested, .par(.init(round: 2, dueAt: time, crews: asked))),
            line(.parReported, .par(.init(round: 2, crews: [crews[0]])), author: UserNumber(1), note: "=pump"),
            line(.parOverdue, .par(.init(round: 2, crews: [crews[1]]))),
        ]
        let round = try #require(PARRound.rounds(of: lines).last)
        return NamedPARRound(round, requestedBy: nil, reporters: ["bob", nil])
    }

    private func written(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        write(&writer)
        writer.endObject()
        return String(decoding: writer.takeBytes(), as: UTF8.self)
    }

    @Test func `a round lists its crews, last the people without one`() throws {
        let par = NamedPAR(
            newest: try Self.round(), timer: PARTimer(everySeconds: 900, graceSeconds: 300), nextAt: Self.time)
        let time = #""2026-11-21T06:00:00.000Z""#
        let expected =
            #"{"parTimer":{"everySeconds":900,"graceSeconds":300,"nextTime":TIME},"par":{"number":2,"#
            + #""requestedTime":TIME,"requestedBy":null,"dueTime":TIME,"isComplete":false,"overdueTime":TIME,"crews":["#
            + #"{"crew":"Engine <3>","people":4,"present":3,"reportedTime":TIME,"reportedBy":"bob","note":"=pump","#
            + #""isOverdue":false,"isShort":true},{"people":2,"isOverdue":true,"isShort":false}],"graceSeconds":300,"#
            + #""everySeconds":900,"nextTime":TIME}}"#
        #expect(written { $0.members(of: par) } == expected.replacing("TIME", with: time))
    }

    @Test func `a change says what happened to PAR, and to whom the lead went`() {
        func check(_ turn: Incident.Turn, _ news: NamedIncidentNews, _ expected: String) {
            #expect(written { $0.members(of: news, turn) } == expected)
        }
        check(
            .parReported,
            NamedIncidentNews(detail: .par(.init(round: 2, crews: [Self.crews[0]])), at: Self.time, by: "bob"),
            #"{"by":"bob","parNumber":2,"crew":"Engine <3>","people":4,"present":3}"#)
        check(
            .parOverdue,
            NamedIncidentNews(detail: .par(.init(round: 2, crews: [Self.crews[1]])), at: Self.time, by: nil),
            #"{"parNumber":2,"crews":[{"people":2}]}"#)
        check(
            .parOverdue,
            NamedIncidentNews(
                detail: .par(.init(round: 2, crews: [PARCount(crew: nil, name: nil, people: 3, isVisitors: true)])),
                at: Self.time, by: nil),
            #"{"parNumber":2,"crews":[{"visitors":true,"people":3}]}"#)
        check(
            .parTimerSet, NamedIncidentNews(detail: .parTimer(PARTimer()), at: Self.time, by: "bob"),
            #"{"by":"bob","everySeconds":null,"graceSeconds":300}"#)
        check(
            .handedOver,
            NamedIncidentNews(
                detail: .handedOver(to: UserNumber(7), from: UserNumber(8)), at: Self.time, by: "bob", leader: "ann",
                formerLeader: "lea"),
            #"{"by":"bob","to":"ann","from":"lea","handedOverTime":"2026-11-21T06:00:00.000Z"}"#)
    }

    @Test func `the page of the report says which crew is short and which is overdue, and escapes names`() throws {
        let incident = Incident(
            number: IncidentNumber(4), team: TeamNumber(1), kind: .real, startedAt: Self.time, startedBy: UserNumber(1))
        let named = NamedIncident(incident, team: "crew", startedBy: "bob", leader: "bob", closedBy: nil)
        var report = IncidentReport(on: NamedRoll(named, people: []), parRounds: [try Self.round()], as: .html)
        report.begin()
        report.end()
        let page = String(decoding: report.takeBytes(), as: UTF8.self)
        #expect(page.contains("<td>Engine &lt;3&gt;</td><td class=\"missing\">3 of 4, short</td>"))
        #expect(page.contains("<td>without a crew</td><td class=\"missing\">overdue, no report of 2</td>"))
        #expect(page.contains(" by the timer</td>") && page.contains("<dt>Led by</dt><dd>bob</dd>"))
    }
}
