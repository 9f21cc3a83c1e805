import Foundation
import MusterWire

/// What the server says of the person who is signed in and of those they may see, requested part by part.
///
/// The sequence comes first: what changes while the other parts are on their way comes once more through the feed, so
/// that nothing is missed.
struct TeamSnapshot: Sendable {
    var sequence: Int64
    /// The server's time, and the phone's when it was told.
    var at: Date?
    var toldAt: Date?
    var role: String
    var team: String?
    var people: [Person] = []
    var incidents: [Incident] = []
    var closed: [Incident] = []
    var alwaysShown: Set<String> = []
    var allowingPauses: Set<String> = []
    var presences: [TeamState.Presence] = []
    /// The display names of users beside the people, by sign-in name.
    var displayNames: [String: String] = [:]

    /// The largest number of teams of which people are requested.
    private static let teamLimit = 50

    /// Requests all parts.
    ///
    /// - Parameter now: tells the phone's time. A server may take seconds for all parts.
    /// - Throws: `ServerFault`.
    static func request(
        of user: String, from server: ServerClient, now: @Sendable () -> Date
    ) async throws(ServerFault) -> TeamSnapshot {
        let sequence = try await server.get("positions?limit=1")["sequence"]?.integer ?? 0
        let session = try await server.get("session")["user"]
        var snapshot = TeamSnapshot(
            sequence: sequence, role: session?["role"]?.string ?? "member", team: session?["team"]?.string)
        snapshot.displayNames[user] = session?["displayName"]?.string
        let teams: [String]
        if let team = snapshot.team {
            teams = [team]
        } else {
            teams = Array(try await server.items("teams").compactMap { $0["name"]?.string }.prefix(teamLimit))
        }
        for team in teams { try await snapshot.request(team, from: server, now) }
        let open = (try await server.getIfAllowed("incidents"))?["items"]?.elements ?? []
        for incident in open.compactMap({ Incident($0) }) where teams.contains(incident.team) {
            try await snapshot.request(incident, from: server)
        }
        let name = ServerClient.encoded(user)
        let presences = try await server.getIfAllowed("presences?limit=1000&user=\(name)")?["items"]?.elements ?? []
        snapshot.presences = presences.compactMap { TeamState.Presence($0) }
        return snapshot
    }

    private mutating func request(
        _ team: String, from server: ServerClient, _ now: @Sendable () -> Date
    ) async throws(ServerFault) {
        let path = "teams/\(ServerClient.encoded(team))"
        if let settings = try await server.getIfAllowed(path) {
            if settings["showsSafetyAlways"]?.boolean == true { alwaysShown.insert(team) }
            if settings["allowsPause"]?.boolean == true { allowingPauses.insert(team) }
        }
        if let safety = try await server.getIfAllowed(path + "/safety") {
            (at, toldAt) = (safety["at"]?.date, now())
            learnNames(from: safety)
            let sequence = safety["sequence"]?.integer ?? sequence
            people += (safety["members"]?.elements ?? []).compactMap { Person(member: $0, of: team, at: sequence) }
        }
        let incidents = try await server.getIfAllowed(path + "/incidents?limit=\(TeamState.closedLimit)")
        for incident in incidents?["items"]?.elements ?? [] { learnNames(from: incident) }
        closed += (incidents?["items"]?.elements ?? []).compactMap { Incident($0) }.filter { !$0.isOpen }
    }

    private mutating func learnNames(from value: JSONValue) {
        for member in value["displayNames"]?.members ?? [] { displayNames[member.key] = member.value.string }
    }

    /// Requests the roll of an open incident, and puts each of its people where they belong.
    private mutating func request(_ incident: Incident, from server: ServerClient) async throws(ServerFault) {
        guard let value = try await server.getIfAllowed("incidents/\(incident.number)"), let full = Incident(value)
        else { return incidents.append(incident) }
        learnNames(from: value)
        // It may have been closed meanwhile; the feed says so.
        guard full.isOpen else { return }
        incidents.append(full)
        let places = Dictionary(people.enumerated().map { ($0.element.user, $0.offset) }) { first, _ in first }
        for entry in value["roll"]?.elements ?? [] {
            if entry["visitor"]?.boolean != true, let user = entry["user"]?.string, let place = places[user],
                people[place].team == incident.team
            {
                people[place].adoptRoll(entry, of: incident.number)
            } else if entry["left"]?.boolean != true,
                let person = Person(rollEntry: entry, of: incident.number, team: incident.team)
            {
                people.append(person)
            }
        }
    }
}

