public import Foundation
import MusterKit
public import Observation

/// What a person says of themselves: "I am safe", "I need help", SOS; and where each of it is: on this phone, at the
/// server, seen by somebody.
///
/// Each word is on the phone's disk when the call returns, and reaches the server once, however often the app is killed
/// and the connection is cut. An SOS waits behind nothing else.
@MainActor @Observable public final class SafetyModel {
    private let follower: TeamFollower
    private let phone: PhoneState
    private let outbox: Outbox
    private let wording: Wording

    init(_ follower: TeamFollower, _ phone: PhoneState, _ outbox: Outbox, _ wording: Wording) {
        (self.follower, self.phone, self.outbox, self.wording) = (follower, phone, outbox, wording)
    }

    /// For how many seconds an SOS is counted down, in which it can be cancelled.
    public static let countdownSeconds = 5.0
    /// For how many seconds the SOS button is held before the countdown begins.
    public static let holdSeconds = 1.0
    /// The age of a position, seconds, from which on it is not sent with a call for help.
    static let placeSeconds = 300.0
    /// The largest note that the server takes, bytes.
    static let noteLimitBytes = 500

    /// The title of the button "I am safe".
    public var safeTitle: String { words.text(.mySafe) }
    /// The title of the button that calls for help.
    public var helpTitle: String { words.text(.myHelp) }
    /// The title of the button SOS.
    public var sosTitle: String { words.text(.mySos) }
    /// How SOS is pressed.
    public var sosHint: String { words.text(.mySosHow) }
    /// What is said when the button was not held long enough.
    public var tooShortText: String { words.text(.deliveryTooShort) }

    /// Says "I am safe". It ends a call for help but an SOS, and a countdown that runs.
    public func saySafe() async { await say(.safe) }

    /// Calls for help.
    ///
    /// - Parameter note: what has happened; leaders read it.
    public func askForHelp(note: String? = nil) async { await say(.needsHelp, note: note) }

    /// Begins the countdown of an SOS. A countdown that runs already goes on.
    public func startSOS() async {
        guard counting == nil else { return }
        let place = self.place(at: outbox.phoneNow)
        await outbox.add(.declare(.sos, of: user, note: nil, at: place), dueInSeconds: Self.countdownSeconds)
    }

    /// Cancels the countdown. Nothing is sent then.
    public func cancelSOS() async {
        if let counting { await outbox.cancel(counting.id) }
    }

    /// Ends the countdown, and sends the SOS now.
    public func sendSOSNow() async {
        if let counting { await outbox.sendNow(counting.id) }
    }

    /// The countdown of an SOS; nil while none runs.
    public var countdown: Countdown? {
        guard let counting, let dueAt = counting.order.dueAt else { return nil }
        let length = counting.order.countdownSeconds ?? Self.countdownSeconds
        let left = min(length, max(0, dueAt.timeIntervalSince(wording.phoneNow)))
        let time = wording.duration(left.rounded(.up))
        let text: String
        if follower.isLive {
            text = left > 0 ? words.text(.mySentIn, ["time": time]) : words.text(.mySentNow)
        } else {
            text = left > 0 ? words.text(.myWaitsIn, ["time": time]) : words.text(.myWaitsNow)
        }
        return Countdown(
            secondsLeft: left, dueAt: dueAt, text: text, cancelTitle: words.text(.cancel),
            sendNowTitle: words.text(.mySendNow))
    }

    /// The countdown of an SOS.
    public struct Countdown: Hashable, Sendable {
        /// Seconds until it is sent, by the phone's clock.
        public var secondsLeft: Double
        /// When it is sent, by the phone's clock.
        public var dueAt: Date
        /// That it is sent, or waits for the server.
        public var text: String
        /// The title of the button that cancels.
        public var cancelTitle: String
        /// The title of the button that sends it now.
        public var sendNowTitle: String
    }

