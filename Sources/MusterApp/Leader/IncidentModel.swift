import Foundation
import MusterWire
public import Observation

/// The incident of the leader's team: starting one, the roll by crew, marks, visitors, PAR, and "all clear".
///
/// Each order is on the phone's disk before it is sent, and counts once at the server. What is shown is the server's
/// state, with what still waits here said beside it.
@MainActor @Observable public final class IncidentModel {
    let follower: TeamFollower
    let outbox: Outbox
    private let server: ServerClient
    let wording: Wording
    /// The team that a new incident is for, where the leader may choose; the own team otherwise.
    public var chosenTeam: String?
    /// Whether only those are listed who are not accounted for.
    public var onlyWaiting = false
    /// The roll of a past incident, as `loadPast` read it.
    private var past: (number: Int64, incident: Incident, people: [Person])?
    /// Why the last request failed; nil if it did not.
    public private(set) var problem: String?

    init(_ follower: TeamFollower, _ outbox: Outbox, _ server: ServerClient, _ wording: Wording) {
        (self.follower, self.outbox, self.server, self.wording) = (follower, outbox, server, wording)
    }

    /// The open incident in its head lines.
    public struct Card: Hashable, Sendable, Identifiable {
        /// The incident's number.
        public var id: Int64
        /// Whether it is an exercise.
        public var isDrill: Bool
        /// "Evacuate" or "DRILL – this is an exercise", with the team.
        public var title: String
        /// When it was called, by whom, and who leads it.
        public var lines: [String]
        /// What was written; empty for nothing.
        public var note: String
        /// How long it has run, or how long it took until all were accounted for.
        public var musterTime: String
        /// What `musterTime` is.
        public var musterTimeTitle: String
        /// The four numbers.
        public var counts: [CountTile]
        /// "12 of 14 accounted for, 1 checking, 1 unaccounted".
        public var tally: String
        /// Whether everyone is accounted for.
        public var isWhole: Bool
        /// That the numbers are from before; nil while the server is heard.
        public var asOfText: String?
    }

    /// One of the numbers of a roll.
    public struct CountTile: Hashable, Sendable, Identifiable {
        /// What it is, the same for the same thing.
        public var id: Kind
        /// What it is called.
        public var title: String
        /// How many there are.
        public var count: Int

        /// What is counted.
        public enum Kind: String, Sendable { case accounted, checking, unaccounted, people }
    }

    /// A crew of the roll.
    public struct Crew: Hashable, Sendable, Identifiable {
        /// The crew's name; empty for those in none.
        public var id: String
        /// What it is called.
        public var title: String
        /// "3 of 4 accounted for".
        public var tally: String
        /// What PAR says of the crew; empty while none was requested.
        public var par: String
        /// Whether the crew has not reported yet.
        public var isParDue: Bool
        /// How many are on the roll, which "Complete" reports.
        public var people: Int
        /// The rows, whom a leader must see first first.
        public var rows: [Row]
    }

    /// A person on the roll.
    public struct Row: Hashable, Sendable, Identifiable {
        /// The user's name; of a visitor a key.
        public var id: String
        /// The person in words.
        public var row: RosterModel.Row
        /// Whether the person counts as accounted for, as checking, or neither.
        public var count: CountTile.Kind
        /// Whether nobody waits for them any more.
        public var isTakenOff: Bool
        /// That they have seen the call; empty if not.
        public var callSeen: String
    }

    /// The open incident; nil if there is none.
    public var card: Card? { open.map { card(of: $0) } }

    /// That no incident is open; nil if one is.
    public var noneText: String? { open == nil ? words.text(.incidentNone) : nil }

    /// The crews of the roll by name, and last those in no crew.
    ///
    /// - Complexity: O(people log people).
    public var crews: [Crew] {
        guard let open else { return [] }
        return crews(of: open, people: follower.state.order.keys.compactMap { follower.state.people[$0.user] })
    }

    /// What was ordered here, and where it is now.
    public var orders: [DeliveryLine] {
        outbox.deliveries.compactMap { delivery in
            switch delivery.order.kind {
            case .startIncident, .close, .reopen, .addVisitor, .mark, .takeOff, .requestPAR, .setPARTimer, .reportPAR,
                .handOver:
                break
            case .declare(_, let subject, _, _), .checkIn(let subject):
                if subject == follower.state.user { return nil }
            case .callSeen, .startTimer, .endTimer, .pause, .endPause: return nil
            }
            let what = OutboxModel.spoken(delivery.order, of: follower.state.user, wording)
            return OutboxModel.line(of: delivery, what: what, isLive: follower.isLive, wording)
        }
    }

