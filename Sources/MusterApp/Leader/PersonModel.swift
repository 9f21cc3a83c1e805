public import Foundation
import MusterKit
import MusterWire
public import Observation

/// One person, as a leader sees them: state and place, their devices' presences, the way they came, and what a leader
/// can do.
@MainActor @Observable public final class PersonModel {
    private let user: String
    private let follower: TeamFollower
    private let outbox: Outbox
    private let server: ServerClient
    private let wording: Wording
    private var presences: [TeamState.Presence] = []
    private var points: [TrackPoint] = []
    private var said: [Said] = []
    private var asked: Asked?
    /// Why the last request failed; nil if it did not.
    public private(set) var problem: String?
    /// Whether the track and the history are being requested.
    public private(set) var isLoading = false

    /// The largest number of points of a track.
    static let trackLimit = 1_000

    init(_ user: String, _ follower: TeamFollower, _ outbox: Outbox, _ server: ServerClient, _ wording: Wording) {
        (self.user, self.follower, self.outbox, self.server, self.wording) = (user, follower, outbox, server, wording)
    }

    private struct Said: Hashable {
        var kind: String
        var author: String
        var note: String?
        var at: Date?
    }

    private struct Asked: Hashable {
        var state: String
        var at: Date?
    }

    /// A place where the person was.
    public struct TrackPoint: Hashable, Sendable {
        /// Degrees.
        public var latitude: Double
        /// Degrees, east positive.
        public var longitude: Double
        /// When, by the device's clock.
        public var time: Date
        /// The radius that holds the place with 68 %, metres; nil if unknown.
        public var accuracyMetres: Double?
    }

    /// Something that a leader can do.
    public struct Action: Hashable, Sendable, Identifiable {
        /// What it is, the same for the same thing.
        public var id: Kind
        /// The title of the button.
        public var title: String
        /// What is asked before; nil for nothing.
        public var question: Question?

        /// What it does.
        public enum Kind: String, Sendable {
            case acknowledge, markSafe, markOffSite, markNeedsHelp, clear, checkIn, takeOff, askWhere
        }
    }

    /// The person in one row; nil if the server does not name them any more.
    public var row: RosterModel.Row? {
        person.map { RosterModel.row(of: $0, follower.state.shown($0), wording) }
    }
    /// What the person is called.
    public var name: String { wording.legible(person?.called ?? user) }
    /// By which mark and colour are chosen.
    public var state: ShownState { person.map { follower.state.shown($0) } ?? .unknown }
    /// Everything that is known, a line each, the most telling first.
    public var lines: [String] {
        guard let person else { return [words.text(.personUnknown, ["name": name])] }
        let people = PersonWords(wording: wording)
        let since = person.since.map { words.text(.rowSince, ["time": wording.clock($0)]) } ?? ""
        let state = words.listed([people.stateWithDoubt(person, self.state), people.knownBy(person), since])
        let lines =
            [
                signInText ?? "", state, people.note(person), people.roll(person), people.callSeen(person),
                people.pause(person),
            ]
            + people.presences(presences)
            + [
                people.timer(person.timer), words.listed([people.heard(person), people.located(person)]),
                people.battery(person), nowhereText ?? "",
            ]
        return lines.filter { !$0.isEmpty }
    }
    /// The name by which the person signs in, where they are called otherwise; nil where they are not.
    public var signInText: String? {
        guard let person, person.displayName != nil, person.roll?.kind ?? .user == .user else { return nil }
        return words.text(.personSignIn, ["name": wording.legible(person.user)])
    }
    /// Why the person is not on the map; nil if they are.
    public var nowhereText: String? {
        guard let person, person.located == nil else { return nil }
        return words.text(person.roll?.kind == .visitor ? .nowhereVisitor : .nowhereUnknown, ["name": name])
    }
    /// Where the person was located last; nil if never.
    public var place: TrackPoint? {
        guard let located = person?.located else { return nil }
        return TrackPoint(
            latitude: located.latitude, longitude: located.longitude, time: located.time ?? .distantPast,
            accuracyMetres: located.accuracyMetres)
    }
    /// The telephone number, where this leader may see it; nil otherwise.
    public var phone: String? { person?.phone.map { wording.legible($0) } }
    /// The address that calls the number; nil without one.
    public var callURL: URL? { Self.callURL(person?.phone) }
    /// The title of the button that calls.
    public var callTitle: String { words.text(.sosCall, ["phone": phone ?? ""]) }
    /// The way that the person came, the oldest first; empty before `load`.
    public var track: [TrackPoint] { points }
    /// What was said of the person, the newest first, a line each.
    public var history: [String] {
        said.map { said in
            let author = wording.called(said.author)
            let isOwn = said.author == user
            let key = "event.\(said.kind)" + (isOwn ? "" : "By")
            let what =
                words.text(named: key, ["name": author]) ?? words.text(named: "event.\(said.kind)") ?? said.kind
            return words.listed([wording.clock(said.at), what, PersonWords(wording: wording).quoted(said.note)])
        }
    }
    /// The title of what was said.
    public var historyTitle: String { words.text(.personHistory) }
    /// What became of "Where are you now?"; nil if nobody asked.
    public var askedText: String? {
        guard let asked else { return nil }
        let key: Word =
            switch asked.state {
            case "answered": .askedAnswered
            case "heard": .askedHeard
            default: .askedUnheard
            }
        return words.text(key, ["name": name, "time": wording.minute(asked.at)])
    }

