import Foundation
import MusterKit
public import Observation

/// What waits on this phone for the server: words, orders and positions.
@MainActor @Observable public final class OutboxModel {
    private let follower: TeamFollower
    private let phone: PhoneState
    private let outbox: Outbox
    private let wording: Wording
    private let muster: Muster

    init(_ follower: TeamFollower, _ phone: PhoneState, _ outbox: Outbox, _ muster: Muster, _ wording: Wording) {
        (self.follower, self.phone, self.outbox, self.wording) = (follower, phone, outbox, wording)
        self.muster = muster
    }

    /// The title of the list.
    public var title: String { words.text(.waitingTitle) }

    /// Everything that was said or ordered here and waits, and the last few that are over.
    public var lines: [DeliveryLine] {
        outbox.deliveries.map { delivery in
            let what = Self.spoken(delivery.order, of: follower.state.user, wording)
            return Self.line(of: delivery, what: what, isLive: follower.isLive, wording)
        }
    }

    /// What became of something that was said or ordered.
    func text(of delivery: Outbox.Delivery) -> String {
        let what = Self.spoken(delivery.order, of: follower.state.user, wording)
        return Self.line(of: delivery, what: what, isLive: follower.isLive, wording).text
    }

    /// The number of words and orders that wait.
    public var waitingCount: Int { outbox.waiting.count }

    /// What waits, in one line: "2 messages, 14 positions", or that nothing does.
    public var summary: String {
        let waiting = Self.waitingText(messages: waitingCount, positions: phone.unsentPositions ?? 0, words)
        return waiting.isEmpty ? words.text(.trackingNothingWaits) : waiting
    }

    /// When the server last had all positions; empty if it never did.
    public var sentText: String {
        phone.sentAt.map { words.text(.trackingSentAt, ["time": wording.clock(shifted($0))]) } ?? ""
    }

    /// Why positions wait; nil if the last attempt did not fail.
    public var faultText: String? {
        switch phone.sendFault {
        case nil, .cancelled, .closed: nil
        case .away: words.text(.trackingAway)
        case .signInNeeded, .signedOut: words.text(.trackingSignedOut)
        case .deviceFull: words.text(.trackingStorageFull)
        case .some(let fault): words.text(.trackingBusy, ["reason": wording.legible(fault.description)])
        }
    }

    /// The title of the button that sends now.
    public var sendNowTitle: String { words.text(.waitingSendNow) }

    /// Tries at once to send all that waits. It returns once the server has answered, after 20 s at the latest.
    /// Cancelling the task ends the waiting; nothing is lost.
    public func sendNow() async {
        let waiting = Set(outbox.waiting.map(\.id))
        outbox.hurry()
        follower.hurry()
        do {
            try await muster.send()
            phone.sendFault = nil
            // While positions are tracked, one may have been recorded meanwhile: the events of MusterKit count them.
            if !phone.isTracking { phone.unsentPositions = 0 }
        } catch {
            if error != .cancelled { phone.sendFault = error }
        }
        await outbox.settle(waiting, withinSeconds: Self.settleSeconds)
    }

    /// How long a call waits for the server's answer to what was said, seconds. The system gives a process about 30 s
    /// after it started it for a notification.
    nonisolated static let settleSeconds = 20.0

    /// Forgets an order that is counted down.
    public func cancel(_ line: DeliveryLine.ID) async { await outbox.cancel(line) }

    // MARK: Words

    private var words: Words { wording.words }
    private func shifted(_ moment: Date) -> Date { moment.addingTimeInterval(wording.serverAheadSeconds) }

    /// A number of messages and positions in words; empty if both are 0.
    static func waitingText(messages: Int, positions: Int, _ words: Words) -> String {
        words.listed([
            messages > 0 ? words.text(.declarationsMessages, count: messages) : "",
            positions > 0 ? words.text(.declarationsPositions, count: positions) : "",
        ])
    }