    // MARK: Starting and ending

    /// The teams that this leader may call, by name.
    public var teams: [String] {
        follower.state.team.map { [$0] } ?? Set(follower.state.people.values.compactMap(\.team)).sorted()
    }
    /// The teams to choose from before an incident is started; none where there is one alone.
    public var teamChoices: [String] { teams.count > 1 ? teams : [] }
    /// The title of the button that calls a team for real.
    public var evacuateTitle: String { words.text(.ordersEvacuate) }
    /// The title of the button that starts a drill.
    public var drillTitle: String { words.text(.ordersDrill) }
    /// The title of the button that says "all clear".
    public var allClearTitle: String { words.text(.askClose) }
    /// The title of the button that opens an incident again.
    public var reopenTitle: String { words.text(.askReopen) }
    /// The title of the switch `onlyWaiting`.
    public var onlyWaitingTitle: String { words.text(.incidentOnlyWaiting) }
    /// The title of the past incidents.
    public var pastTitle: String { words.text(.incidentPast) }
    /// The title of the roll.
    public var rollTitle: String { words.text(.incidentRoll) }

    /// What is asked before an incident is started: whom it calls, and that it is real, or a drill.
    public func startQuestion(isDrill: Bool) -> Question {
        let team = team ?? ""
        let people = follower.state.people.values.count { $0.team == team }
        let name: KeyValuePairs = ["team": wording.legible(team)]
        var lines = [words.text(isDrill ? .askIsDrill : .askIsReal), words.text(.askStartDoes, count: people)]
        if let open, open.isDrill, !isDrill { lines.append(words.text(.askEndsDrill)) }
        return Question(
            title: words.text(isDrill ? .askDrillTitle : .askRealTitle, name), lines: lines,
            button: words.text(isDrill ? .askDrill : .askEvacuate, count: people), cancel: words.text(.cancel),
            isDestructive: !isDrill, noteTitle: words.text(.askStartNote))
    }

    /// Calls the team.
    public func start(isDrill: Bool, note: String) async {
        guard let team else { return }
        await outbox.add(.startIncident(team: team, isDrill: isDrill, note: note.trimmed(toBytes: 500)))
    }

    /// What is asked before "all clear": who is not accounted for. It says so while the server is not heard.
    public var allClearQuestion: Question {
        let missing = missingNames
        var lines = [card?.tally ?? "", words.text(.askCloseDoes)]
        if !missing.isEmpty {
            let named = missing.prefix(5).map { wording.legible($0) }
            let more = missing.count > 5 ? [words.text(.askMore, count: missing.count - 5)] : []
            lines.append(words.text(.askMissing, ["names": words.listed(Array(named) + more)]))
        }
        if !follower.isLive { lines.append(words.text(.askNotLive)) }
        return Question(
            title: words.text(.askCloseTitle, ["team": wording.legible(open?.team)]),
            lines: lines.filter { !$0.isEmpty }, button: words.text(.askClose), cancel: words.text(.cancel),
            isDestructive: !missing.isEmpty, noteTitle: words.text(.askReason), needsNote: true)
    }

    /// Says "all clear".
    ///
    /// - Parameter reason: why; without one nothing is done.
    public func allClear(reason: String) async {
        guard let open, let reason = reason.trimmed(toBytes: 500) else { return }
        await outbox.add(.close(incident: open.number, reason: reason))
    }

    /// The newest closed incidents of the own team, the newest first, in words.
    public var pastIncidents: [PastIncident] {
        follower.state.closed.map { incident in
            let what = words.text(incident.isDrill ? .eventDrill : .eventEvacuation)
            let ended = wording.clock(incident.closedAt)
            let by =
                incident.closedBy.map { closer in
                    words.text(.incidentCalledBy, ["time": ended, "name": wording.called(closer)])
                } ?? ended
            return PastIncident(
                id: incident.number, title: words.listed([what, wording.clock(incident.startedAt)]), text: by,
                mayReopen: incident.closedAt.map { wording.now.timeIntervalSince($0) < 86_400 } ?? false)
        }
    }