    /// What a leader can do with this person now.
    public var actions: [Action] {
        guard let person, follower.state.isLeader else { return [] }
        var kinds: [(Action.Kind, Word)] = []
        let isUser = person.roll.map { $0.kind == .user } ?? true
        if person.state.isCall, person.acknowledgedBy == nil, isUser {
            kinds.append((.acknowledge, .personAcknowledge))
        }
        if isUser, person.state.isCall { kinds.append((.clear, .personClear)) }
        kinds += [(.markSafe, .personMarkSafe), (.markOffSite, .personMarkOffSite)]
        if !person.state.isCall { kinds.append((.markNeedsHelp, .personMarkNeedsHelp)) }
        if isUser, person.timer != nil { kinds.append((.checkIn, .personHeardFrom)) }
        if isUser { kinds.append((.askWhere, .personAsk)) }
        if person.roll != nil, person.roll?.takenOff == nil { kinds.append((.takeOff, .askTakeOff)) }
        return kinds.map { Action(id: $0, title: words.text($1), question: question($0)) }
    }

    /// Does something. An order reaches the server once, as soon as there is a connection; a question needs one now.
    ///
    /// - Parameter note: a remark, or the reason to take somebody off the roll.
    public func act(_ kind: Action.Kind, note: String = "") async {
        guard let person else { return }
        let note = note.trimmed(toBytes: 500)
        let mark: (Order.Declaration, String)
        switch kind {
        case .acknowledge: mark = (.acknowledge, "")
        case .markSafe: mark = (.safe, "safe")
        case .markOffSite: mark = (.offSite, "offSite")
        case .markNeedsHelp: mark = (.needsHelp, "needsHelp")
        case .clear: mark = (.clear, "unaccounted")
        case .checkIn:
            await outbox.add(.checkIn(of: user))
            return
        case .askWhere: return await askWhere()
        case .takeOff:
            guard let roll = person.roll, let note else { return }
            await outbox.add(.takeOff(incident: roll.incident, person: roll.person, reason: note))
            return
        }
        if let roll = person.roll, roll.kind == .visitor || roll.kind == .removed {
            guard !mark.1.isEmpty else { return }
            await outbox.add(.mark(incident: roll.incident, person: roll.person, state: mark.1, note: note))
        } else {
            await outbox.add(.declare(mark.0, of: user, note: note, at: nil))
        }
    }

