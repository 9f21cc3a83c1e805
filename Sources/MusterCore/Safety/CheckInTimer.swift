/// A person's promise to check in at fixed intervals, and the step that the engine has reached since the person fell
/// silent: a dead man's switch for people who work alone.
///
/// Only the person's own check-in or declaration keeps the timer from running out. A position does not count, because a
/// phone keeps reporting from the pocket of someone who lies on the ground. The times in which somebody can still react
/// are counted from the moment when the engine reported the step before. So a server that was off reminds the person
/// first, even when the check-in has been due for hours: meanwhile nobody could check in.
public struct CheckInTimer: Hashable, Sendable {
    /// The longest time between two check-ins of the person, in seconds.
    public var intervalSeconds: Double
    /// How long after its reminder to the person the engine notifies the leaders, in seconds.
    public var leaderAfterSeconds: Double
    /// How long after its notice to the leaders the engine raises an SOS for the person, in seconds.
    public var sosAfterSeconds: Double
    /// Whether an incident of the person's team is opened together with the SOS.
    public var opensIncident: Bool
    /// The person's task and location, for people who search for the person.
    public var note: String?
    /// The user who started it.
    public var setBy: UserNumber
    /// The moment of the person's last check-in; at first that of the start.
    public var lastWord: Instant
    /// The latest event of the timer, which the timer's change in the log reports.
    public var turn: Turn
    /// When `turn` happened, by the server's clock.
    public var turnAt: Instant
    /// The user who caused `turn`; nil if the timer ran out.
    public var turnBy: UserNumber?
    /// The number of notices to the leaders since the person's last check-in. The API calls it `tellings`.
    public var noticeCount: Int32 = 0
    /// When the leaders were last notified.
    public var toldAt = Instant(milliseconds: 0)

    /// The events of a timer.
    public enum Turn: UInt8, Hashable, Sendable, CaseIterable {
        /// A user started it.
        case started
        /// The person checked in in time, or a leader did for them. The time to the next check-in begins.
        case checkedIn
        /// The check-in is due, and the engine reminds the person.
        case reminded
        /// The person did not check in after the reminder, and the engine notifies the leaders.
        case overdue
        /// No leader checked in for the person either, so the engine has raised an SOS for the person.
        case sos
        /// A user ended it.
        case ended
    }

    /// How long the interval may be, in seconds.
    public static let intervalLimits: ClosedRange<Double> = 60...86_400
    /// The limits of `leaderAfterSeconds` and of `sosAfterSeconds`, in seconds.
    public static let graceLimits: ClosedRange<Double> = 0...3_600
    /// The values of `leaderAfterSeconds` and `sosAfterSeconds` when a caller names none, in seconds.
    public static let defaultLeaderAfterSeconds: Double = 120, defaultSOSAfterSeconds: Double = 600
    /// The time between two notices to the leaders while the person is overdue, in seconds.
    public static let repeatSeconds: Double = 300
    /// The shortest time that a person has to react once the server is running again, in seconds.
    public static let answerSeconds: Double = 60
    /// A check-in that follows the one before within so many seconds does not restart the interval.
    public static let wordSpacingSeconds: Double = 5
    /// How long a note may be, in bytes of UTF-8.
    public static let noteLimitBytes = 500

    /// Creates a timer that a user starts.
    ///
    /// - Parameters:
    ///   - lastWord: when the user started it, by the sender's clock.
    ///   - now: the server's time.
    public init(
        intervalSeconds: Double, leaderAfterSeconds: Double = Self.defaultLeaderAfterSeconds,
        sosAfterSeconds: Double = Self.defaultSOSAfterSeconds, opensIncident: Bool = false, note: String? = nil,
        setBy: UserNumber, lastWord: Instant, now: Instant
    ) {
        self.intervalSeconds = intervalSeconds
        self.leaderAfterSeconds = leaderAfterSeconds
        self.sosAfterSeconds = sosAfterSeconds
        self.opensIncident = opensIncident
        self.note = note
        self.setBy = setBy
        self.lastWord = min(lastWord, now)
        turn = .started
        turnAt = now
        turnBy = setBy
    }

