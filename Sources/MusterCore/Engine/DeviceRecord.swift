/// What is stored of a device so that a restart changes nothing: how far it was followed, beside its presences.
///
/// Stored from time to time, and in the transaction of an observation that the log does not tell of; what the log has
/// told since is followed again at the start (`Engine.replay`).
public struct DeviceRecord: Hashable, Sendable {
    /// The newest sample time that was evaluated, corrected by what was known of the device's clock.
    public var evaluated: Instant?
    /// When the server last received anything from the device.
    public var heard: Instant?
    /// The newest position that was evaluated.
    public var located: Position?
    /// The newest position that is stored, where that is an older one.
    public var storedBefore: Position?
    /// Where the confident policy believes it to be.
    public var track: ConfidentTrack
    /// Seconds between its fixes of late.
    public var intervalSeconds: Float
    /// Whether anything was ever decided of it under the confident policy.
    public var hasStood: Bool
    /// Whether its clock was ever found right, or its error found out.
    public var isClockKnown: Bool
    /// What is known of a clock that is off, as numbers that `ClockWatch` reads; nil where it fits.
    public var watch: [Int64]?
    /// The regions that its fixes seem to be in while they are not believed.
    public var seeming: [RegionNumber]

    /// What is stored of a device.
    public init(
        evaluated: Instant?, heard: Instant?, located: Position?, storedBefore: Position?, track: ConfidentTrack,
        intervalSeconds: Float, hasStood: Bool, isClockKnown: Bool, watch: [Int64]?, seeming: [RegionNumber]
    ) {
        self.evaluated = evaluated
        self.heard = heard
        self.located = located
        self.storedBefore = storedBefore
        self.track = track
        self.intervalSeconds = intervalSeconds
        self.hasStood = hasStood
        self.isClockKnown = isClockKnown
        self.watch = watch
        self.seeming = seeming
    }
}

/// Restarts.
extension Engine {
    /// What is to be stored of a device.
    public func record(of device: DeviceNumber, after decision: Decision) -> DeviceRecord {
        state(of: device, after: decision).record
    }

    /// Takes up what was stored of devices.
    public mutating func resume(_ records: [(device: DeviceNumber, record: DeviceRecord)]) {
        for (device, record) in records where devices.indices.contains(Int(device.rawValue)) {
            devices[Int(device.rawValue)].record = record
        }
    }

    /// Knows nothing of where a device was, for the log tells all of it; its presences stay.
    public mutating func forgetTrack(of device: DeviceNumber) {
        guard devices.indices.contains(Int(device.rawValue)) else { return }
        devices[Int(device.rawValue)].record = DeviceState().record
    }

    /// The devices of which a position was evaluated.
    public var locatedDevices: [DeviceNumber] {
        devices.indices.filter { devices[$0].isLocated }.map { DeviceNumber(Int32($0)) }
    }

    /// Follows what the log tells behind a device's record: as it was followed when it was decided. Presences and
    /// safety are stored with each change of theirs, and do not move.
    public mutating func replay(_ change: Change) {
        switch change {
        case .position(let position, let device, let isCurrent) where devices.indices.contains(Int(device.rawValue)):
            let index = Int(device.rawValue)
            _ = devices[index].observeClock(position)
            devices[index].hear(at: position.receivedTime)
            guard isCurrent else { return }
            let sampleTime = devices[index].corrected(position.sampleTime)
            _ = devices[index].follow(position, at: sampleTime, isStored: true)
        case .sighting(let sighting, let device, _) where devices.indices.contains(Int(device.rawValue)):
            devices[Int(device.rawValue)].hear(at: sighting.receivedTime)
        default: return
        }
    }

    /// Has the next review derive everyone's safety anew: the process may have ended between an edit and what follows
    /// from it.
    public mutating func reviewEveryone() { scope.isEveryone = true }

    /// The located devices that report to a tracker with muster regions in raw collections, and the newest sample time
    /// that was evaluated of each.
    public var devicesWithRefuges: [(device: DeviceNumber, evaluated: Instant)] {
        devices.indices.compactMap { index in
            guard let evaluated = devices[index].evaluated, !tracker(of: devices[index].user).sheltering.isEmpty else {
                return nil
            }
            return (DeviceNumber(Int32(index)), evaluated)
        }
    }

    /// Follows a device along its latest positions, and has the next review decide how it stands to the muster regions
    /// of raw collections: an older version of Muster stored neither.
    ///
    /// - Parameter trail: ascending.
    public mutating func rebuildRefuges(of device: DeviceNumber, from trail: [Position]) {
        guard devices.indices.contains(Int(device.rawValue)) else { return }
        for position in trail { devices[Int(device.rawValue)].track.advance(ConfidentFix(position)) }
        scope.refugesToRebuild.insert(device)
    }
}

extension ClockWatch {
    /// All its fields.
    var numbers: [Int64] {
        [correction, received, offset, isEligible ? 1 : 0, runStart, Int64(runCount), runLeast, runGreatest]
    }

    /// Nil for numbers that are none of ours.
    init?(numbers: [Int64]) {
        guard numbers.count == 8, let runCount = UInt8(exactly: numbers[5]) else { return nil }
        self.init(
            correction: numbers[0], received: numbers[1], offset: numbers[2], isEligible: numbers[3] != 0,
            runStart: numbers[4], runCount: runCount, runLeast: numbers[6], runGreatest: numbers[7])
    }
}