    /// Requests the presences, the way and what was said. If that fails or is cancelled, what was known stays.
    ///
    /// - Parameter hours: how far back the way goes.
    public func load(hours: Double = 1) async {
        guard person.map({ $0.roll?.kind ?? .user == .user }) ?? false, !isLoading else { return }
        isLoading = true
        defer { isLoading = false }
        do {
            let name = ServerClient.encoded(user)
            let presences = try await server.getIfAllowed("presences?limit=1000&user=\(name)")
            self.presences = (presences?["items"]?.elements ?? []).compactMap { TeamState.Presence($0) }
            let words = try await server.items("users/\(name)/declarations")
            said = words.suffix(100).reversed().map { word in
                Said(
                    kind: word["kind"]?.string ?? "", author: word["author"]?.string ?? "",
                    note: word["note"]?.string, at: word["sampleTime"]?.date)
            }
            points = try await Self.track(of: name, since: outbox.serverNow.addingTimeInterval(-hours * 3600), server)
            problem = nil
        } catch {
            if error != .cancelled { problem = ErrorWords(wording: wording).text(error) }
        }
    }

    /// Reads what became of the question where the person is.
    public func loadAnswer() async {
        do {
            let answer = try await server.getIfAllowed("users/\(ServerClient.encoded(user))/location-request")
            asked = answer.map { Asked(state: $0["state"]?.string ?? "unheard", at: $0["askedAt"]?.date) }
        } catch {
            if error != .cancelled { problem = ErrorWords(wording: wording).text(error) }
        }
    }

    // MARK: Pieces

    private var words: Words { wording.words }
    private var person: Person? { follower.state.people[user] }

    /// The address that calls a telephone number; nil without a number that can be dialled.
    static func callURL(_ phone: String?) -> URL? {
        let dialled = (phone ?? "").filter { $0.isASCII && ($0.isNumber || $0 == "+") }
        return dialled.count < 3 ? nil : URL(string: "tel:\(dialled)")
    }

    private func askWhere() async {
        do {
            let answer = try await server.send("POST", "users/\(ServerClient.encoded(user))/location-request").body
            asked = Asked(state: answer["state"]?.string ?? "unheard", at: answer["askedAt"]?.date)
            problem = nil
        } catch {
            if error != .cancelled { problem = ErrorWords(wording: wording).text(error) }
        }
    }

    private func question(_ kind: Action.Kind) -> Question? {
        switch kind {
        case .takeOff:
            return Question(
                title: words.text(.askTakeOffTitle, ["name": name]),
                lines: [words.text(.askTakeOffDoes, ["name": name])], button: words.text(.askTakeOff),
                cancel: words.text(.cancel), isDestructive: true, noteTitle: words.text(.askReason), needsNote: true)
        case .checkIn:
            return Question(
                title: words.text(.askHeardFromTitle, ["name": name]),
                lines: [words.text(.askHeardFromDoes, ["name": name])], button: words.text(.personHeardFrom),
                cancel: words.text(.cancel), isDestructive: false)
        case .acknowledge, .markSafe, .markOffSite, .markNeedsHelp, .clear, .askWhere: return nil
        }
    }

    private static func track(
        of name: String, since: Date, _ server: ServerClient
    ) async throws(ServerFault) -> [TrackPoint] {
        let from = ServerClient.encoded(since.rfc3339)
        let devices = try await server.items("devices?user=\(name)")
        var points: [TrackPoint] = []
        for device in devices.prefix(10) {
            guard let device = device["name"]?.string else { continue }
            let path =
                "users/\(name)/devices/\(ServerClient.encoded(device))/positions?from=\(from)&limit=\(trackLimit)"
            let items = try await server.getIfAllowed(path)?["items"]?.elements ?? []
            points += items.compactMap { item in
                guard let place = Person.Place(item), let time = place.time else { return nil }
                return TrackPoint(
                    latitude: place.latitude, longitude: place.longitude, time: time,
                    accuracyMetres: place.accuracyMetres)
            }
        }
        return Array(points.sorted { $0.time < $1.time }.suffix(trackLimit))
    }
}
