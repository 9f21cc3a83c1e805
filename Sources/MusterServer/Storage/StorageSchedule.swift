import MusterCore
import MusterStore

/// Decides which steps the disk's state requires, and when. A pure state machine: it uses no clock, disk or log.
struct StorageSchedule {
    /// A step that the storage watch takes.
    enum Step: Hashable, Sendable {
        /// Measure the free room.
        case measure
        /// Make a test write, to see whether the disk accepts it.
        case testWriting
        /// Log that the disk refuses writes.
        case logRefusal
        /// Log that the disk accepts writes again.
        case logRecovery
        /// Log that little room is left.
        case logLowSpace
    }

    /// Seconds between two log lines about the same refusal.
    static let logSeconds: Double = 60
    /// Seconds between two log lines about little room.
    static let lowSpaceLogSeconds: Double = 3600
    /// Seconds between two measurements of the free room.
    static let measuringSeconds: Double = 10
    /// Seconds before the first test write. The interval doubles after each, up to `longestTestSeconds`.
    static let firstTestSeconds: Double = 1
    static let longestTestSeconds: Double = 15

    private let warningBytes: Int64
    private var nextMeasurement = Instant(milliseconds: 0)
    private var nextRefusalLine = Instant(milliseconds: 0)
    private var nextLowSpaceLine = Instant(milliseconds: 0)
    private var nextTest: Instant?
    private var testSeconds = StorageSchedule.firstTestSeconds
    /// Whether a refusal was logged, and its end not yet.
    private var hasLoggedRefusal = false

    /// - Parameter warningBytes: room counts as low when it is below this and below a twentieth of the disk.
    init(warningBytes: Int64) { self.warningBytes = warningBytes }

    /// Returns the steps to take now, in order.
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
