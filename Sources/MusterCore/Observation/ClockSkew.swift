/// The clock skew of a device: the error of its clock, as its own reports show it.
public struct ClockSkew: Hashable, Sendable {
    /// By how many seconds the device's clock is ahead of the server's; negative where it is behind.
    public let aheadSeconds: Double
    /// When the server received the newest report that shows the error, by the server's clock.
    public let receivedTime: Instant
    /// Whether the engine corrects the device's sample times by the error. Until it does, samples that are ahead change
    /// no state, and samples that are behind count as that old.
    public let isCorrected: Bool

    public init(aheadSeconds: Double, receivedTime: Instant, isCorrected: Bool) {
        self.aheadSeconds = aheadSeconds
        self.receivedTime = receivedTime
        self.isCorrected = isCorrected
    }
}

/// Finds out the error of one device's clock from the *offset* of each request: the time of receipt minus the time of
/// the newest sample by the device's clock. The offset is the clock's error plus the delay of the sample, and only the
/// error is constant.
///
/// The watch accepts an error, and corrects it, when the newest samples of five requests in a row, over a minute or
/// more, have the same offset to ten seconds. A phone that uploads stored samples has a shrinking offset, because it
/// uploads faster than it recorded. A phone that uploads at the very pace at which it records has a constant offset
/// too. So a larger offset counts only when the samples also went back in time, behind one that the device had sent
/// already, or when the clock was never known to be right. Stored samples continue where the last one ended.
///
/// The engine keeps a watch only for a device whose samples do not fit the server's clock.
struct ClockWatch: Hashable, Sendable {
    /// Milliseconds added to the device's sample times.
    var correction: Int64 = 0
    /// When the server received the present request.
    var received: Int64 = .min
    /// The smallest offset in the present request, milliseconds.
    var offset: Int64 = 0
    /// Whether all samples of the present request may show another error of the clock: see `ClockWatch`.
    var isEligible = false
    /// Requests in a row whose offsets agree: when the first was received, how many there were, and their offsets.
    var runStart: Int64 = 0
    var runCount: UInt8 = 0
    var runLeast: Int64 = 0
    var runGreatest: Int64 = 0

    /// How far a clock may be off, or a sample late, without being noticed, milliseconds.
    static let tolerance = Int64(Engine.clockToleranceSeconds * 1000)
    /// How far apart the offsets of one error may be, milliseconds.
    private static let greatestSpread: Int64 = 10_000
    private static let requests: UInt8 = 5
    private static let leastSpan: Int64 = 60_000

    /// Whether an offset fits a clock that is right.
    static func isRight(_ offset: Int64) -> Bool { (-tolerance...tolerance).contains(offset) }

    /// Whether the watch can end: it corrects nothing, and the last request fits.
    var isDone: Bool { correction == 0 && runCount == 0 && received != .min && Self.isRight(offset) }

    /// Processes one sample, with both times in milliseconds since 1970.
    ///
    /// - Parameters:
    ///   - isKnown: whether the engine ever found the device's clock right, or found out its error.
    ///   - isBackwards: whether the sample is older than one that the device sent before.
    /// - Returns: whether the sample shows the clock to be right, or completes the finding of its error.
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

    /// The error as clients see it; nil while no sample shows an error.
    var skew: ClockSkew? {
        guard received != .min else { return nil }
        let moment = Instant(milliseconds: received)
        if correction != 0 {
            return ClockSkew(aheadSeconds: -Double(correction) / 1000, receivedTime: moment, isCorrected: true)
        }
        // One sample from the future proves the error. An old one may only be late, so three requests must agree.
        guard offset < -Self.tolerance || runCount >= 3 else { return nil }
        return ClockSkew(aheadSeconds: -Double(offset) / 1000, receivedTime: moment, isCorrected: false)
    }
}
