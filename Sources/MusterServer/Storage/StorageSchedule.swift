import MusterCore
import MusterStore

/// What is to be done about the disk, and when: no clock, no disk, no log.
struct StorageSchedule {
    /// One thing to do.
    enum Step: Hashable, Sendable {
        /// Measure how much room there is.
        case measure
        /// Try a write, to see whether the disk takes it.
        case testWriting
        /// Tell the log that the disk refuses writes.
        case logRefusal
        /// Tell the log that it takes them again.
        case logRecovery
        /// Tell the log that there is little room left.
        case logLowSpace
    }

    /// Seconds between two lines of the log about the same refusal.
    static let logSeconds: Double = 60
    /// Seconds between two lines of the log about little room.
    static let lowSpaceLogSeconds: Double = 3600
    /// Seconds between two measurements of the room.
    static let measuringSeconds: Double = 10
    /// Seconds before the first test write, and the most between two of them: it doubles.
    static let firstTestSeconds: Double = 1
    static let longestTestSeconds: Double = 15

    private let warningBytes: Int64
    private var nextMeasurement = Instant(milliseconds: 0)
    private var nextRefusalLine = Instant(milliseconds: 0)
    private var nextLowSpaceLine = Instant(milliseconds: 0)
    private var nextTest: Instant?
    private var testSeconds = StorageSchedule.firstTestSeconds
    /// Whether the log was told of a refusal, and not yet of its end.
    private var hasLoggedRefusal = false

    /// - Parameter warningBytes: below so much free room, and below a twentieth of the disk, there is little left.
    init(warningBytes: Int64) { self.warningBytes = warningBytes }

    /// What is to be done now, in order.
    mutating func takeSteps(for status: StorageHealth.Status, at now: Instant) -> [Step] {
        var steps: [Step] = []
        if now >= nextMeasurement {
            nextMeasurement = now.advanced(bySeconds: Self.measuringSeconds)
            steps.append(.measure)
        }
        if status.isWritable {
            nextTest = nil
            testSeconds = Self.firstTestSeconds
            if hasLoggedRefusal {
                hasLoggedRefusal = false
                steps.append(.logRecovery)
            }
            if status.space?.isLow(warningBytes: warningBytes) == true, now >= nextLowSpaceLine {
                nextLowSpaceLine = now.advanced(bySeconds: Self.lowSpaceLogSeconds)
                steps.append(.logLowSpace)
            }
            return steps
        }
        if now >= nextRefusalLine {
            nextRefusalLine = now.advanced(bySeconds: Self.logSeconds)
            hasLoggedRefusal = true
            steps.append(.logRefusal)
        }
        guard let test = nextTest else {
            nextTest = now.advanced(bySeconds: testSeconds)
            return steps
        }
        if now >= test {
            testSeconds = min(2 * testSeconds, Self.longestTestSeconds)
            nextTest = now.advanced(bySeconds: testSeconds)
            steps.append(.testWriting)
        }
        return steps
    }
}
