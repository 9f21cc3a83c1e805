import Foundation
public import Observation

/// The list of people: whom a leader must see first, then by name. Only the rows in sight are worded, so that 10,000
/// people cost no more than those who are seen.
@MainActor @Observable public final class RosterModel {
    private let follower: TeamFollower
    private let wording: Wording
    /// What the names, crew, team, telephone number or region of a person must contain; empty for all.
    public var search = ""
    /// The one state to show; nil for all.
    public var only: ShownState?
    /// The one crew to show; nil for all.
    public var crew: String?
    /// The rows that a view draws besides those it asks for by number.
    public var window = 0..<50
    /// The search that was made last, with the people as they then were.
    @ObservationIgnored private var found: (key: SearchKey, keys: [RosterOrder.Key])?

    private struct SearchKey: Equatable {
        var search: String
        var only: ShownState?
        var crew: String?
        var sequence: Int64
        var count: Int
    }

    init(_ follower: TeamFollower, _ wording: Wording) {
        (self.follower, self.wording) = (follower, wording)
    }

    /// A person in the list.
    public struct Row: Hashable, Sendable, Identifiable {
        /// The user's name; of a visitor a key.
        public var id: String
        /// What the person is called.
        public var name: String
        /// By which mark and colour are chosen.
        public var state: ShownState
        /// The state with any doubt, and how it is known.
        public var stateText: String
        /// How the state is known; empty if that is plain.
        public var knownText: String
        /// When the person was heard and located, the battery, the timer, a pause, what the roll says.
        public var detail: String
        /// The crew; empty for none.
        public var crew: String
        /// What was said with a call for help, or noted; empty for nothing.
        public var note: String
        /// Whether the battery is low.
        public var isBatteryLow: Bool
        /// All of it, for VoiceOver.
        public var spoken: String
    }

    /// How many people are in a state.
    public struct Count: Hashable, Sendable, Identifiable {
        /// The state that is counted.
        public var state: ShownState
        /// How many there are.
        public var count: Int
        /// "3 Unknown".
        public var text: String
        /// What it is, the same for the same thing.
        public var id: ShownState { state }
    }

    /// The title of the list.
    public var title: String { words.text(.screensPeople) }
    /// The title of the search field.
    public var searchTitle: String { words.text(.rosterSearch) }
    /// The title of the choice of all crews.
    public var allCrewsTitle: String { words.text(.rosterAllCrews) }
    /// The number of rows.
    public var count: Int { keys.count }
    /// The rows of the window.
    public var rows: [Row] { window.clamped(to: 0..<count).compactMap { row(at: $0) } }
    /// How many people are in each state, those first whom a leader must see first. A search does not change it.
    public var counts: [Count] {
        let counts = follower.state.order.counts
        return ShownState.allCases.compactMap { state in
            counts[state].map {
                Count(state: state, count: $0, text: "\($0) \(PersonWords(wording: wording).state(state))")
            }
        }
    }
    /// The crews of the people, by name.
    public var crews: [String] { Set(follower.state.people.values.compactMap(\.crew)).sorted() }
    /// Who seems to have left which assembly point, a line for each; empty for nobody.
    public var leavingLines: [String] {
        let left = follower.state.people.values.filter {
            $0.seemsToHaveLeft && follower.state.showsSafety(of: $0.team) && $0.roll?.takenOff == nil
        }
        let byRegion = Dictionary(grouping: left) { $0.region }
        return byRegion.map { region, people in
            let place = region.map { wording.legible($0.name) } ?? words.text(.leavingSomewhere)
            if people.count > 1 { return words.text(.leavingSeveral, count: people.count, ["place": place]) }
            return words.text(.leavingOne, ["name": wording.legible(people[0].called), "place": place])
        }.sorted()
    }
    /// That nobody is in the list, and why; nil if somebody is.
    public var emptyText: String? {
        guard count == 0 else { return nil }
        if follower.state.heardAt == nil { return words.text(.connectionConnecting) }
        return words.text(follower.state.people.isEmpty ? .rosterNobody : .rosterNobodyFound)
    }
    /// That the list is from before, because the server is not heard; nil while it is.
    public var notLiveText: String? {
        guard !follower.isLive, let heardAt = follower.state.heardAt else { return nil }
        return words.text(.appNotLive, ["time": wording.minute(heardAt), "age": wording.age(of: heardAt)])
    }

    /// The user at a place of the list; nil beyond its end. It is the `id` of the row.
    public func id(at place: Int) -> String? { keys.indices.contains(place) ? keys[place].user : nil }

    /// The row at a place of the list; nil beyond its end.
    public func row(at place: Int) -> Row? {
        id(at: place).flatMap { follower.state.people[$0] }.map { Self.row(of: $0, follower.state.shown($0), wording) }
    }

    /// Words a person.
    static func row(of person: Person, _ state: ShownState, _ wording: Wording) -> Row {
        let people = PersonWords(wording: wording)
        let detail = wording.words.listed([
            people.roll(person), people.pause(person), people.timer(person.timer), people.heard(person),
            people.located(person), people.battery(person),
        ])
        let name = wording.legible(person.called)
        let stateText = people.stateWithDoubt(person, state)
        let known = state == .seemsToHaveLeft ? "" : people.knownBy(person)
        let note = people.note(person)
        let crew = wording.legible(person.crew)
        let spoken = [name, stateText, known, note, detail, crew].filter { !$0.isEmpty }.joined(separator: ". ")
        return Row(
            id: person.user, name: name, state: state, stateText: stateText, knownText: known, detail: detail,
            crew: crew,
            note: note, isBatteryLow: person.located?.battery.map { $0 < PersonWords.lowPercent } ?? false,
            spoken: spoken)
    }

    // MARK: Pieces

    private var words: Words { wording.words }

    private var keys: [RosterOrder.Key] {
        let order = follower.state.order.keys
        guard !search.isEmpty || only != nil || crew != nil else { return order }
        let key = SearchKey(
            search: search, only: only, crew: crew, sequence: follower.state.sequence, count: order.count)
        if let found, found.key == key { return found.keys }
        let needle = search.lowercased()
        let keys = order.filter { candidate in
            if let only, candidate.state != only { return false }
            guard let person = follower.state.people[candidate.user] else { return false }
            if let crew, person.crew != crew { return false }
            guard !needle.isEmpty else { return true }
            let signIn = person.roll?.kind ?? .user == .user ? person.user : nil
            let haystack = [candidate.name, signIn, person.crew, person.team, person.phone, person.region?.name]
            return haystack.contains { $0?.lowercased().contains(needle) ?? false }
        }
        found = (key, keys)
        return keys
    }
}
