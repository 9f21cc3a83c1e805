import MusterCore
import MusterGeometry
import Testing

@testable import MusterWire

/// The roll call with people in doubt and people who seem to have left: as JSON, and in the printed report.
@Suite struct NamedRollTests {
    private static let time = Instant(milliseconds: 1_795_240_800_000)
    private static let square = NamedRegion(collection: "town", id: "sq", name: "Harbour <square>", isMuster: true)

    private static func person(
        _ number: Int32, _ name: String, _ state: Safety.State, source: Safety.Source? = nil, doubt: Doubt? = nil
    ) -> NamedRoll.Person {
        let safety = Safety(
            state: state, since: time, region: state == .offSite ? nil : RegionNumber(1), source: source, doubt: doubt)
        let named = NamedSafety(
            safety, region: safety.region == nil ? nil : square, markedBy: nil, acknowledgedBy: nil)
        return NamedRoll.Person(number: UserNumber(number), user: name, safety: named, lastSeen: nil)
    }

    /// Two people accounted for, one in doubt, and `left` people who seem to have left.
    private static func roll(left: Int32 = 1) -> NamedRoll {
        let incident = Incident(
            number: IncidentNumber(4), team: TeamNumber(1), kind: .drill, startedAt: time, startedBy: UserNumber(1))
        var people = [
            person(1, "ann", .safe), person(2, "ben", .offSite), person(3, "cleo", .safe, doubt: .stale),
        ]
        for number in 0..<left {
            people.append(person(10 + number, "dan\(number)", .unknown, source: .seemsToHaveLeft, doubt: .checking))
        }
        return NamedRoll(
            NamedIncident(incident, team: "crew", startedBy: "ann", closedBy: nil), people: people)
    }

    private static func report(_ roll: NamedRoll, as form: IncidentReport.Form) -> String {
        var report = IncidentReport(on: roll, as: form)
        report.begin()
        report.end()
        return report.takeBytes().text
    }

    @Test func `each person is accounted for, checking or unaccounted, and counted as such`() throws {
        var writer = JSONWriter()
        writer.beginObject()
        writer.members(of: Self.roll())
        writer.endObject()
        let json = try JSONValue(parsing: writer.bytes)
        #expect(
            writer.bytes.text.contains(
                #""counts":{"people":4,"accounted":2,"checking":1,"unaccounted":1}"#))
        let rows = (json["roll"]?.elements ?? []).map { ($0["accounted"]?.boolean, $0["checking"]?.boolean) }
        #expect(rows.map(\.0) == [true, true, false, false])
        #expect(rows.map(\.1) == [false, false, true, false])
    }

    @Test func `one who seems to have left is named, and several are counted, by region`() {
        #expect(Self.roll(left: 0).leavingWords == [])
        #expect(Self.roll(left: 1).leavingWords == ["dan0 seems to have left Harbour <square>"])
        #expect(Self.roll(left: 4).leavingWords == ["4 seem to have left Harbour <square>"])
    }

    @Test func `the printed report says who is in doubt and who seems to have left`() {
        let page = Self.report(Self.roll(left: 4), as: .html)
        #expect(page.contains("<dt>Accounted for</dt><dd>2 of 7; 1 checking, 4 unaccounted</dd>"))
        #expect(page.contains("<dt>Seem to have left</dt><dd>4 seem to have left Harbour &lt;square&gt;</dd>"))
        #expect(page.contains("<li class=\"checking\">cleo: safe"))
        #expect(page.contains("<td>cleo</td><td>checking</td>"))
        #expect(page.contains("<td>dan0</td><td>no</td>"))
    }

    @Test func `the CSV report lists who is in doubt apart from who is unaccounted`() {
        let rows = Self.report(Self.roll(), as: .csv).split(whereSeparator: \.isNewline).map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        #expect(rows.allSatisfy { $0.count == rows[0].count })
        #expect(rows[0].last == "doubt")
        #expect(
            rows.suffix(2).map { [$0[3], $0[4], $0.last ?? ""] } == [
                ["checking", "cleo", "stale"], ["unaccounted", "dan0", "checking"],
            ])
    }
}
