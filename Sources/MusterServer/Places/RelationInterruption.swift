import CGeos
import MusterWire

/// Stops a computation of GEOS when the bound of the work it belongs to is exceeded. Two outlines of thousands of edges
/// that all cross each other would take minutes.
///
/// GEOS calls a callback from its loops, on the computing thread. But its request to stop is one flag for all threads,
/// so another thread may be the one that stops. A computation that was stopped without cause is repeated.
enum RelationInterruption {
    /// How often a computation runs at most when it is stopped in another's place.
    private static let attempts = 64

    private static let isInstalled: Bool = {
        _ = GEOS_interruptRegisterCallback {
            if RelationInterruption.isOver { GEOS_interruptRequest() }
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
    /// - Parameters:
    ///   - flag: whether the computation was stopped. The context of the computation sets it.
    ///   - compute: returns nil where GEOS refuses, or was stopped.
    /// - Returns: nil where GEOS refuses, or this thread's bound is exceeded.
    static func repeating<Result>(_ flag: Flag, _ compute: () -> Result?) -> Result? {
        guard isInstalled else { return nil }
        for _ in 0..<attempts {
            flag.isSet.pointee = false
            if let result = compute() { return result }
            if !flag.isSet.pointee || isOver { return nil }
        }
        return nil
    }

    /// Whether the last computation of a context was stopped; GEOS says so in the message of its error.
    final class Flag {
        fileprivate let isSet = UnsafeMutablePointer<Bool>.allocate(capacity: 1)

        /// Makes the flag of a context. The context must end before it.
        init(of context: GEOSContextHandle_t) {
            isSet.initialize(to: false)
            _ = GEOSContext_setErrorMessageHandler_r(
                context,
                { message, isSet in
                    guard let message, String(cString: message).hasPrefix("InterruptedException") else { return }
                    isSet?.assumingMemoryBound(to: Bool.self).pointee = true
                }, isSet)
        }

        deinit { isSet.deallocate() }
    }
}
