import MusterCore
import MusterStore

/// Records of devices: how far each was followed, so that a restart need not follow the log from far back.
extension CommitPipeline {
    /// Stores records of devices, so that a restart need not follow the log from far back.
    ///
    /// - Parameter limit: as many at most, in one transaction.
    /// - Returns: whether more are to be stored until the log up to where this began need not be followed again.
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

    /// Whether records are worth storing: as many changes have come since, or some were stored of a greater number.
    func isRecordDue(after changes: Int64) -> Bool {
        unrecorded.isUnderWay || (store.lastSequence.rawValue - unrecorded.through.rawValue >= changes)
    }
}

/// Devices whose state has moved since the last record of it, as far as the log tells how.
struct UnrecordedDevices {
    private var isListed: [Bool] = []
    private var listed: [DeviceNumber] = []
    /// Those of the records that are being stored, and by which change the first of these began.
    private var pending: ArraySlice<DeviceNumber> = []
    private var start: MusterCore.LogSequence?
    /// Records have followed changes up to this one.
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

    /// The next devices to store records of. Who moves meanwhile is listed anew.
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
