public import Foundation
import MusterCore
import MusterKit

/// The call that a Live Activity is of: its attributes, whether the app began it or a push of the server.
public struct IncidentCall: Codable, Hashable, Sendable, Identifiable {
    /// The incident's number.
    public var incident: Int64
    /// When the incident last called its people, by the server's clock, in milliseconds since 1970; 0 where the phone
    /// does not know it yet.
    public var since: Int64
    /// The team, by its name.
    public var team: String

    /// The call of a card.
    public init(_ card: CallModel.Card) {
        (incident, team) = (card.number, card.team)
        since = card.calledAt.map { Instant($0).milliseconds } ?? 0
    }

    /// The call, as `CallModel.Card.id` names it.
    public var id: CallModel.Card.ID { Incident.callKey(of: incident, calledAt: calledAt) }

    /// Whether both are one call. The phone may know an incident by its number alone.
    func isSame(as other: IncidentCall) -> Bool {
        incident == other.incident && (since == other.since || since == 0 || other.since == 0)
    }

    /// When the incident last called its people, by the server's clock.
    var calledAt: Date { Instant(milliseconds: since).date }
}

/// The content of a Live Activity: what the app worded, or the facts that the server pushed (docs/push.md).
public enum IncidentActivityState<Shown: Codable & Hashable & Sendable>: Codable, Hashable, Sendable {
    case shown(Shown)
    case facts(IncidentFacts)

    /// Reads either: only facts name the incident.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: IncidentFacts.CodingKeys.self)
        self =
            members.contains(.incident) ? .facts(try IncidentFacts(from: decoder)) : .shown(try Shown(from: decoder))
    }

    /// Writes what `init(from:)` reads.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .shown(let shown): try shown.encode(to: encoder)
        case .facts(let facts): try facts.encode(to: encoder)
        }
    }
}

/// What the server pushes to a Live Activity. It has no position and no state of the person.
public struct IncidentFacts: Codable, Hashable, Sendable {
    /// The incident's number.
    public var incident: Int64
    /// Whether the incident calls; false once it is over.
    public var isOpen: Bool
    /// Whether it is an exercise.
    public var isDrill: Bool
    /// The team, by its name.
    public var team: String
    /// The leader's note.
    public var note: String?
    /// When the incident last called its people, in milliseconds since 1970.
    public var since: Int64

    enum CodingKeys: String, CodingKey {
        case incident, team, note, since
        case isOpen = "open"
        case isDrill = "drill"
    }

    /// The texts of a Live Activity in a language. They say nothing of the person's own state but that it is not known.
    ///
    /// - Parameters:
    ///   - timeZone: the time zone of the time since when.
    ///   - now: the present moment; a time of another day has its date.
    public func words(_ language: Language, timeZone: TimeZone = .current, now: Date = Date()) -> IncidentWords {
        let words = Words(language)
        let since = Wording.clock(Instant(milliseconds: since).date, at: now, timeZone)
        let line = words.text(.callLine, ["team": Wording.legible(team), "time": since])
        guard isOpen else {
            return IncidentWords(
                title: words.text(isDrill ? .pushDrillOver : .pushAllClear), team: line, line: "", note: "",
                status: "", acknowledgeTitle: nil, safeTitle: nil)
        }
        return IncidentWords(
            title: words.text(isDrill ? .callDrill : .callReal), team: line,
            line: words.text(isDrill ? .callDoDrill : .callDo), note: Wording.legible(note),
            status: words.text(.stateUnknown), acknowledgeTitle: words.text(.callAcknowledge),
            safeTitle: words.text(.mySafe))
    }
}

/// The texts of a Live Activity that the server began or ended.
public struct IncidentWords: Hashable, Sendable {
    /// "Evacuate", that it is a drill, or that it is over.
    public var title: String
    /// The team, and since when.
    public var team: String
    /// What to do; empty for nothing.
    public var line: String
    /// The leader's note; empty for none.
    public var note: String
    /// That the person's own state is not known; empty once the incident is over.
    public var status: String
    /// The title of the button "I have seen this"; nil for no button.
    public var acknowledgeTitle: String?
    /// The title of the button "I am safe"; nil for no button.
    public var safeTitle: String?
}

/// What the app does with the Live Activities that the system shows, so that each call has one, whoever began it.
public struct IncidentActivityPlan: Hashable, Sendable {
    /// What becomes of an activity.
    public enum Step: Hashable, Sendable {
        /// The app puts the wanted call at this index into it.
        case update(Int)
        case end
        /// The app leaves it as it is: a push began it, and the phone has not heard from the server since then.
        case wait
    }

    /// What becomes of each activity, in the order of those shown.
    public private(set) var steps: [Step] = []
    /// The indices of the wanted calls that have no activity yet.
    public private(set) var begins: [Int]

    /// Seconds for which a call may be unknown though the server was heard after it: a change may be committed while
    /// the incident begins.
    static let marginSeconds = 5.0

    /// Decides what becomes of each activity, and which calls need one.
    ///
    /// - Parameters:
    ///   - shown: the calls of the activities that the system shows.
    ///   - wanted: the calls that the models show.
    ///   - heardAt: when the server last said what calls the person, by its clock; nil if it never did.
    public init(shown: [IncidentCall], wanted: [IncidentCall], heardAt: Date?) {
        var missing = Set(wanted.indices)
        var covered: Set<IncidentCall.ID> = []
        for call in shown {
            let place = wanted.firstIndex { $0.isSame(as: call) }
            if let place {
                steps.append(missing.remove(place) == nil ? .end : .update(place))
            } else {
                let isKnown = heardAt.map { $0 > call.calledAt.addingTimeInterval(Self.marginSeconds) } ?? false
                steps.append(isKnown || !covered.insert(call.id).inserted ? .end : .wait)
            }
        }
        begins = missing.sorted()
    }

    /// Whether the plan is to be made again though nothing has changed.
    public var isWaiting: Bool { steps.contains(.wait) }
}
