import MusterWire
import Synchronization

/// The limits of one piece of work: a duration, a number of steps, and that its client still waits for the result.
///
/// The result of interrupted work is incomplete, so the caller must check `fault` before it uses the result.
/// `spendSteps` reads the clock only every 256 steps.
package final class WorkLimit: WorkBound {
    /// Why the work was interrupted.
    package enum InterruptionError: Error, Hashable, Sendable {
        /// The work exceeded its duration.
        case deadline(seconds: Double)
        /// The work exceeded its number of steps.
        case steps(limit: Int)
        /// The client no longer waits for the result.
        case abandoned
    }

    private let seconds: Double
    private let stepLimit: Int
    private let end: ContinuousClock.Instant
    private let now: @Sendable () -> ContinuousClock.Instant
    private let isAbandoned: @Sendable () -> Bool
    private let steps = Atomic<Int>(0)
    private let isOver = Atomic<Bool>(false)
    private let noted = Mutex<InterruptionError?>(nil)

    /// The number of steps between two checks of the clock.
    private static let stepsBetweenLooks = 256

    /// Makes a limit whose duration starts now.
    ///
    /// - Parameters:
    ///   - seconds: the largest duration.
    ///   - steps: the largest number of steps.
    ///   - now: the clock.
    ///   - isAbandoned: whether the client no longer waits for the result; called on the thread that does the work.
    package init(
        seconds: Double, steps: Int, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        isAbandoned: @escaping @Sendable () -> Bool = { false }
    ) {
        self.seconds = seconds
        stepLimit = steps
        self.now = now
        self.isAbandoned = isAbandoned
        end = now() + .seconds(seconds)
    }

    /// The reason why the work was interrupted; nil while it may continue.
    package var fault: InterruptionError? { noted.withLock { $0 } }

    /// Counts steps that the work has taken.
    ///
    /// - Returns: whether the work may continue.
    func spendSteps(_ count: Int) -> Bool {
        if isOver.load(ordering: .relaxed) { return false }
        let (before, after) = steps.wrappingAdd(count, ordering: .relaxed)
        if before / Self.stepsBetweenLooks == after / Self.stepsBetweenLooks { return true }
        return mayGoOn(after: after)
    }

    /// Checks all limits now.
    ///
    /// - Throws: `InterruptionError` when the work must end.
    package func check() throws(InterruptionError) {
        _ = mayGoOn(after: steps.load(ordering: .relaxed))
        if let fault { throw fault }
    }

    private func mayGoOn(after count: Int) -> Bool {
        var fault: InterruptionError?
        if count > stepLimit {
            fault = .steps(limit: stepLimit)
        } else if now() > end {
            fault = .deadline(seconds: seconds)
        } else if isAbandoned() {
            fault = .abandoned
        }
        guard let fault else { return !isOver.load(ordering: .relaxed) }
        noted.withLock { noted in if noted == nil { noted = fault } }
        isOver.store(true, ordering: .relaxed)
        return false
    }
}
