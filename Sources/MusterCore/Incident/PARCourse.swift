/// The PAR of one incident: its newest round and its timer. The lines of the record, applied in their order, make it.
public struct PARCourse: Hashable, Sendable {
    /// The newest round; nil before the first.
    public internal(set) var newest: PARRound?
    /// When PAR is requested by itself.
    public private(set) var timer = PARTimer()
    /// From when the time to the next request counts.
    private var countsFrom: Instant?

    /// Creates the PAR of an incident in which none was requested.
    public init() {}

    /// Creates the PAR that the lines of a record make.
    ///
    /// - Parameter lines: the lines in their order. Those of rounds before the newest, and those that set the timer
    ///   before the last time, may be left out.
    public init(_ lines: some Sequence<IncidentEntry>) {
        for line in lines { apply(line) }
    }

    /// When the next round is requested by itself; nil while only users request it.
    public var nextAt: Instant? {
        guard let everySeconds = timer.everySeconds, let countsFrom else { return nil }
        return countsFrom.advanced(bySeconds: everySeconds)
    }

    /// Whether there is nothing to know: no round, and no timer.
    public var isEmpty: Bool { newest == nil && timer.everySeconds == nil }

    /// Applies the next line of the record.
    mutating func apply(_ line: IncidentEntry) {
        if let round = PARRound(line) {
            newest = round
            countsFrom = line.at
        } else if line.event == .parTimerSet, case .parTimer(let timer)? = line.detail {
            self.timer = timer
            // The time counts from an open round, so that a timer set after it asks when that round is old enough.
            let open = newest.flatMap { $0.endedAt == nil ? $0.requestedAt : nil }
            countsFrom = open ?? line.at
        } else {
            newest?.apply(line)
        }
    }

    /// Adjusts the times after the server was off, or its clock was set back. No time lies in the future afterwards
    /// that a longer wait would follow from. After the server was off, crews have at least a minute (or the whole time,
    /// if it is shorter) to report before they are overdue, because nobody could report meanwhile.
    mutating func adjustTimes(to now: Instant, wasOff: Bool) {
        countsFrom = countsFrom.map { min($0, now) }
        guard var round = newest else { return }
        round.dueAt = min(round.dueAt, now.advanced(bySeconds: timer.reportSeconds))
        if wasOff {
            let answerSeconds = min(timer.reportSeconds, PARTimer.answerSeconds)
            round.dueAt = max(round.dueAt, now.advanced(bySeconds: answerSeconds))
        }
        newest = round
    }
}
