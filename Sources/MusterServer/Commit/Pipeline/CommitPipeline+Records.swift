import MusterCore
import MusterStore

/// Device records store each device's state, so that a restart need not replay the log from far back.
extension CommitPipeline {
    /// Stores one slice of the device records that are out of date.
    ///
    /// - Parameter limit: the largest number of records to store, in one transaction.
    /// - Returns: whether more slices must follow before the log up to the start of this round need not be replayed.
    mutating func record(limit: Int, now: Instant) throws -> Bool {
        let slice = unrecorded.slice(limit: limit, at: store.lastSequence)
        guard !slice.devices.isEmpty || slice.isLast else { return false }
        try store.write(at: now) { transaction in
            for device in slice.devices {
                try transaction.setRecord(engine.record(of: device, after: decision), of: device)
            }
            if slice.isLast { try transaction.setRecorded(through: slice.through) }
        }
        unrecorded.release(slice)
        return !slice.isLast
    }

    /// Whether to store records now: either a round has begun, or at least `changes` changes were logged since the
    /// last.
    func isRecordDue(after changes: Int64) -> Bool {
        unrecorded.isUnderWay || (store.lastSequence.rawValue - unrecorded.through.rawValue >= changes)
    }
}

/// The devices whose state has changed, through log entries, since their last stored record.
struct UnrecordedDevices {
    private var isListed: [Bool] = []
    private var listed: [DeviceNumber] = []
    /// The devices still to record in the current round, and the last change when the round began.
    private var pending: ArraySlice<DeviceNumber> = []
    private var start: MusterCore.LogSequence?
    /// The number of the last change that every device record includes.
    private(set) var through = MusterCore.LogSequence.zero

    var isUnderWay: Bool { start != nil }

    struct Slice {
        var devices: ArraySlice<DeviceNumber>
        var through: MusterCore.LogSequence
        var isLast: Bool
    }

    init(through: MusterCore.LogSequence = .zero) { self.through = through }

    mutating func insert(_ devices: some Sequence<Int>) {
        for index in devices {
            if isListed.count <= index { isListed += repeatElement(false, count: index + 1 - isListed.count) }
            if isListed[index] { continue }
            isListed[index] = true
            listed.append(DeviceNumber(Int32(index)))
        }
    }

    /// The next devices to store records of. A device that moves meanwhile is listed again for the next round.
    mutating func slice(limit: Int, at sequence: MusterCore.LogSequence) -> Slice {
        if start == nil {
            start = sequence
            pending = listed[...]
            for device in listed { isListed[Int(device.rawValue)] = false }
            listed = []
        }
        return Slice(
            devices: pending.prefix(limit), through: start ?? sequence, isLast: pending.count <= limit)
    }

    mutating func release(_ slice: Slice) {
        pending = pending.dropFirst(slice.devices.count)
        guard slice.isLast else { return }
        start = nil
        through = slice.through
    }
}
