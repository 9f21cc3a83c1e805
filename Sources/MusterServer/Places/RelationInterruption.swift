import CGeos
import MusterWire
import Synchronization

/// Stops a computation of GEOS when the bound of the work it belongs to is exceeded. Two outlines of thousands of edges
/// that all cross each other would take minutes.
///
/// GEOS calls a callback from its loops, on the computing thread. But its request to stop is one flag for all threads,
/// so another thread may be the one that stops. A computation that was stopped without cause is repeated.
enum RelationInterruption {
    private static let requests = Atomic<Int>(0)
    /// How often a computation runs at most when it is stopped in another's place.
    private static let attempts = 8

    private static let isInstalled: Bool = {
        _ = GEOS_interruptRegisterCallback {
            guard RelationInterruption.isOver else { return }
            RelationInterruption.requests.add(1, ordering: .relaxed)
            GEOS_interruptRequest()
        }
        return true
    }()

    /// Whether the work of this thread has exceeded its bound.
    private static var isOver: Bool {
        guard let bound = BoundedWork.bound else { return false }
        do {
            try bound.check()
            return false
        } catch {
            return true
        }
    }

    /// Runs a computation, and repeats it when it was stopped in another's place.
    ///
    /// - Parameter compute: returns nil where GEOS refuses, or was stopped.
    /// - Returns: nil where GEOS refuses, or this thread's bound is exceeded.
    static func repeating<Result>(_ compute: () -> Result?) -> Result? {
        guard isInstalled else { return nil }
        for _ in 0..<attempts {
            let before = requests.load(ordering: .relaxed)
            if let result = compute() { return result }
            if requests.load(ordering: .relaxed) == before || isOver { return nil }
        }
        return nil
    }
}
