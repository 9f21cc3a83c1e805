import MusterCore
import MusterSimulator

/// What people who work alone were promised, and what they said, from the steps of a storm alone: held against what the
/// log tells of their check-in timers.
struct StormTimers {
    private struct Promise {
        var settings: StormTimer
        var lastWord: Instant
        var turn = CheckInTimer.Turn.started
        var turnAt: Instant
    }

    private var promises: [UserNumber: Promise] = [:]
    private var found: [String] = []
    /// How often a timer ran out.
    private(set) var runOut = 0

    /// Takes what a step says.
    mutating func hear(_ step: StormStep, in directory: Directory, now: Instant) {
        promises = promises.filter { directory.users[$0.key] != nil }
        switch step {
        case .startTimer(let timer) where directory.users[timer.user] != nil:
            promises[timer.user] = Promise(settings: timer, lastWord: now, turnAt: now)
        case .checkIn(let user, let moment): hear(user, at: min(moment, now))
        case .endTimer(let user): promises[user] = nil
        case .say(let word) where directory.users[word.author] != nil:
            let isTimersSOS = promises[word.subject]?.turn == .sos
            if word.author == word.subject || (word.kind == .clear && isTimersSOS) {
                hear(word.subject, at: word.moment)
            }
        default: break
        }
    }

    private mutating func hear(_ user: UserNumber, at moment: Instant) {
        guard let promise = promises[user] else { return }
        promises[user]?.lastWord = max(promise.lastWord, moment)
    }

    /// Takes what the log tells.
    mutating func follow(_ timer: CheckInTimer, of user: UserNumber, now: Instant) {
        guard timer.turn != .ended else { return }
        guard let promise = promises[user] else {
            return found.append("\(user) has no timer, and \(timer.turn) is told")
        }
        let waited = now.seconds(since: promise.turnAt)
        let silent = now.seconds(since: promise.lastWord)
        let slack = CheckInTimer.wordSpacingSeconds
        let isRight =
            switch timer.turn {
            case .started, .ended: true
            case .checkedIn: silent < promise.settings.intervalSeconds
            case .reminded: silent >= promise.settings.intervalSeconds - slack
            case .overdue:
                promise.turn == .overdue
                    || (promise.turn == .reminded && waited >= promise.settings.leaderAfterSeconds)
            case .sos: promise.turn == .overdue && waited >= promise.settings.sosAfterSeconds
            }
        if !isRight { found.append("\(timer.turn) of \(user) after \(promise.turn), \(waited) s, silent \(silent) s") }
        if timer.turn == .sos { runOut += 1 }
        if timer.turn != promise.turn { promises[user]?.turnAt = now }
        promises[user]?.turn = timer.turn
    }

    /// What was told wrongly, and after a sweep also whose silence nobody was told of.
    mutating func faults(after step: StormStep, in directory: Directory, now: Instant) -> [String] {
        defer { found.removeAll() }
        guard step == .sweep else { return found }
        for (user, promise) in promises.sorted(by: { $0.key < $1.key }) where directory.users[user] != nil {
            let isRunning = promise.turn == .started || promise.turn == .checkedIn
            let silent = now.seconds(since: promise.lastWord)
            if isRunning, silent >= promise.settings.intervalSeconds {
                found.append("\(user) is silent for \(silent) s, and nobody is told")
            }
        }
        return found
    }
}
