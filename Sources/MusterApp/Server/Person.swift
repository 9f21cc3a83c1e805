import Foundation
import MusterCore
import MusterKit
import MusterWire

/// A person of a team, as the server last said it.
struct Person: Codable, Hashable, Sendable {
    /// The user's name; of a visitor, and of who is on a roll alone, a key that no user has as a name.
    var user: String
    /// What a visitor is called, or a user with a display name.
    var name: String?
    /// The user's display name, as an admin entered it.
    var displayName: String?
    var team: String?
    var crew: String?
    var phone: String?
    var state = SafetyState.unknown
    var source: String?
    var since: Date?
    var region: RegionName?
    var doubt: StateDoubt?
    var markedBy: String?
    var acknowledgedBy: String?
    var timer: Timer?
    var pause: Pause?
    /// When the server last received anything from a device of theirs.
    var heard: Date?
    var located: Place?
    /// Where the newest fixes seem to be while they are not believed.
    var wild: Place?
    var clockAheadSeconds: Double?
    /// The text of the call for help that stands.
    var callNote: String?
    /// What a leader noted with a mark.
    var note: String?
    var roll: RollPlace?
    /// The number of the change that the safety stems from.
    var safetySequence: Int64 = 0

    init(user: String) { self.user = user }

    /// What the person is called.
    var called: String { name ?? user }
    var isAccounted: Bool { (state == .safe || state == .offSite) && doubt == nil }
    var isChecking: Bool { state == .safe && doubt != nil }
    var seemsToHaveLeft: Bool { state == .unknown && source == "seemsToHaveLeft" }

    /// How the person is shown.
    ///
    /// - Parameter showsSafety: whether there is something to be safe from: an open incident of the team, or a team
    ///   that wants safety shown always.
    func shown(showsSafety: Bool) -> ShownState {
        if isChecking { return .checking }
        if (state == .unsafe || seemsToHaveLeft) && !showsSafety { return .located }
        if seemsToHaveLeft { return .seemsToHaveLeft }
        return switch state {
        case .sos: .sos
        case .needsHelp: .needsHelp
        case .unsafe: .unsafe
        case .unknown: .unknown
        case .offSite: .offSite
        case .safe: .safe
        }
    }

    /// A region that a state names.
    struct RegionName: Codable, Hashable, Sendable {
        var collection: String
        var id: String
        var name: String
    }

    /// Where a device was.
    struct Place: Codable, Hashable, Sendable {
        var latitude: Double
        var longitude: Double
        var time: Date?
        var accuracyMetres: Double?
        var battery: Double?
    }

    /// A check-in timer.
    struct Timer: Codable, Hashable, Sendable {
        var happened: String
        var lastWord: Date?
        var dueAt: Date?
        var intervalSeconds: Double
        var leaderAfterSeconds: Double
        var note: String?
        var setBy: String?
    }

    /// A pause that the person declared.
    struct Pause: Codable, Hashable, Sendable {
        var since: Date?
        var until: Date
        var note: String?
    }

    /// The person's place on the roll of an open incident.
    struct RollPlace: Codable, Hashable, Sendable {
        var incident: Int64
        /// The number on the roll; below 0 for a visitor.
        var person: Int64
        var kind: Kind
        var takenOff: Act?
        var departure: Act?
        var callSeenAt: Date?
        var mark: Act?
        var unconfirmed: Act?
        var firstAccountedAt: Date?

        enum Kind: String, Codable, Sendable { case user, visitor, removed, moved }
        /// Something that somebody did or said.
        struct Act: Codable, Hashable, Sendable {
            var at: Date?
            var by: String?
            var text: String?
        }
    }
}

// MARK: Reading the server's answers

extension Person {
    /// Adopts a state as this version understands it: what it does not know is in doubt, and never safe.
    mutating func adoptSafety(_ value: JSONValue) {
        let state = value["state"]?.string ?? ""
        self.state = SafetyState(rawValue: state) ?? .unknown
        source = value["source"]?.string
        since = value["since"]?.date
        region = value["region"].flatMap { RegionName($0) }
        markedBy = value["markedBy"]?.string
        acknowledgedBy = value["acknowledgedBy"]?.string
        doubt = value["doubt"]?.string.map { StateDoubt(rawValue: $0) ?? .notUnderstood }
        if SafetyState(rawValue: state) == nil { (source, doubt) = (nil, .notUnderstood) }
        if !self.state.isCall { callNote = nil }
    }

