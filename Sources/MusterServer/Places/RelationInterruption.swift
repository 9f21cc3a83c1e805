import CGeos
import MusterWire
import Synchronization

/// Ends what GEOS computes when the bound of the work that it belongs to is over: two outlines of thousands of edges
/// that all cross each other take minutes.
///
/// GEOS asks a callback from within its loops, on the thread that computes. Its request to end, though, is one flag for
/// all threads, so that another thread may be the one that ends: whoever was ended without cause begins anew.
enum RelationInterruption {
    private static let requests = Atomic<Int>(0)
    /// How often work that was ended in another's place is begun.
    private static let attempts = 8

    private static let isInstalled: Bool = {
        _ = GEOS_interruptRegisterCallback {
            guard RelationInterruption.isOver else { return }
            RelationInterruption.requests.add(1, ordering: .relaxed)
            GEOS_interruptRequest()
        }
        return true
    }()

    /// Whether the work of this thread has taken as much as it may.
    private static var isOver: Bool {
        guard let bound = BoundedWork.bound else { return false }
        do {
            try bound.check()
            return false
        } catch {
            return true
        }
    }

    /// Computes something, again where it was ended in another's place.
    ///
    /// - Parameter compute: returns nil where GEOS refuses, or was ended.
    /// - Returns: nil where GEOS refuses, or the bound of this thread's work is over.
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
