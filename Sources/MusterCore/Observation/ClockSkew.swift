/// How far a device's clock is off, as the device's own reports show.
public struct ClockSkew: Hashable, Sendable {
    /// By how many seconds the device's clock is ahead of the server's; negative where it is behind.
    public let aheadSeconds: Double
    /// When the newest report that shows it was received, by the server's clock.
    public let receivedTime: Instant
    /// Whether the device's sample times are corrected by it. Until then samples that are ahead move no state, and
    /// samples that are behind count as that old.
    public let isCorrected: Bool

    /// A clock that is off.
    public init(aheadSeconds: Double, receivedTime: Instant, isCorrected: Bool) {
        self.aheadSeconds = aheadSeconds
        self.receivedTime = receivedTime
        self.isCorrected = isCorrected
    }
}

/// Follows by how much the clock of one device is off, from the *offset* of each request: how much earlier its newest
/// sample was taken, by the device's clock, than it was received. The offset is the error of the clock and, added to
/// it, how late the sample arrived; only the first is constant.
///
/// An error is believed, and corrected, when the newest samples of five requests in a row, over a minute or more, have
/// the same offset to ten seconds. What a phone uploads late shrinks its offset from request to request, because it
/// uploads faster than it recorded. One that uploads at the very pace at which it records keeps a constant offset
/// too: so an offset that grew counts only where the samples also went back in time, behind one that the device had
/// told already, or where the clock was never known to be right. A stored sample goes on where the last one ended.
///
/// Kept only for devices whose samples do not fit the server's clock.
struct ClockWatch: Hashable, Sendable {
    /// Milliseconds added to the device's sample times.
    var correction: Int64 = 0
    /// When the request at hand was received.
    var received: Int64 = .min
    /// The smallest offset in it.
    var offset: Int64 = 0
    /// Whether a sample of it may speak for another error of the clock: see `ClockWatch`.
    var isEligible = false
    /// Requests in a row whose offsets agree: when the first was received, how many there were, and their offsets.
    var runStart: Int64 = 0
    var runCount: UInt8 = 0
    var runLeast: Int64 = 0
    var runGreatest: Int64 = 0

    /// As much as a clock may be off without anyone asking, and a sample may be late without being old.
    static let tolerance = Int64(Engine.clockToleranceSeconds * 1000)
    /// How far the offsets of one error may be apart.
    private static let greatestSpread: Int64 = 10_000
    private static let requests: UInt8 = 5
    private static let leastSpan: Int64 = 60_000

    /// Whether an offset fits a clock that is right.
    static func isRight(_ offset: Int64) -> Bool { (-tolerance...tolerance).contains(offset) }

    /// Whether nothing is left to follow: nothing is corrected, and the last request fits.
    var isDone: Bool { correction == 0 && runCount == 0 && received != .min && Self.isRight(offset) }

    /// Takes a sample.
    ///
    /// - Parameters:
    ///   - isKnown: whether the device's clock was ever found right, or its error found out.
    ///   - isBackwards: whether the sample is older than one that the device told before.
    /// - Returns: whether the clock was found right, or its error found out.
    mutating func observe(received: Int64, sample: Int64, isKnown: Bool, isBackwards: Bool) -> Bool {
        let offset = received &- sample
        let isEligible = offset &- correction < 0 || isBackwards || !isKnown
        var isFound = false
        if received == self.received {
            self.offset = min(self.offset, offset)
            self.isEligible = self.isEligible && isEligible
        } else {
            if self.received != .min { isFound = endRequest() }
            self.received = received
            self.offset = offset
            self.isEligible = isEligible
        }
        // A sample can be late and never early: a clock that was behind has been set right.
        if correction > Self.tolerance, Self.isRight(offset) {
            correction = 0
            runCount = 0
            isFound = true
        }
        return isFound
    }

    private mutating func endRequest() -> Bool {
        let (residual, isLate) = offset.subtractingReportingOverflow(correction)
        let least = correction == 0 ? -Self.tolerance : -Self.greatestSpread
        if !isLate, (least...Self.tolerance).contains(residual) {
            runCount = 0
            return true
        }
        guard isEligible || runCount > 0 else { return false }
        let (low, high) = (min(runLeast, offset), max(runGreatest, offset))
        guard runCount > 0, high &- low <= Self.greatestSpread else {
            runCount = isEligible ? 1 : 0
            runStart = received
            (runLeast, runGreatest) = (offset, offset)
            return false
        }
        (runLeast, runGreatest) = (low, high)
        runCount = min(runCount + 1, Self.requests)
        guard runCount == Self.requests, received &- runStart >= Self.leastSpan else { return false }
        correction = Self.isRight(runLeast) ? 0 : runLeast
        runCount = 0
        return true
    }

    /// What is told of the clock; nil while nothing speaks against it.
    var skew: ClockSkew? {
        guard received != .min else { return nil }
        let moment = Instant(milliseconds: received)
        if correction != 0 {
            return ClockSkew(aheadSeconds: -Double(correction) / 1000, receivedTime: moment, isCorrected: true)
        }
        // A sample from the future needs no second one. One that is old may only be late.
        guard offset < -Self.tolerance || runCount >= 3 else { return nil }
        return ClockSkew(aheadSeconds: -Double(offset) / 1000, receivedTime: moment, isCorrected: false)
    }
}
