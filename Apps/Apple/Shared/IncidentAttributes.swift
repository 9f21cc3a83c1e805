import ActivityKit
import Foundation
import MusterApp

/// The Live Activity of an open incident that calls the person, begun by the app or by a push of the server, which
/// names this type.
struct IncidentAttributes: ActivityAttributes, Hashable, Sendable {
    /// What changes while the incident is open: worded by the app's models, or the facts of a push.
    typealias ContentState = IncidentActivityState<IncidentShown>

    /// The incident's call; a reopened incident has another one.
    var call: IncidentCall

    init(call: IncidentCall) { self.call = call }

    // The members are those of the call, as the server writes them.
    init(from decoder: any Decoder) throws { call = try IncidentCall(from: decoder) }

    func encode(to encoder: any Encoder) throws { try call.encode(to: encoder) }
}

/// What the Live Activity of an incident shows. All texts come worded from the app's models.
struct IncidentShown: Codable, Hashable, Sendable {
    /// "Evacuate", that it is a drill, or that it is over.
    var title: String
    /// The team, and since when.
    var team: String
    /// What to do, or that the person has seen the call.
    var line: String
    /// What the leader wrote; empty for nothing.
    var note: String
    /// The person's own state.
    var status: Glance.Face
    /// The way to the nearest assembly point.
    var way: Glance.Face
    /// The state as the server said it, marked as old, for when the system says that the activity is stale.
    var agedStatus: Glance.Face
    /// The way, for the same.
    var agedWay: Glance.Face
    /// The title of the button "I have seen this"; nil once the person has pressed it.
    var acknowledgeTitle: String?
    /// The title of the button "I am safe"; nil once the incident is over.
    var safeTitle: String?

    /// The state and the way as they are shown.
    ///
    /// - Parameter isStale: whether the system has had no news of the app past the content's stale date.
    func faces(isStale: Bool) -> (status: Glance.Face, way: Glance.Face) {
        isStale ? (agedStatus, agedWay) : (status, way)
    }
}

extension IncidentShown {
    /// What a push of the server says. The own state is not known, and nor is the way, until the app has run.
    init(_ words: IncidentWords) {
        let status = Glance.Face(symbol: "questionmark.circle.fill", title: words.status, line: "", tone: .none)
        let way = Glance.Face(symbol: "location.slash", title: "", line: "", tone: .none)
        self.init(
            title: words.title, team: words.team, line: words.line, note: words.note, status: status, way: way,
            agedStatus: status, agedWay: way, acknowledgeTitle: words.acknowledgeTitle, safeTitle: words.safeTitle)
    }
}

extension IncidentActivityState<IncidentShown> {
    /// What is shown, in the language of the app.
    var words: IncidentShown {
        switch self {
        case .shown(let shown): shown
        case .facts(let facts): IncidentShown(facts.words(PushSettings.language))
        }
    }
}
