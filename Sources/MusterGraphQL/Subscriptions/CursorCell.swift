import MusterCore
import Synchronization

/// A number of the log that moves on.
final class CursorCell: Sendable {
    private let sequence: Mutex<LogSequence>

    init(_ sequence: LogSequence) { self.sequence = Mutex(sequence) }

    var value: LogSequence {
        get { sequence.withLock { $0 } }
        set { sequence.withLock { $0 = newValue } }
    }
}
