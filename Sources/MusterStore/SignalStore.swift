package import MusterCore

/// The signals of devices. The store keeps the newest `Signal.keptLimit` of each device.
package protocol SignalStore {
    /// Returns signals of a device with a sample time in `[from, to)`, newest first: in the opposite order of their
    /// changes. At most `limit`, of those before `sequence` if it is given.
    func signals(
        of device: DeviceNumber, from: Instant, to: Instant, before sequence: LogSequence?, limit: Int
    ) throws -> [KeptSignal]
}

/// The operations of a transaction on signals.
package protocol SignalTransaction {
    /// Whether a signal of this device with this id is kept, in this transaction or before.
    func holds(_ signal: Signal, of device: DeviceNumber) throws -> Bool
}

/// A signal that the store keeps.
package struct KeptSignal: Hashable, Sendable {
    /// The number of the signal's change.
    package var sequence: LogSequence
    package var signal: Signal

    package init(sequence: LogSequence, signal: Signal) {
        self.sequence = sequence
        self.signal = signal
    }
}
