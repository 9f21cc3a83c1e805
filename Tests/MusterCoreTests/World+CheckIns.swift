import MusterCore

/// Check-in timers, and what they make.
extension World {
    /// Someone starts a timer, of Ana's unless told otherwise: ten minutes, two until the leader is told, five until
    /// the SOS.
    mutating func startTimer(
        every interval: Double = 600, leaderAfter: Double = 120, sosAfter: Double = 300, opensIncident: Bool = false,
        of user: UserNumber = World.ana, by author: UserNumber = World.ana, at seconds: Double
    ) throws(CheckInError) {
        now = max(now, seconds)
        defer { settle() }
        let timer = CheckInTimer(
            intervalSeconds: interval, leaderAfterSeconds: leaderAfter, sosAfterSeconds: sosAfter,
            opensIncident: opensIncident, setBy: author, lastWord: Self.time(seconds), now: Self.time(now))
        try engine.startTimer(timer, of: user, into: &decision)
    }

    /// Ana checks in, or someone for her; it arrives then unless told otherwise.
    mutating func checkIn(
        by author: UserNumber = World.ana, at seconds: Double, receivedAt: Double? = nil
    ) throws(CheckInError) {
        now = max(now, receivedAt ?? seconds)
        defer { settle() }
        try engine.checkIn(
            Self.ana, at: Self.time(seconds), by: author, now: Self.time(now), into: &decision)
    }

    mutating func endTimer(by author: UserNumber = World.ana, at seconds: Double) throws(CheckInError) {
        now = max(now, seconds)
        defer { settle() }
        try engine.endTimer(of: Self.ana, by: author, now: Self.time(now), into: &decision)
    }

    /// What happened to timers, with the second.
    var timerTurns: [String] {
        log.compactMap { change in
            guard case .checkInTimer(let timer, _) = change else { return nil }
            let at = timer.turn == .overdue ? timer.toldAt : timer.turnAt
            return "\(timer.turn) \(Int(at.seconds(since: Self.time(0))))"
        }
    }
}