    /// Where a delivery is, in words.
    static func line(
        of delivery: Outbox.Delivery, what: String, isLive: Bool, _ wording: Wording
    ) -> DeliveryLine {
        let words = wording.words
        func line(_ place: DeliveryLine.Place, _ text: String) -> DeliveryLine {
            DeliveryLine(id: delivery.id, place: place, text: text)
        }
        let time = wording.clock(delivery.at)
        switch delivery.state {
        case .received(let isLate):
            let key: Word = isLate ? .declarationsLate : .declarationsServer
            return line(.server, words.text(key, ["what": what, "time": time]))
        case .refused(.said(let reason)):
            return line(.refused, words.text(.declarationsRefused, ["what": what, "reason": wording.legible(reason)]))
        case .refused(.time): return line(.refused, words.text(.declarationsSayAgain, ["what": what]))
        case .cancelled: return line(.cancelled, words.text(.declarationsCancelled, ["what": what]))
        case .counting, .sending, .failed: break
        }
        var failure: Outbox.Delivery.Failure?
        if case .failed(let fault) = delivery.state { failure = fault }
        // Without a connection nothing is "being sent", although that is tried.
        if failure == nil, isLive { return line(.phone, words.text(.declarationsSending, ["what": what])) }
        let said = wording.clock(delivery.order.saidAt ?? delivery.at)
        var parts: [String] = []
        if let failure {
            let reason =
                switch failure {
                case .signInNeeded: words.text(.problemSignIn)
                case .away(let text): text.map { wording.legible($0) } ?? words.text(.problemNoConnection)
                }
            parts.append(words.text(.declarationsWaits, ["what": what, "time": said, "reason": reason]))
        } else {
            parts.append(words.text(.declarationsKept, ["what": what, "time": said]))
        }
        if delivery.isUnkept { parts.append(words.text(.declarationsUnkept)) }
        if case .declare(let kind, _, _, _) = delivery.order.kind, kind == .sos || kind == .needsHelp {
            parts.append(words.text(.declarationsEmergency))
        }
        return line(.phone, parts.joined(separator: " "))
    }

    /// What was said or ordered, in words.
    static func spoken(_ order: Order, of user: String, _ wording: Wording) -> String {
        let words = wording.words
        if let own = SafetyModel.spoken(order, of: user, words, wording) { return own }
        func name(_ text: String) -> String { wording.legible(text) }
        func called(_ user: String) -> String { wording.called(user) }
        switch order.kind {
        case .declare(let kind, let subject, _, _):
            let parameters: KeyValuePairs = ["name": called(subject)]
            switch kind {
            case .safe: return words.text(.orderSafe, parameters)
            case .offSite: return words.text(.orderOffSite, parameters)
            case .needsHelp, .sos: return words.text(.orderNeedsHelp, parameters)
            case .clear: return words.text(.orderClear, parameters)
            case .acknowledge: return words.text(.orderAcknowledge, parameters)
            }
        case .checkIn(let subject): return words.text(.orderCheckedIn, ["name": called(subject)])
        case .callSeen: return words.text(.orderCallSeen)
        case .startTimer: return words.text(.timerOrderStart)
        case .endTimer: return words.text(.timerOrderEnd)
        case .pause(let until, _): return words.text(.visibleOrderPause, ["time": wording.minute(until)])
        case .endPause: return words.text(.visibleOrderEnd)
        case .startIncident(let team, let isDrill, _):
            return words.text(isDrill ? .orderDrill : .orderReal, ["team": name(team)])
        case .close: return words.text(.orderCloseHere)
        case .reopen: return words.text(.orderReopenHere)
        case .addVisitor(_, let visitor, _, _): return words.text(.orderVisitor, ["name": name(visitor)])
        case .mark(_, _, let state, _):
            return words.text(.orderMark, ["state": words.text(named: "visitor.\(state)") ?? state])
        case .takeOff: return words.text(.orderTakeOffHere)
        case .requestPAR: return words.text(.orderParHere)
        case .setPARTimer(_, let seconds):
            guard let seconds else { return words.text(.incidentOrderByHand) }
            return words.text(.incidentOrderEvery, count: Int(seconds / 60))
        case .reportPAR(_, let crew, let isOfVisitors, let present, _, _):
            let none = words.text(isOfVisitors == true ? .incidentVisitors : .incidentNoCrew)
            let crew = crew.map(name) ?? none
            return words.text(.incidentOrderReport, ["crew": crew, "count": String(present)])
        case .handOver(_, let to, _): return words.text(.orderHandOverHere, ["name": called(to)])
        }
    }
}
