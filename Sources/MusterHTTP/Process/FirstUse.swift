import Synchronization

/// A value that is computed when it is first needed, so that the start of the server does not wait for it.
///
/// Callers that need the value while it is computed wait for it, and block their threads. Use it for what takes
/// milliseconds.
package final class FirstUse<Value: Sendable>: Sendable {
    private let computed = Mutex<Value?>(nil)
    private let compute: @Sendable () -> Value

    /// - Parameter compute: computes the value; called once, and not at all if the value is never needed.
    package init(_ compute: @escaping @Sendable () -> Value) { self.compute = compute }

    /// The value. The first caller computes it.
    package var value: Value {
        computed.withLock { computed in
            if let computed { return computed }
            let value = compute()
            computed = value
            return value
        }
    }
}
