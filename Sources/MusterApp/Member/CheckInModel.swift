public import Foundation
public import Observation

/// The check-in timer of a person who works alone.
@MainActor @Observable public final class CheckInModel {
    private let follower: TeamFollower
    private let outbox: Outbox
    private let wording: Wording

    init(_ follower: TeamFollower, _ outbox: Outbox, _ wording: Wording) {
        (self.follower, self.outbox, self.wording) = (follower, outbox, wording)
    }

    /// The title of the part: a question while no timer runs.
    public var title: String { words.text(timer == nil ? .timerAlone : .timerLabel) }
    /// The title of the choice of an interval.
    public var intervalTitle: String { words.text(.timerEvery) }
    /// The title of the field for a note.
    public var noteTitle: String { words.text(.timerWhat) }
    /// The title of the button that starts the timer.
    public var startTitle: String { words.text(.timerStart) }
    /// The title of the button that checks in.
    public var checkInTitle: String { words.text(.timerCheckIn) }
    /// The title of the button that ends the timer.
    public var endTitle: String { words.text(.timerEnd) }

    /// The intervals to choose from.
    public var intervals: [Interval] {
        [
            Interval(seconds: 900, title: words.text(.timerMinutes15)),
            Interval(seconds: 1800, title: words.text(.timerMinutes30)),
            Interval(seconds: 3600, title: words.text(.timerMinutes60)),
            Interval(seconds: 7200, title: words.text(.timerMinutes120)),
        ]
    }

    /// How often a person checks in.
    public struct Interval: Hashable, Sendable, Identifiable {
        /// The interval, seconds.
        public var seconds: Double
        /// What it is called.
        public var title: String
        /// What it is, the same for the same thing.
        public var id: Double { seconds }
    }

    /// Whether a timer runs, as far as the server and what waits here say.
    public var isRunning: Bool { timer != nil }
    /// When the next check-in is due; empty without a timer.
    public var text: String {
        let text = PersonWords(wording: wording).timer(timer)
        return text.isEmpty ? "" : words.text(.timerYours, ["words": text])
    }
    /// What the person is doing, and where; empty for nothing.
    public var note: String { wording.legible(timer?.note) }
    /// When the next check-in is due, by the phone's clock, for a local notification; nil without a timer.
    public var dueAt: Date? { timer?.dueAt?.addingTimeInterval(-wording.serverAheadSeconds) }
    /// When it is due by the server's clock.
    var serverDueAt: Date? { timer?.dueAt }
    /// Whether the check-in is due, so that a view shows `banner` before all else.
    public var isDue: Bool { banner != nil }

    /// That the check-in is due, and whether leaders were told; nil while it is not.
    public var banner: String? {
        guard let timer, let due = timer.dueAt else { return nil }
        // The phone knows the time when it is due also without the server.
        guard ["reminded", "overdue", "sos"].contains(timer.happened) || due <= wording.now else { return nil }
        let leadersKnow =
            timer.happened == "overdue" || timer.happened == "sos"
        return words.text(leadersKnow ? .timerYouAreOverdue : .timerYouAreDue, ["time": wording.minute(due)])
    }

    /// What is asked before the timer is ended.
    public var endQuestion: Question {
        Question(
            title: words.text(.timerEnd), lines: [words.text(.timerAskEnd)], button: words.text(.timerEnd),
            cancel: words.text(.cancel), isDestructive: true)
    }

    /// Starts the timer, or replaces it.
    ///
    /// - Parameters:
    ///   - seconds: 60 to 86,400; others are brought within.
    ///   - note: what the person does, and where.
    public func start(everySeconds seconds: Double, note: String) async {
        let seconds = min(86_400, max(60, seconds.isNaN ? 3600 : seconds))
        await outbox.add(.startTimer(of: follower.state.user, seconds: seconds, note: note.trimmed(toBytes: 500)))
    }

    /// Checks in. One that cannot be sent for a day is dropped by the server, never counted as of now.
    public func checkIn() async { await outbox.add(.checkIn(of: follower.state.user)) }

    /// Ends the timer.
    public func end() async { await outbox.add(.endTimer(of: follower.state.user)) }

    // MARK: Pieces

    private var words: Words { wording.words }

    /// The timer by the server's last word, changed by what waits here.
    private var timer: Person.Timer? {
        let user = follower.state.user
        var timer = follower.state.me?.timer
        for delivery in outbox.deliveries {
            switch delivery.state {
            case .refused, .cancelled, .counting: continue
            // What the server received is in its own word, unless that is older.
            case .received where follower.isLive && delivery.at < (follower.state.heardAt ?? .distantPast): continue
            case .received, .sending, .failed: break
            }
            let at = delivery.order.saidAt ?? delivery.at
            switch delivery.order.kind {
            case .startTimer(user, let seconds, let note):
                timer = Person.Timer(
                    happened: "started", lastWord: at, dueAt: at.addingTimeInterval(seconds), intervalSeconds: seconds,
                    leaderAfterSeconds: 120, note: note, setBy: user)
            case .endTimer(user): timer = nil
            case .checkIn(user):
                guard var running = timer, at > running.lastWord ?? .distantPast else { continue }
                running.happened = "checkedIn"
                running.lastWord = at
                running.dueAt = at.addingTimeInterval(running.intervalSeconds)
                timer = running
            default: break
            }
        }
        return timer
    }
}
