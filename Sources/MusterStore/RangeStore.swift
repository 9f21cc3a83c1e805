package import MusterCore

/// The measured ranges between devices.
package protocol RangeStore {
    /// Returns ranges that a device measured with a sample time in `[from, to)`, ordered by sample time and then by
    /// peer. At most `limit`, beginning after `cursor` if it is given.
    func ranges(
        of device: DeviceNumber, from: Instant, to: Instant, after cursor: RangeKey?, limit: Int
    ) throws -> [PeerRange]

    /// Returns all ranges with a sample time from a moment on, ordered by sample time.
    func ranges(since moment: Instant) throws -> [(device: DeviceNumber, range: PeerRange)]
}

/// The operations of a transaction on ranges.
package protocol RangeTransaction {
    /// Whether a range of this device with this sample time and peer is stored, in this transaction or before.
    func holds(_ range: PeerRange, of device: DeviceNumber) throws -> Bool
}

/// The identity of a range among those that one device measured.
package struct RangeKey: Hashable, Sendable {
    package var sampleTime: Instant
    package var peer: DeviceNumber

    package init(sampleTime: Instant, peer: DeviceNumber) {
        self.sampleTime = sampleTime
        self.peer = peer
    }

    package init(_ range: PeerRange) { self.init(sampleTime: range.sampleTime, peer: range.peer) }
}

/// The operations of a transaction on signals and ranges.
package typealias ObservationTransaction = SignalTransaction & RangeTransaction
