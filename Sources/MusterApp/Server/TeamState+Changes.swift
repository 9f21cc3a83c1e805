import Foundation
import MusterWire

extension TeamState {
    /// Applies a change of the log, as the live feed sends it. A change that this holds already changes nothing.
    mutating func apply(_ change: JSONValue) {
        guard let sequence = change["sequence"]?.integer, sequence > self.sequence else { return }
        self.sequence = sequence
        learnNames(from: change)
        heardAt = [heardAt, change["at"]?.date].compactMap(\.self).max()
        switch change["type"]?.string {
        case "safety": applySafety(change, sequence)
        case "position": applyPosition(change)
        case "belief": applyBelief(change)
        case "presence": applyPresence(change)
        case "checkInTimer": edit(change["user"]?.string) { $0.timer = Person.Timer(change) }
        case "pause":
            edit(change["user"]?.string) { $0.pause = change["happened"]?.string == "began" ? .init(change) : nil }
        case "declaration": applyDeclaration(change)
        case "incident": applyIncident(change)
        case "roll": applyRoll(change)
        case "action":
            guard change["kind"]?.string == "locationAsked", let user = change["user"]?.string else { return }
            questions[user] = Question(by: change["author"]?.string ?? "", at: change["at"]?.date)
        case "region": regionsVersion += 1
        case "directory":
            isOutdated = true
            if ["collection", "tracker"].contains(change["kind"]?.string) { regionsVersion += 1 }
        default: break
        }
    }

    private mutating func edit(_ user: String?, _ change: (inout Person) -> Void) {
        guard let user, var person = people[user] else { return }
        change(&person)
        put(person)
    }

    private mutating func applySafety(_ change: JSONValue, _ sequence: Int64) {
        guard let user = change["user"]?.string else { return }
        guard people[user] != nil else { return isOutdated = true }
        edit(user) { person in
            guard sequence > person.safetySequence else { return }
            person.adoptSafety(change)
            person.safetySequence = sequence
        }
    }

    private mutating func applyPosition(_ change: JSONValue) {
        guard let position = change["position"] else { return }
        let device = change["device"]?.string ?? ""
        let user = change["user"]?.string ?? device.split(separator: "/").first.map(String.init)
        edit(user) { person in
            let heard = position["receivedTime"]?.date
            person.heard = [person.heard, heard].compactMap(\.self).max()
            guard change["late"]?.boolean != true, let place = Person.Place(position) else { return }
            if let known = person.located?.time, let new = place.time, new < known { return }
            person.located = place
            person.clockAheadSeconds = nil
        }
    }

    private mutating func applyBelief(_ change: JSONValue) {
        let device = change["device"]?.string ?? ""
        let user = change["user"]?.string ?? device.split(separator: "/").first.map(String.init)
        edit(user) { $0.wild = change["checking"].flatMap { Person.Place($0) } }
    }

    private mutating func applyPresence(_ change: JSONValue) {
        guard change["user"]?.string == user, let presence = Presence(change) else { return }
        put(presence)
    }

    /// Keeps a presence that is worth telling: not that of a region that the person is far outside of.
    mutating func put(_ presence: Presence) {
        let key = "\(presence.region.collection)/\(presence.region.id)"
        let isFar =
            presence.standing == "outside" && presence.doubt != .checking && (presence.insidePercent ?? 0) <= 50
        presences[key] = isFar ? nil : presence
    }

    private mutating func applyDeclaration(_ change: JSONValue) {
        guard change["late"]?.boolean != true, let kind = change["kind"]?.string else { return }
        edit(change["user"]?.string) { person in
            if kind == "sos" || kind == "needsHelp" {
                person.callNote = change["note"]?.string ?? person.callNote
            } else if let author = change["author"]?.string, author != person.user, kind != "acknowledge" {
                person.note = change["note"]?.string
            }
        }
    }

    private mutating func applyIncident(_ change: JSONValue) {
        guard var incident = Incident(change) else { return }
        let known = incidents[incident.number]
        incident.par = known?.par
        incident.parEverySeconds = known?.parEverySeconds
        // The change of a PAR says what happened and not the whole round.
        if change["happened"]?.string?.hasPrefix("par") == true { isOutdated = true }
        if incident.isOpen, known == nil { isOutdated = true }
        put(incident)
    }

    private mutating func applyRoll(_ change: JSONValue) {
        guard let incident = change["incident"]?.integer, let number = change["person"]?.integer else { return }
        let event = change["event"]?.string
        if event == "callSeen", let user = change["user"]?.string, people[user]?.roll?.incident == incident {
            return edit(user) { $0.roll?.callSeenAt = change["at"]?.date }
        }
        let key = Person.rollKey(incident, number)
        if number < 0, event == "changed", people[key] != nil {
            edit(key) { person in
                person.adoptSafety(change)
                person.note = change["note"]?.string ?? person.note
            }
        }
        isOutdated = true
    }
}

extension TeamState.Presence {
    /// A presence in an answer or a change; a standing that this version does not know puts nobody inside.
    init?(_ value: JSONValue) {
        guard let region = value["region"].flatMap({ Person.RegionName($0) }) else { return nil }
        let standing = value["standing"]?.string ?? ""
        let isKnown = ["inside", "outside", "unknown"].contains(standing)
        self.init(
            region: region, standing: isKnown ? standing : "unknown",
            insidePercent: isKnown ? value["probability"]?.number.map { Int(($0 * 100).rounded()) } : nil,
            doubt: isKnown
                ? value["doubt"]?.string.map { StateDoubt(rawValue: $0) ?? .notUnderstood } : .notUnderstood,
            since: value["since"]?.date, sampleTime: value["sampleTime"]?.date)
    }
}
