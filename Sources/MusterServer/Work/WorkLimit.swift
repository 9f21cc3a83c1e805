import MusterWire
import Synchronization

/// How much one piece of reading may take: seconds, steps, and only while somebody waits for it.
///
/// A result that was cut short is worth nothing: the caller looks at `fault` before it uses one. Counting looks at the
/// clock every few hundred steps.
package final class WorkLimit: WorkBound {
    /// Why the work was ended.
    package enum Fault: Error, Hashable, Sendable {
        /// It took longer than it may.
        case deadline(seconds: Double)
        /// It took more steps than it may.
        case steps(limit: Int)
        /// Nobody waits for the result any more.
        case abandoned
    }

    private let seconds: Double
    private let stepLimit: Int
    private let end: ContinuousClock.Instant
    private let now: @Sendable () -> ContinuousClock.Instant
    private let isAbandoned: @Sendable () -> Bool
    private let steps = Atomic<Int>(0)
    private let isOver = Atomic<Bool>(false)
    private let noted = Mutex<Fault?>(nil)

    /// Steps between two looks at the clock.
    private static let stepsBetweenLooks = 256

    /// A limit that begins now.
    ///
    /// - Parameters:
    ///   - now: the clock.
    ///   - isAbandoned: whether nobody waits for the result any more; asked from the thread that works.
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

    /// Why the work was ended; nil when it was not.
    package var fault: Fault? { noted.withLock { $0 } }

    /// Counts steps.
    ///
    /// - Returns: whether the work may go on.
    func spendSteps(_ count: Int) -> Bool {
        if isOver.load(ordering: .relaxed) { return false }
        let (before, after) = steps.wrappingAdd(count, ordering: .relaxed)
        if before / Self.stepsBetweenLooks == after / Self.stepsBetweenLooks { return true }
        return mayGoOn(after: after)
    }

    /// Makes sure that the work may go on.
    ///
    /// - Throws: `Fault`.
    package func check() throws(Fault) {
        _ = mayGoOn(after: steps.load(ordering: .relaxed))
        if let fault { throw fault }
    }

    private func mayGoOn(after count: Int) -> Bool {
        var fault: Fault?
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
