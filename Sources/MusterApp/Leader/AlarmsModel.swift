public import Foundation
public import Observation

/// Who calls for help and was not heard yet: it takes the whole screen until a leader acknowledges it.
@MainActor @Observable public final class AlarmsModel {
    private let follower: TeamFollower
    private let outbox: Outbox
    private let wording: Wording

    init(_ follower: TeamFollower, _ outbox: Outbox, _ wording: Wording) {
        (self.follower, self.outbox, self.wording) = (follower, outbox, wording)
    }

    /// Somebody who calls for help.
    public struct Card: Hashable, Sendable, Identifiable {
        /// The user's name.
        public var id: String
        /// SOS, or needs help.
        public var state: ShownState
        /// "SOS from Ana".
        public var title: String
        /// Since when.
        public var since: String
        /// What the person wrote; empty for nothing.
        public var note: String
        /// When the person was heard and located.
        public var detail: String
        /// Where they are, degrees; nil if nobody knows.
        public var latitude: Double?
        /// Degrees, east positive.
        public var longitude: Double?
        /// The address that calls their telephone; nil without a number.
        public var callURL: URL?
        /// The title of the button that calls.
        public var callTitle: String
        /// The title of the button that acknowledges.
        public var acknowledgeTitle: String
    }

    /// Whose call nobody has heard, SOS first, and the longest first. What this leader acknowledged is not among them
    /// while the server does not have that yet, and while its word of it is on its way here. Nor are visitors, and who
    /// was removed: nobody can acknowledge those, and whoever marked them has heard of them.
    public var cards: [Card] {
        let heard = Dictionary(
            outbox.deliveries.compactMap { delivery in heardHere(delivery).map { ($0, delivery.at) } },
            uniquingKeysWith: max)
        let callers = follower.state.order.keys.prefix { $0.state <= .needsHelp }
            .compactMap { follower.state.people[$0.user] }
            .filter { $0.acknowledgedBy == nil && $0.user != follower.state.user }
            // A call that began after the acknowledgement is another one.
            .filter { person in heard[person.user].map { person.since ?? .distantPast > $0 } ?? true }
            .filter { $0.roll?.kind ?? .user == .user }
        return callers.sorted { left, right in
            left.state == right.state
                ? left.since ?? .distantPast < right.since ?? .distantPast : left.state == .sos
        }.map { card(of: $0) }
    }

    /// That somebody is in danger, and how many.
    public var title: String { wording.words.text(.sosTitle, count: cards.count) }
    /// That this stays until somebody acknowledges it.
    public var explanation: String { wording.words.text(.sosHow) }

    /// Says that this leader has heard a call. It reaches the server as soon as there is a connection.
    public func acknowledge(_ user: Card.ID) async {
        guard let person = follower.state.people[user], person.state.isCall else { return }
        if let roll = person.roll, roll.kind != .user { return }
        await outbox.add(.declare(.acknowledge, of: user, note: nil, at: nil))
    }

    /// Whose call an acknowledgement is of that is not in what the server has said yet; nil for any other delivery.
    private func heardHere(_ delivery: Outbox.Delivery) -> String? {
        guard case .declare(.acknowledge, let subject, _, _) = delivery.order.kind else { return nil }
        switch delivery.state {
        case .counting, .sending, .failed: return subject
        // A call that came after it has a later number in the log.
        case .received(isLate: false): return delivery.sequence ?? 0 > follower.state.sequence ? subject : nil
        case .received, .refused, .cancelled: return nil
        }
    }

    private func card(of person: Person) -> Card {
        let words = wording.words
        let people = PersonWords(wording: wording)
        let name = wording.legible(person.called)
        let since: KeyValuePairs = ["time": wording.minute(person.since), "age": wording.age(of: person.since)]
        let state = follower.state.shown(person)
        return Card(
            id: person.user, state: state,
            title: state == .sos
                ? words.text(.sosFrom, ["name": name]) : words.listed([name, people.state(.needsHelp)]),
            since: words.text(.sosSince, since), note: people.note(person),
            detail: words.listed([people.heard(person), people.located(person), people.battery(person)]),
            latitude: person.located?.latitude, longitude: person.located?.longitude,
            callURL: PersonModel.callURL(person.phone),
            callTitle: words.text(.sosCall, ["phone": wording.legible(person.phone)]),
            acknowledgeTitle: words.text(.sosAcknowledge, ["name": name]))
    }
}