    /// What was said, and where it is now, in the order in which it was said.
    public var deliveries: [DeliveryLine] {
        let call = callLine
        let lines = outbox.deliveries.compactMap { delivery -> DeliveryLine? in
            guard let what = Self.spoken(delivery.order, of: user, words, wording), delivery.state != .counting else {
                return nil
            }
            // A call that stands at the server has a line of its own, which says who has seen it.
            if call != nil, case .received = delivery.state, case .declare(let kind, _, nil, _) = delivery.order.kind,
                kind.rawValue == follower.state.me?.state.rawValue
            {
                return nil
            }
            return OutboxModel.line(of: delivery, what: what, isLive: follower.isLive, wording)
        }
        return lines + (call.map { [$0] } ?? [])
    }

    /// Whether the person calls for help, as far as this phone knows.
    public var isCalling: Bool { outbox.callKind(of: follower.state) != nil }

    /// That the app does not know where the person is, so that a call for help carries no place; nil otherwise.
    public var noPlaceText: String? {
        isCalling && place(at: wording.phoneNow) == nil ? words.text(.declarationsNoPlace) : nil
    }

    /// The title of the field for a note, while the person calls for help.
    public var noteTitle: String { words.text(.myNote) }
    /// The title of the button that sends the note.
    public var sendNoteTitle: String { words.text(.mySendNote) }

    /// Sends a note with the call for help that stands. Without one it does nothing.
    public func sendNote(_ note: String) async {
        guard let kind = outbox.callKind(of: follower.state), !note.isEmpty else { return }
        await say(kind, note: note)
    }

    /// The title of the button that takes the call back.
    public var endCallTitle: String { words.text(.declarationsEnd) }
    /// What is asked before the call is taken back.
    public var endCallQuestion: Question {
        Question(
            title: words.text(.declarationsEnd), lines: [words.text(.declarationsAskEnd)],
            button: words.text(.declarationsEndNow), cancel: words.text(.cancel), isDestructive: false)
    }

    /// Takes the call for help back.
    public func endCall() async { await say(.clear) }

    // MARK: Pieces

    private var words: Words { wording.words }
    private var user: String { follower.state.user }
    /// The order whose countdown runs; nil while none does.
    var countingID: Order.ID? { counting?.id }
    private var counting: Outbox.Delivery? { outbox.deliveries.last { $0.state == .counting && $0.order.isSOS } }

    /// Where the phone is, unless that is old; or ahead of the clock, where its age is not known.
    private func place(at now: Date) -> Order.Coordinates? {
        guard let location = phone.location, abs(now.timeIntervalSince(location.time)) < Self.placeSeconds
        else { return nil }
        return Order.Coordinates(latitude: location.latitude, longitude: location.longitude)
    }

    private func say(_ kind: Order.Declaration, note: String? = nil) async {
        if kind != .sos { await cancelSOS() }
        let isCall = kind == .sos || kind == .needsHelp
        let note = note?.trimmed(toBytes: Self.noteLimitBytes)
        await outbox.add(.declare(kind, of: user, note: note, at: isCall ? place(at: outbox.phoneNow) : nil))
    }

    /// The line of the call as the server has it, which says whether somebody has seen it.
    private var callLine: DeliveryLine? {
        guard let me = follower.state.me, me.state.isCall else { return nil }
        let what = words.text(me.state == .sos ? .spokenSos : .spokenNeedsHelp)
        let text: String
        if let name = me.acknowledgedBy {
            text = words.text(.declarationsSeen, ["what": what, "name": wording.called(name)])
        } else {
            text = words.text(.declarationsUnseen, ["what": what, "time": wording.clock(me.since)])
        }
        return DeliveryLine(id: "call", place: me.acknowledgedBy == nil ? .server : .seen, text: text)
    }

    /// What a person said of themselves, in words; nil for an order about somebody else, or of another kind.
    static func spoken(_ order: Order, of user: String, _ words: Words, _ wording: Wording) -> String? {
        switch order.kind {
        case .checkIn(user): return words.text(.spokenCheckIn)
        case .declare(let kind, user, let note, _):
            let said: String
            switch kind {
            case .safe: said = words.text(.spokenSafe)
            case .needsHelp: said = words.text(.spokenNeedsHelp)
            case .sos: said = words.text(.spokenSos)
            case .clear: said = words.text(.declarationsClear)
            case .offSite, .acknowledge: return nil
            }
            return note.map { "\(said) (\(wording.legible($0)))" } ?? said
        default: return nil
        }
    }
}