extension TeamState {
    /// Adopts a snapshot. Changes of the log up to its sequence are part of it.
    ///
    /// - Parameter changes: those that the feed has brought since the snapshot was asked for, in order. Parts of it may
    ///   be older than they are, so that they count again, as they do when the feed is opened after a snapshot.
    mutating func adopt(_ snapshot: TeamSnapshot, then changes: [JSONValue] = []) {
        role = snapshot.role
        team = snapshot.team
        alwaysShown = snapshot.alwaysShown
        allowingPauses = snapshot.allowingPauses
        closed = Array(snapshot.closed.sorted { $0.number > $1.number }.prefix(Self.closedLimit))
        replace(people: snapshot.people, incidents: snapshot.incidents, displayNames: snapshot.displayNames)
        presences = [:]
        for presence in snapshot.presences { put(presence) }
        sequence = max(sequence, snapshot.sequence)
        heardAt = [heardAt, snapshot.at].compactMap(\.self).max()
        isOutdated = false
        if changes.isEmpty { return }
        sequence = snapshot.sequence
        for change in changes { apply(change) }
    }
}

/// What the phone keeps of what the server said, for times without a network.
struct StoredTeam: Codable, Sendable {
    var user: String
    var role: String
    var team: String?
    var people: [Person]
    var incidents: [Incident]
    var closed: [Incident]
    var alwaysShown: Set<String>
    var allowingPauses: Set<String>
    var presences: [String: TeamState.Presence]
    var questions: [String: TeamState.Question]
    /// The display names of users whom the rest names; nil in a copy of an earlier version.
    var displayNames: [String: String]?
    var heardAt: Date?
    var aheadSeconds: Double

    /// The id of the note in the phone's store.
    static let note = "app.team"
    /// The largest number of people that are kept.
    static let peopleLimit = 10_000

    init(_ state: TeamState, aheadSeconds: Double) {
        user = state.user
        role = state.role
        team = state.team
        people = state.order.keys.prefix(Self.peopleLimit).compactMap { state.people[$0.user] }
        incidents = Array(state.incidents.values)
        closed = state.closed
        alwaysShown = state.alwaysShown
        allowingPauses = state.allowingPauses
        presences = state.presences
        questions = state.questions.filter { $0.key == state.user }
        displayNames = state.names.displayNames(of: state.namedUsers)
        heardAt = state.heardAt
        self.aheadSeconds = aheadSeconds
    }
}

extension TeamState {
    /// The users whom what is kept names beside its people.
    fileprivate var namedUsers: Set<String> {
        let ofPeople = people.values.flatMap { [$0.markedBy, $0.acknowledgedBy, $0.timer?.setBy] }
        let ofIncidents = (Array(incidents.values) + closed).flatMap { incident in
            [incident.startedBy, incident.leader, incident.closedBy, incident.par?.requestedBy]
                + (incident.par?.crews.map(\.reportedBy) ?? [])
        }
        return Set((ofPeople + ofIncidents + questions.values.map { $0.by } + [user]).compactMap(\.self))
    }

    /// What the phone kept. Its sequence is 0, so that the first answer of the server replaces it.
    init(_ stored: StoredTeam) {
        self.init(user: stored.user)
        role = stored.role
        team = stored.team
        closed = stored.closed
        alwaysShown = stored.alwaysShown
        allowingPauses = stored.allowingPauses
        replace(people: stored.people, incidents: stored.incidents, displayNames: stored.displayNames ?? [:])
        presences = stored.presences
        questions = stored.questions
        heardAt = stored.heardAt
    }
}
