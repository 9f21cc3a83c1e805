import Foundation
import MusterWire
import Observation

/// What the server last said to the person who is signed in: about themselves and, to a leader, about their people.
///
/// It is one value that pure functions change (`TeamState+Changes`), so that the same changes in the same order give
/// the same people and the same roll on every phone.
struct TeamState: Sendable {
    var user: String
    var role = "member"
    var team: String?
    /// The people by their names; a member has themselves alone.
    private(set) var people: [String: Person] = [:]
    private(set) var order = RosterOrder()
    /// The open incidents by number.
    private(set) var incidents: [Int64: Incident] = [:]
    /// The newest closed incidents, the newest first.
    var closed: [Incident] = []
    /// The teams of this person whose safety is shown also without an incident.
    var alwaysShown: Set<String> = []
    /// The teams that allow pauses.
    var allowingPauses: Set<String> = []
    /// The presences of the own devices, by `collection/id`.
    var presences: [String: Presence] = [:]
    /// The newest "where are you now?" to each person.
    var questions: [String: Question] = [:]
    /// The newest change that this holds.
    var sequence: Int64 = 0
    /// When the server last said something, by its clock.
    var heardAt: Date?
    /// Whether people or rolls must be read again, because a change does not say all.
    var isOutdated = false
    /// What users are called.
    private(set) var names = CalledNames()
    /// Counts the changes of regions and collections.
    var regionsVersion = 0

    /// The largest number of closed incidents that are kept.
    static let closedLimit = 50

    init(user: String) { self.user = user }

    /// The person who is signed in.
    var me: Person? { people[user] }
    /// Whether the person leads a team.
    var isLeader: Bool { role == "leader" || role == "admin" }
    /// The open incident of the own team.
    var ownIncident: Incident? { incidents.values.filter { $0.team == team }.max { $0.number < $1.number } }

    /// Whether the safety of a team is shown.
    func showsSafety(of team: String?) -> Bool {
        guard let team else { return false }
        return alwaysShown.contains(team) || incidents.values.contains { $0.team == team }
    }

    /// How a person is shown.
    func shown(_ person: Person) -> ShownState { person.shown(showsSafety: showsSafety(of: person.team)) }

    /// How many of the roll of a team count as what. Each person counts as exactly one of the three.
    func tally(of team: String) -> Incident.Counts {
        var counts = Incident.Counts()
        for person in people.values where person.team == team && person.roll?.takenOff == nil {
            counts.people += 1
            if person.isAccounted {
                counts.accounted += 1
            } else if person.isChecking {
                counts.checking += 1
            } else {
                counts.unaccounted += 1
            }
        }
        return counts
    }

    // MARK: Changing

    /// Takes in the display names that an answer or a change has beside its people.
    mutating func learnNames(from value: JSONValue) { names.learn(from: value) }

    /// Puts a person in place of what was known of them.
    mutating func put(_ person: Person) {
        people[person.user] = person
        order.put(RosterOrder.Key(person, shown(person)))
    }

    /// Leaves a person out.
    mutating func removePerson(_ user: String) {
        people[user] = nil
        order.remove(user)
    }

    /// Puts an incident in place of what was known of it, among the open or the closed.
    mutating func put(_ incident: Incident) {
        let before = showsSafety(of: incident.team)
        closed.removeAll { $0.number == incident.number }
        if incident.isOpen {
            incidents[incident.number] = incident
        } else {
            incidents[incident.number] = nil
            closed = Array((closed + [incident]).sorted { $0.number > $1.number }.prefix(Self.closedLimit))
            endRoll(of: incident.number)
        }
        if before != showsSafety(of: incident.team) { sortAgain() }
    }

    /// Replaces all people and open incidents, as the server has them now.
    ///
    /// - Parameter displayNames: those of users beside the people, by sign-in name.
    mutating func replace(people: [Person], incidents: [Incident], displayNames: [String: String] = [:]) {
        names = CalledNames()
        names.learn(displayNames.map { (user: $0.key, displayName: $0.value) })
        self.incidents = Dictionary(incidents.map { ($0.number, $0) }) { $1 }
        let users = people.filter { $0.roll?.kind ?? .user == .user }
        names.learn(users.map { (user: $0.user, displayName: $0.displayName) })
        let named = people.map { person -> Person in
            guard person.displayName != nil, person.roll?.kind ?? .user == .user else { return person }
            var person = person
            person.name = names.name(of: person.user)
            return person
        }
        self.people = Dictionary(named.map { ($0.user, $0) }) { $1 }
        sortAgain()
    }

    private mutating func endRoll(of incident: Int64) {
        for (user, person) in people where person.roll?.incident == incident {
            if person.roll?.kind != .user {
                removePerson(user)
            } else {
                var person = person
                person.roll = nil
                put(person)
            }
        }
    }

    private mutating func sortAgain() {
        order = RosterOrder(people.values.map { RosterOrder.Key($0, shown($0)) })
    }

    /// A device's standing in a region that the server decides about.
    struct Presence: Codable, Hashable, Sendable {
        var region: Person.RegionName
        var standing: String
        var insidePercent: Int?
        var doubt: StateDoubt?
        var since: Date?
        var sampleTime: Date?
    }

    /// Somebody asks where a person is now.
    struct Question: Codable, Hashable, Sendable {
        var by: String
        var at: Date?
    }
}
