import Synchronization

/// A number that several tasks read and change.
final class NumberCell: Sendable {
    private let number: Mutex<Int64>

    init(_ number: Int64) { self.number = Mutex(number) }

    var value: Int64 {
        get { number.withLock { $0 } }
        set { number.withLock { $0 = newValue } }
    }

    /// Replaces the number with a greater one; keeps it otherwise.
    ///
    /// - Returns: whether it was lower.
    func raise(to value: Int64) -> Bool {
        number.withLock { number in
            defer { number = max(number, value) }
            return number < value
        }
    }
}
