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
        #expect(page.contains("<td>cleo</td><td></td><td>checking</td>"))
        #expect(page.contains("<td>dan0</td><td></td><td>no</td>"))
    }

    @Test func `the CSV report lists who is in doubt apart from who is unaccounted`() {
        let rows = Self.report(Self.roll(), as: .csv).split(whereSeparator: \.isNewline).map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        #expect(rows.allSatisfy { $0.count == rows[0].count })
        #expect(
            rows[0].suffix(14) == [
                "doubt", "crew", "phone", "par", "people", "present", "callSeenAt", "declared", "declaredTime",
                "firstAccountedTime", "mark", "markTime", "markBy", "displayName",
            ])
        #expect(rows.suffix(4).map { $0[3] + " " + $0[4] }.prefix(2) == ["accounted ann", "accounted ben"])
        #expect(
            rows.suffix(2).map { [$0[3], $0[4]] + $0.dropLast(11).suffix(3) } == [
                ["checking", "cleo", "stale", "", ""], ["unaccounted", "dan0", "checking", "", ""],
            ])
    }

    /// Ann and dan0 are in Engine <3>, ben in Boat, and cleo in no crew; dan0 has a telephone.
    private static func crewedRoll() -> NamedRoll {
        var roll = roll()
        for (index, crew) in ["Engine <3>", "Boat", nil, "Engine <3>"].enumerated() { roll.people[index].crew = crew }
        roll.people[3].phone = "+44 7700 900003"
        return roll
    }

    @Test func `each crew is counted, by name, and last the people without one`() throws {
        #expect(Self.roll().crewCounts == [])
        var writer = JSONWriter()
        writer.beginObject()
        writer.members(of: Self.crewedRoll())
        writer.endObject()
        let text = writer.bytes.text
        #expect(
            text.contains(
                #""crews":[{"crew":"Boat","people":1,"accounted":1,"checking":0,"unaccounted":0},"#
                    + #"{"crew":"Engine <3>","people":2,"accounted":1,"checking":0,"unaccounted":1},"#
                    + #"{"people":1,"accounted":0,"checking":1,"unaccounted":0}]"#), "\(text)")
        let people = try JSONValue(parsing: writer.bytes)["roll"]?.elements ?? []
        #expect(people.map { $0["crew"]?.string } == ["Engine <3>", "Boat", nil, "Engine <3>"])
        #expect(people.map { $0["phone"]?.string } == [nil, nil, nil, "+44 7700 900003"])
    }

    @Test func `a person taken off the roll is not counted in the crew`() {
        var roll = Self.crewedRoll()
        roll.people[1].takenOff = NamedRecordLine(
            at: Self.time, person: UserNumber(2), user: "ben", event: .takenOff, safety: roll.people[1].safety,
            lastSeen: nil)
        #expect(roll.crewCounts.map(\.crew) == ["Engine <3>", nil])
    }

    @Test func `the reports name crews, and the telephone of whoever is unaccounted`() {
        let page = Self.report(Self.crewedRoll(), as: .html)
        #expect(page.contains("<tr><td>Engine &lt;3&gt;</td><td>1 of 2</td><td>0</td><td>1</td><td></td></tr>"))
        #expect(page.contains("<tr><td>without a crew</td><td>0 of 1</td><td>1</td><td>0</td><td></td></tr>"))
        #expect(page.contains("<li class=\"missing\">dan0 (Engine &lt;3&gt;): "))
        #expect(page.contains("; phone +44 7700 900003</li>"))
        #expect(page.contains("<td>ben</td><td>Boat</td><td>yes</td>"))
        let rows = Self.report(Self.crewedRoll(), as: .csv).split(whereSeparator: \.isNewline)
        #expect(rows.last?.hasSuffix(",checking,Engine <3>,'+44 7700 900003,,,,,,,,,,,") == true)
    }
}
