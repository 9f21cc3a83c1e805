import Foundation
import MusterCore
import MusterKit
import MusterWire
import Synchronization
import Testing

@testable import MusterApp
@testable import MusterServer

/// The Live Activity of an incident, as the server pushes it and the app reads it.
@Suite struct IncidentActivityTests {
    /// What the app words, as far as these tests go.
    private struct Shown: Codable, Hashable, Sendable { var title: String }
    private typealias State = IncidentActivityState<Shown>

    /// The part of a push that ActivityKit reads, by the decoder that it uses: the standard one.
    private struct Payload: Decodable {
        var aps: Content

        struct Content: Decodable {
            var timestamp: Int64
            var event: String
            var state: State
            var type: String?
            var call: IncidentCall?

            enum CodingKeys: String, CodingKey {
                case timestamp, event
                case state = "content-state"
                case type = "attributes-type"
                case call = "attributes"
            }
        }
    }

    /// 2026-11-30T12:03:04.567Z.
    private let start = Instant(milliseconds: 1_796_040_184_567)

    private var recipients: PushRecipients {
        var directory = Directory()
        let tracker = TrackerNumber(1)
        directory.apply(.putTracker(Tracker(number: tracker, name: "t", filter: .none, collections: [])))
        directory.apply(.putTeam(Team(number: TeamNumber(1), name: "Engine 4", tracker: tracker)))
        return PushRecipients(directory: directory, origin: EventOrigin(account: "1", region: "r", store: "s"))
    }

    private func incident(
        _ kind: MusterCore.Incident.Kind = .real, note: String? = nil, closing: MusterCore.Incident.Closing? = nil,
        reopening: MusterCore.Incident.Reopening? = nil, turn: MusterCore.Incident.Turn? = nil
    ) -> MusterCore.Incident {
        MusterCore.Incident(
            number: IncidentNumber(12), team: TeamNumber(1), kind: kind, note: note, startedAt: start,
            startedBy: UserNumber(1), closing: closing, reopening: reopening, turn: turn)
    }

    /// The push of a change, as it goes out after it has waited in the store.
    private func pushed(_ incident: MusterCore.Incident) throws -> (bytes: [UInt8], payload: Payload.Content) {
        let logged = LoggedChange(
            sequence: LogSequence(1), committedAt: start.advanced(bySeconds: 1), change: .incident(incident))
        let message = try #require(recipients.activityNotification(of: logged)).message
        let waited = try #require(PushMessage(stored: message.stored, topic: message.topic))
        #expect(waited == message)
        let bytes = APNsSender.text(of: waited)
        return (bytes, try JSONDecoder().decode(Payload.self, from: Data(bytes)).aps)
    }