    /// An incident that is over.
    public struct PastIncident: Hashable, Sendable, Identifiable {
        /// What it is, the same for the same thing.
        public var id: Int64
        /// What it is called.
        public var title: String
        /// What became of it, in words.
        public var text: String
        /// Whether it may be opened again: for 24 hours.
        public var mayReopen: Bool
    }

    /// Whether a past incident may be opened again.
    public func mayReopen(_ number: Int64) -> Bool {
        pastIncidents.contains { $0.id == number && $0.mayReopen }
    }

    /// What is asked before an incident is opened again.
    public var reopenQuestion: Question {
        Question(
            title: words.text(.askReopenTitle, ["team": wording.legible(team)]), lines: [words.text(.askReopenDoes)],
            button: words.text(.askReopen), cancel: words.text(.cancel), isDestructive: false,
            noteTitle: words.text(.askReason), needsNote: true)
    }

    /// Opens an incident again, on the same roll.
    public func reopen(_ number: Int64, reason: String) async {
        guard let reason = reason.trimmed(toBytes: 500) else { return }
        await outbox.add(.reopen(incident: number, reason: reason))
    }

    /// Reads the roll of a past incident; `pastCrews` has it then.
    public func loadPast(_ number: Int64) async {
        do {
            let value = try await server.get("incidents/\(number)")
            guard let incident = Incident(value) else { return }
            let people = (value["roll"]?.elements ?? []).compactMap {
                Person(rollEntry: $0, of: number, team: incident.team)
            }
            past = (number, incident, people)
            problem = nil
        } catch {
            if error != .cancelled { problem = ErrorWords(wording: wording).text(error) }
        }
    }

    /// The roll of the past incident that was read; empty for another.
    public func pastCrews(of number: Int64) -> [Crew] {
        guard let past, past.number == number else { return [] }
        return crews(of: past.incident, people: past.people)
    }

    // MARK: Visitors and the lead

    /// The states of a new visitor, each with its title.
    public var visitorStates: [VisitorState] {
        ["unaccounted", "safe", "needsHelp", "offSite"].map {
            VisitorState(id: $0, title: words.text(named: "visitor.\($0)") ?? $0)
        }
    }

    /// How a visitor is.
    public struct VisitorState: Hashable, Sendable, Identifiable {
        /// The API's name.
        public var id: String
        /// What it is called.
        public var title: String
    }

    /// The title of the form for a visitor.
    public var visitorTitle: String { words.text(.visitorTitle, ["team": wording.legible(open?.team ?? team)]) }
    /// The title of the field for the name.
    public var visitorNameTitle: String { words.text(.visitorName) }
    /// The title of the choice of a state.
    public var visitorStateTitle: String { words.text(.visitorState) }
    /// The title of the field for a note.
    public var visitorNoteTitle: String { words.text(.visitorNote) }
    /// The title of the button that puts them on the roll.
    public var visitorAddTitle: String { words.text(.visitorAdd) }

    /// Puts a visitor on the roll. Without a name or an open incident nothing is done.
    public func addVisitor(_ name: String, state: VisitorState.ID, note: String) async {
        guard let open, let name = name.trimmed(toBytes: 200) else { return }
        let state = visitorStates.contains { $0.id == state } ? state : "unaccounted"
        await outbox.add(
            .addVisitor(incident: open.number, name: name, state: state, note: note.trimmed(toBytes: 500)))
    }

    /// The title of the button that hands the lead over.
    public var handOverTitle: String { words.text(.incidentHandOver) }
    /// The title of the field for the next leader's name.
    public var handOverNameTitle: String { words.text(.incidentTo) }

    /// Hands the lead over.
    ///
    /// - Parameter user: the name of a leader of the team, or of an admin.
    public func handOver(to user: String, note: String) async {
        guard let open, let user = user.trimmed(toBytes: 200) else { return }
        await outbox.add(.handOver(incident: open.number, to: user, note: note.trimmed(toBytes: 500)))
    }

    // MARK: Pieces

    var words: Words { wording.words }
    /// The team that an incident is started for, and whose incident is shown.
    var team: String? { chosenTeam ?? follower.state.team ?? teams.first }
    /// The open incident of that team.
    var open: Incident? {
        follower.state.incidents.values.filter { $0.team == team }.max { $0.number < $1.number }
    }
    private var missingNames: [String] {
        guard let open else { return [] }
        return follower.state.order.keys.compactMap { follower.state.people[$0.user] }.filter {
            $0.team == open.team && $0.roll?.takenOff == nil && !$0.isAccounted
        }.map(\.called)
    }
}