    /// A member of `GET /teams/{team}/safety`; nil for a value without a name.
    init?(member value: JSONValue, of team: String?, at sequence: Int64) {
        guard let user = value["user"]?.string else { return nil }
        self.init(user: user)
        self.team = team
        displayName = value["displayName"]?.string
        crew = value["crew"]?.string
        phone = value["phone"]?.string
        adoptSafety(value)
        timer = value["checkInTimer"].flatMap { Timer($0) }
        pause = value["pause"].flatMap { Pause($0) }
        heard = value["heard"]?.date
        located = value["located"].flatMap { Place($0) } ?? value["position"].flatMap { Place($0) }
        wild = value["checking"].flatMap { Place($0) }
        clockAheadSeconds = value["clock"]?["aheadSeconds"]?.number
        safetySequence = sequence
    }

    /// Adopts an entry of a roll: a place on it, and for a visitor all that is known.
    mutating func adoptRoll(_ value: JSONValue, of incident: Int64) {
        let kind: RollPlace.Kind =
            value["visitor"]?.boolean == true
            ? .visitor : value["removed"] != nil ? .removed : value["moved"] != nil ? .moved : .user
        var place = RollPlace(incident: incident, person: value["person"]?.integer ?? 0, kind: kind)
        place.takenOff = (value["takenOff"] ?? value["joinedTo"]).map { RollPlace.Act($0) }
        place.departure = (value["removed"] ?? value["moved"] ?? value["deviceRemoved"]).map { RollPlace.Act($0) }
        place.callSeenAt = value["callSeenAt"]?.date
        place.mark = value["mark"].map { RollPlace.Act($0) }
        place.unconfirmed = value["unconfirmed"].map { RollPlace.Act($0) }
        place.firstAccountedAt = value["firstAccountedTime"]?.date
        roll = place
        if let said = value["said"]?.elements?.last?["note"]?.string, state.isCall { callNote = said }
    }

    /// An entry of a roll of somebody who is of no team here: a visitor, or a user who was removed or moved.
    init?(rollEntry value: JSONValue, of incident: Int64, team: String) {
        guard let number = value["person"]?.integer else { return nil }
        self.init(user: Self.rollKey(incident, number))
        displayName = value["displayName"]?.string
        // The names of now do not say what somebody on a roll alone was called.
        name = value["user"]?.string.map { CalledNames.whole($0, displayName) }
        self.team = team
        crew = value["crew"]?.string
        adoptSafety(value)
        note = value["note"]?.string
        heard = value["heard"]?.date
        located = value["lastSeen"].flatMap { Place($0) }
        adoptRoll(value, of: incident)
    }

    /// The key of somebody who is on a roll alone. No user has such a name.
    static func rollKey(_ incident: Int64, _ person: Int64) -> String { "/roll/\(incident)/\(person)" }
}

extension Person.RegionName {
    init?(_ value: JSONValue) {
        guard let collection = value["collection"]?.string, let id = value["id"]?.string else { return nil }
        self.init(collection: collection, id: id, name: value["name"]?.string ?? id)
    }
}

extension Person.Place {
    init?(_ value: JSONValue) {
        guard let latitude = value["latitude"]?.number, let longitude = value["longitude"]?.number else { return nil }
        self.init(
            latitude: latitude, longitude: longitude, time: value["sampleTime"]?.date ?? value["since"]?.date,
            accuracyMetres: value["accuracy"]?.number, battery: value["battery"]?.number)
    }
}

extension Person.Timer {
    /// Nil for a timer that has ended.
    init?(_ value: JSONValue) {
        guard let happened = value["happened"]?.string, happened != "ended" else { return nil }
        self.init(
            happened: happened, lastWord: value["lastWord"]?.date, dueAt: value["dueAt"]?.date,
            intervalSeconds: value["intervalSeconds"]?.number ?? 0,
            leaderAfterSeconds: value["leaderAfterSeconds"]?.number ?? 0, note: value["note"]?.string,
            setBy: value["setBy"]?.string)
    }
}

extension Person.Pause {
    init?(_ value: JSONValue) {
        guard let until = value["until"]?.date else { return nil }
        self.init(since: value["since"]?.date, until: until, note: value["note"]?.string)
    }
}

extension Person.RollPlace.Act {
    init(_ value: JSONValue) {
        self.init(
            at: value["at"]?.date, by: value["by"]?.string,
            text: value["reason"]?.string ?? value["note"]?.string ?? value["state"]?.string ?? value["kind"]?.string)
    }
}

extension Date {
    /// The moment in RFC 3339.
    var rfc3339: String { Instant(self).rfc3339 }
}

extension JSONValue {
    /// A time in RFC 3339.
    var date: Date? { string.flatMap { try? Instant(rfc3339: $0) }?.date }
}
