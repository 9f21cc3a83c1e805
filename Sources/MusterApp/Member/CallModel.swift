public import Foundation
import MusterKit
public import Observation

/// The call of an open incident, which takes the whole screen until the person has said that they have seen it.
///
/// "I have seen this" tells the leaders that the call arrived, and not that the person is safe. An incident that is
/// opened again calls again.
@MainActor @Observable public final class CallModel {
    private let follower: TeamFollower
    private let phone: PhoneState
    private let outbox: Outbox
    private let wording: Wording
    private let store: LocalStore
    /// When the person saw which call on this phone.
    private var seen: [String: Date] = [:]

    /// The id of the note in the store.
    private static let note = "app.calls"
    private static let seenLimit = 20

    init(_ follower: TeamFollower, _ phone: PhoneState, _ outbox: Outbox, _ store: LocalStore, _ wording: Wording) {
        (self.follower, self.phone, self.outbox, self.wording, self.store) = (follower, phone, outbox, wording, store)
    }

    /// An incident that calls the person.
    public struct Card: Hashable, Sendable, Identifiable {
        /// The call; a reopened incident has another one.
        public var id: String
        /// The incident's number.
        public var number: Int64
        /// Whether it is an exercise.
        public var isDrill: Bool
        /// The team, by its name.
        public var team: String
        /// When the incident last called its people, by the server's clock; nil while that is not known.
        public var calledAt: Date?
        /// "Evacuate", or that it is a drill.
        public var title: String
        /// The team, and since when.
        public var line: String
        /// What the leader wrote; empty for nothing.
        public var note: String
        /// What to do.
        public var whatToDo: String
        /// When the person has seen it, and whether the server knows; nil while they have not.
        public var seenText: String?
        /// The title of the button.
        public var acknowledgeTitle: String
        /// What pressing the button tells.
        public var meansText: String
        /// The title of the button that leads to the way.
        public var wayTitle: String
    }

    /// When the server last said what calls the person, by its clock; nil if it never did.
    public var heardAt: Date? { follower.state.heardAt }

    /// The open incidents that call this person, those first that they have not seen, and the newest first.
    public var cards: [Card] {
        let me = follower.state.me
        guard me?.roll?.takenOff == nil else { return [] }
        let known = follower.state.incidents.values.filter { $0.team == follower.state.team }
        var calls = known.map { card(of: $0, seenAt: seenAt(of: $0, me)) }
        // MusterKit may know of an incident before the feed does, as after a silent push.
        if let told = phone.incident, !known.contains(where: { $0.number == told.number }), !follower.isLive {
            let incident = Incident(
                number: told.number, team: follower.state.team ?? "", isDrill: told.isDrill, note: told.note,
                isOpen: true)
            calls.append(card(of: incident, seenAt: seenAt(of: incident, me)))
        }
        return calls.sorted {
            let isSeen = ($0.seenText != nil, $1.seenText != nil)
            return isSeen.0 == isSeen.1 ? $0.number > $1.number : !isSeen.0
        }
    }

    /// The call that takes the whole screen: the newest that the person has not seen; nil if there is none.
    public var unseen: Card? { cards.first.flatMap { $0.seenText == nil ? $0 : nil } }

    /// Says that the person has seen the call of an incident, by its number: of a notification, which may come before
    /// the app has heard of the incident. It is on the disk when this returns.
    func acknowledge(incident number: Int64) async {
        if let card = cards.first(where: { $0.number == number }) {
            if card.seenText == nil { await acknowledge(card.id) }
        } else {
            await outbox.add(.callSeen(incident: number))
        }
    }

    /// Says that the person has seen a call. It is on the disk when this returns.
    public func acknowledge(_ id: Card.ID) async {
        guard let card = cards.first(where: { $0.id == id }), seen[id] == nil else { return }
        seen[id] = outbox.serverNow
        if seen.count > Self.seenLimit, let oldest = seen.min(by: { $0.value < $1.value })?.key { seen[oldest] = nil }
        await outbox.add(.callSeen(incident: card.number))
        // On a full disk the call is shown again after a restart.
        try? await store.storeValue(seen, note: Self.note)
    }

    /// The server counts an acknowledgement for an earlier call of the incident: this one calls until it is seen, too.
    func forgetSeen(_ order: Order) async {
        guard case .callSeen(let number) = order.kind else { return }
        for key in seen.keys where key.hasPrefix("\(number)/") { seen[key] = nil }
        try? await store.storeValue(seen, note: Self.note)
    }

    /// Reads which calls were seen on this phone.
    func restore() async {
        let kept = try? await store.cachedValue(of: Self.note, as: [String: Date].self)
        seen.merge(kept ?? [:]) { now, _ in now }
    }

    // MARK: Pieces

    private func seenAt(of incident: Incident, _ me: Person?) -> Date? {
        if let seen = seen[incident.callKey] { return seen }
        if let delivery = acknowledgement(of: incident) { return delivery.order.saidAt ?? delivery.at }
        // What was seen before the incident was opened again answers the former call.
        guard let roll = me?.roll, roll.incident == incident.number, let at = roll.callSeenAt,
            at >= incident.calledAt ?? .distantPast
        else { return nil }
        return at
    }

    /// The acknowledgement of the present call that was sent from here, unless it came too late for the server.
    private func acknowledgement(of incident: Incident) -> Outbox.Delivery? {
        outbox.deliveries.last { delivery in
            delivery.order.kind == .callSeen(incident: incident.number) && delivery.state != .received(isLate: true)
                && delivery.order.saidAt ?? delivery.at >= incident.calledAt ?? .distantPast
        }
    }

    private func seenText(_ incident: Incident, at moment: Date) -> String {
        let words = wording.words
        let time = wording.clock(moment)
        switch acknowledgement(of: incident)?.state {
        case .counting, .sending, .failed: return words.text(.callSeenHere, ["time": time])
        case .refused(.said(let reason)):
            return words.text(.callSeenRefused, ["time": time, "reason": wording.legible(reason)])
        case .refused(.time): return words.text(.callSeenNoTime, ["time": time])
        case .received, .cancelled, nil: return words.text(.callSeen, ["time": time])
        }
    }

    private func card(of incident: Incident, seenAt: Date?) -> Card {
        let words = wording.words
        return Card(
            id: incident.callKey, number: incident.number, isDrill: incident.isDrill, team: incident.team,
            calledAt: incident.calledAt,
            title: words.text(incident.isDrill ? .callDrill : .callReal),
            line: words.text(
                .callLine, ["team": wording.legible(incident.team), "time": wording.clock(incident.startedAt)]),
            note: wording.legible(incident.note), whatToDo: words.text(incident.isDrill ? .callDoDrill : .callDo),
            seenText: seenAt.map { seenText(incident, at: $0) },
            acknowledgeTitle: words.text(.callAcknowledge), meansText: words.text(.callMeans),
            wayTitle: words.text(.callWay))
    }
}