    @Test func `the server's push of a call is what the app's types read, byte by byte`() throws {
        let (bytes, aps) = try pushed(incident(.drill, note: #"Gas in "hall 3""#))
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == #"{"aps":{"timestamp":1796040185,"event":"start","content-state":{"open":true,"incident":12,"#
                + #""since":1796040184567,"team":"Engine 4","drill":true,"note":"Gas in \"hall 3\""},"#
                + #""attributes-type":"IncidentAttributes","attributes":{"incident":12,"since":1796040184567,"#
                + #""team":"Engine 4"},"stale-date":1796040785,"input-push-token":1,"alert":{"title":"#
                + #""Drill: evacuate","body":"Engine 4: Gas in \"hall 3\""}}}"#)
        let facts = IncidentFacts(
            incident: 12, isOpen: true, isDrill: true, team: "Engine 4", note: #"Gas in "hall 3""#,
            since: start.milliseconds)
        #expect(aps.state == .facts(facts))
        // The content that the system stores and hands to the widget again.
        #expect(try JSONDecoder().decode(State.self, from: JSONEncoder().encode(aps.state)) == aps.state)
        let shown = State.shown(Shown(title: "Evacuate"))
        #expect(try JSONDecoder().decode(State.self, from: JSONEncoder().encode(shown)) == shown)
    }

    @Test func `a pushed activity is of the call that the feed tells of, also of one opened again`() throws {
        print("seed 7")
        var dice = Dice(seed: 7)
        for _ in 0..<2_000 {
            let moment = Instant(milliseconds: Int64.random(in: 1_700_000_000_000..<1_900_000_000_000, using: &dice))
            let call = try JSONDecoder().decode(
                IncidentCall.self,
                from: Data(#"{"incident":12,"since":\#(moment.milliseconds),"team":"crew"}"#.utf8))
            let text = JSONWriter.object { writer in
                writer.member("number", Int64(12))
                writer.member("team", "crew")
                writer.member("startedAt", moment.advanced(bySeconds: -60))
                writer.member("reopenedAt", moment)
            }
            let heard = try #require(MusterApp.Incident(try JSONValue(parsing: text)))
            #expect(call.id == heard.callKey, "\(moment.milliseconds)")
        }
        let again = MusterCore.Incident.Reopening(at: start.advanced(bySeconds: 90), by: UserNumber(1), reason: "smoke")
        let (_, aps) = try pushed(incident(reopening: again, turn: .reopened))
        #expect(aps.event == "start" && aps.call?.since == start.milliseconds + 90_000)
    }

    @Test func `the push of an end ends what it says, and has no note and no alert`() throws {
        let closing = MusterCore.Incident.Closing(at: start, how: .automatic)
        let (bytes, aps) = try pushed(incident(note: "Gas", closing: closing))
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == #"{"aps":{"timestamp":1796040185,"event":"end","content-state":{"open":false,"incident":12,"#
                + #""since":1796040184567,"team":"Engine 4","drill":false},"dismissal-date":1796041085}}"#)
        guard case .facts(let facts) = aps.state else { throw CancellationError() }
        let words = facts.words(.english, timeZone: .gmt, now: start.date)
        #expect(words.title == "All clear" && words.status.isEmpty)
        #expect(words.acknowledgeTitle == nil && words.safeTitle == nil)
    }

    @Test func `changes that neither call nor end move no activity`() throws {
        for turn in [MusterCore.Incident.Turn.allAccounted, .parRequested, .parOverdue, .handedOver, .notAllAccounted] {
            let logged = LoggedChange(
                sequence: LogSequence(1), committedAt: start, change: .incident(incident(turn: turn)))
            #expect(recipients.activityNotification(of: logged) == nil)
        }
    }

    @Test(arguments: Language.allCases)
    func `facts are worded in the language of the phone, and never say that the person is safe`(_ language: Language) {
        let facts = IncidentFacts(
            incident: 12, isOpen: true, isDrill: false, team: "Engine\u{202E} 4", note: "Gas", since: start.milliseconds
        )
        let words = facts.words(language, timeZone: .gmt, now: start.date)
        let texts = Words(language)
        #expect(words.title == texts.text(.callReal) && words.line == texts.text(.callDo) && words.note == "Gas")
        #expect(words.team == texts.text(.callLine, ["team": "Engine  4", "time": "12:03:04"]))
        #expect(words.status == texts.text(.stateUnknown) && words.status != texts.text(.stateSafe))
        var drill = facts
        (drill.isDrill, drill.note) = (true, nil)
        #expect(drill.words(language).title == texts.text(.callDrill) && drill.words(language).note.isEmpty)
    }

    // MARK: Which activity is of which call

    private func call(_ incident: Int64, at seconds: Double) throws -> IncidentCall {
        let text = #"{"incident":\#(incident),"since":\#(Int64(seconds * 1_000)),"team":"crew"}"#
        return try JSONDecoder().decode(IncidentCall.self, from: Data(text.utf8))
    }

    @Test func `a call has one activity, whoever began it`() throws {
        let (gas, fire) = (try call(1, at: 100), try call(2, at: 200))
        let plan = IncidentActivityPlan(shown: [gas, gas], wanted: [fire, gas], heardAt: nil)
        #expect(plan.steps == [.update(1), .end] && plan.begins == [0] && !plan.isWaiting)
        // The phone knew the incident by its number alone, or the activity was begun then.
        let numbered = try call(1, at: 0)
        #expect(IncidentActivityPlan(shown: [gas], wanted: [numbered], heardAt: nil).steps == [.update(0)])
        #expect(IncidentActivityPlan(shown: [numbered], wanted: [gas], heardAt: nil).steps == [.update(0)])
        // An incident that was opened again calls anew.
        let again = try call(1, at: 900)
        let reopened = IncidentActivityPlan(
            shown: [gas], wanted: [again], heardAt: Date(timeIntervalSince1970: 901))
        #expect(reopened.steps == [.end] && reopened.begins == [0])
    }

    @Test func `a pushed activity stays until the server was heard after its call`() throws {
        let gas = try call(1, at: 100)
        for heardAt in [nil, Date(timeIntervalSince1970: 99), Date(timeIntervalSince1970: 104)] {
            let plan = IncidentActivityPlan(shown: [gas, gas], wanted: [], heardAt: heardAt)
            #expect(plan.steps == [.wait, .end] && plan.isWaiting)
        }
        let over = IncidentActivityPlan(shown: [gas], wanted: [], heardAt: Date(timeIntervalSince1970: 106))
        #expect(over.steps == [.end] && !over.isWaiting)
    }
}
