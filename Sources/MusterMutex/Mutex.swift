#if canImport(Darwin)
    import Darwin

    /// A lock with the value that it protects: `Mutex` of Swift's module Synchronization, which iOS has from 18 on, for
    /// iOS 17, too. A file imports this module or Synchronization, not both.
    ///
    /// `@unchecked`: `lock` protects `value`.
    package struct Mutex<Value>: ~Copyable, @unchecked Sendable {
        // Both have an address of their own, because Swift may move a value, and a lock must not be moved.
        private let lock: UnsafeMutablePointer<os_unfair_lock_s>
        private let value: UnsafeMutablePointer<Value>

        /// Creates a lock that is open, with a value.
        package init(_ initialValue: consuming sending Value) {
            lock = .allocate(capacity: 1)
            lock.initialize(to: os_unfair_lock_s())
            value = .allocate(capacity: 1)
            value.initialize(to: initialValue)
        }

        deinit {
            value.deinitialize(count: 1)
            value.deallocate()
            lock.deinitialize(count: 1)
            lock.deallocate()
        }

        /// Calls a function with the value while no other thread has it. It must not lock the same mutex again, which
        /// ends the process.
        ///
        /// - Returns: what `body` returns.
        /// - Throws: what `body` throws.
        package borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            os_unfair_lock_lock(lock)
            defer { os_unfair_lock_unlock(lock) }
            return try body(&value.pointee)
        }
    }
#else
    @_exported public import struct Synchronization.Mutex
#endif