    /// When the next check-in is due.
    public var dueAt: Instant { lastWord.advanced(bySeconds: intervalSeconds) }

    /// Whether the person's check-in is not due yet, or the engine has not yet noticed that it is.
    public var isRunning: Bool { turn == .started || turn == .checkedIn }

    /// Records a check-in of the person.
    ///
    /// - Parameters:
    ///   - moment: when the person checked in; a moment ahead of `now` counts as now.
    ///   - author: the user who checked in.
    /// - Returns: whether the check-in restarts the interval. A late one from a phone that was offline does not, if the
    ///   next check-in after it is due already.
    mutating func takeWord(at moment: Instant, by author: UserNumber, now: Instant) -> Bool {
        let moment = min(moment, now)
        let isSpaced = moment.seconds(since: lastWord) >= Self.wordSpacingSeconds
        guard isRunning ? isSpaced : moment > lastWord else { return false }
        lastWord = moment
        guard now < dueAt else { return false }
        turn = .checkedIn
        turnAt = now
        turnBy = author
        noticeCount = 0
        return true
    }

    /// Adjusts the timer after the server was off, or its clock was set back. No time of the timer lies in the future
    /// afterwards; otherwise check-ins would count as late, and no step would be taken until the clock has caught up.
    /// After the server was off, a person who was reminded, or a leader who was notified, has at least a minute (or the
    /// whole wait, if it is shorter) to react before the next step, because nobody could check in meanwhile.
    ///
    /// - Parameter wasOff: whether the server starts.
    mutating func adjustTimes(to now: Instant, wasOff: Bool) {
        lastWord = min(lastWord, now)
        turnAt = min(turnAt, now)
        toldAt = min(toldAt, now)
        guard wasOff else { return }
        let wait = turn == .reminded ? leaderAfterSeconds : turn == .overdue ? sosAfterSeconds : 0
        turnAt = max(turnAt, now.advanced(bySeconds: min(wait, Self.answerSeconds) - wait))
    }

    /// Takes the step that is due, at most one.
    ///
    /// - Parameter isSOS: whether the person counts as calling SOS. If not, someone has cleared the SOS of the timer,
    ///   and the engine reminds the person again, so that the timer does not end unnoticed.
    /// - Returns: whether the log must report the timer: it took a step, or the leaders are notified again.
    mutating func advance(to now: Instant, isSOS: Bool) -> Bool {
        switch turn {
        case .started, .checkedIn:
            guard now >= dueAt else { return false }
            step(to: .reminded, at: now)
        case .reminded:
            guard now.seconds(since: turnAt) >= leaderAfterSeconds else { return false }
            step(to: .overdue, at: now)
            recordNotice(at: now)
        case .overdue where now.seconds(since: turnAt) >= sosAfterSeconds:
            step(to: .sos, at: now)
        case .overdue:
            guard now.seconds(since: toldAt) >= Self.repeatSeconds else { return false }
            recordNotice(at: now)
        case .sos where !isSOS: step(to: .reminded, at: now)
        case .sos, .ended: return false
        }
        return true
    }

    private mutating func step(to turn: Turn, at now: Instant) {
        self.turn = turn
        turnAt = now
        turnBy = nil
    }

    private mutating func recordNotice(at now: Instant) {
        noticeCount &+= 1
        toldAt = now
    }
}

/// Why the engine refuses a request about a check-in timer.
public enum CheckInError: Error, Hashable, Sendable {
    /// The user is a gateway, or does not exist.
    case isNoPerson
    /// The person has no timer.
    case hasNoTimer
    /// Another user started the person's timer, so that the person does not replace it.
    case isSetByAnother
}
