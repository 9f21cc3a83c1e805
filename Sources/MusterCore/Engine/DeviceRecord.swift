/// A device's state beside its presences, as the store keeps it so that a restart changes no decision.
///
/// The writer stores it from time to time, and in the transaction of an observation that the log does not describe in
/// full. At a start the engine replays the later changes of the log (`Engine.replay`).
public struct DeviceRecord: Hashable, Sendable {
    /// The newest evaluated sample time, corrected for what was then known of the device's clock.
    public var evaluated: Instant?
    /// When the server last received anything from the device.
    public var heard: Instant?
    /// The newest evaluated position, stored or not.
    public var located: Position?
    /// The newest stored position, when it is older than `located`.
    public var storedBefore: Position?
    /// Where the confident policy believes the device to be.
    public var track: ConfidentTrack
    /// The recent mean interval between the device's fixes, seconds; 0 before the second fix.
    public var intervalSeconds: Float
    /// Whether the confident policy ever decided a standing of the device.
    public var hasStood: Bool
    /// Whether the engine ever found the device's clock right, or found out its error.
    public var isClockKnown: Bool
    /// The watch over a clock that is or may be wrong, as `ClockWatch` writes it in numbers; nil while the clock fits.
    public var watch: [Int64]?
    /// The regions that the device's fixes seem to be in while the engine checks them, as it reported them last.
    public var seeming: [RegionNumber]
    /// The evidence from sightings of beacons.
    public var memory: BeaconMemory
    /// What the last fixes say about the device's being inside a muster region.
    public var shelterEvidence: ShelterEvidence

    public init(
        evaluated: Instant?, heard: Instant?, located: Position?, storedBefore: Position?, track: ConfidentTrack,
        intervalSeconds: Float, hasStood: Bool, isClockKnown: Bool, watch: [Int64]?, seeming: [RegionNumber],
        memory: BeaconMemory = BeaconMemory(), shelterEvidence: ShelterEvidence = .outside
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
        self.memory = memory
        self.shelterEvidence = shelterEvidence
    }
}

/// Restarts.
extension Engine {
    /// Returns the record that the store must keep of a device.
    public func record(of device: DeviceNumber, after decision: Decision) -> DeviceRecord {
        state(of: device, after: decision).record
    }

    /// Restores devices from their stored records.
    public mutating func resume(_ records: [(device: DeviceNumber, record: DeviceRecord)]) {
        for (device, record) in records where devices.indices.contains(Int(device.rawValue)) {
            devices[Int(device.rawValue)].record = record
        }
    }

    /// Resets a device's state to that of a new device, because the log to be replayed describes all of it. Its
    /// presences stay.
    public mutating func forgetTrack(of device: DeviceNumber) {
        guard devices.indices.contains(Int(device.rawValue)) else { return }
        devices[Int(device.rawValue)].record = DeviceState().record
    }

    /// The devices of which the engine evaluated a position.
    public var locatedDevices: [DeviceNumber] {
        devices.indices.filter { devices[$0].isLocated }.map { DeviceNumber(Int32($0)) }
    }

    /// Applies a change of the log that came after a device's record, as the engine applied it when it decided the
    /// change. Presences and safety do not change here: the store writes them with each change.
    public mutating func replay(_ change: Change) {
        switch change {
        case .position(let position, let device, let isCurrent) where devices.indices.contains(Int(device.rawValue)):
            let index = Int(device.rawValue)
            _ = devices[index].observeClock(position)
            devices[index].recordContact(at: position.receivedTime)
            guard isCurrent else { return }
            let sampleTime = devices[index].sampleTime(of: position)
            _ = devices[index].follow(position, at: sampleTime, isStored: true)
        case .sighting(let sighting, let device, _) where devices.indices.contains(Int(device.rawValue)):
            devices[Int(device.rawValue)].recordContact(at: sighting.receivedTime)
        default: return
        }
    }

    /// Makes the next review derive everyone's safety again: the process may have ended between an edit and its
    /// consequences.
    public mutating func reviewEveryone() { scope.isEveryone = true }

    /// The devices with an evaluated position whose tracker has muster regions in raw collections, each with its newest
    /// evaluated sample time.
    public var devicesWithMusterRegions: [(device: DeviceNumber, evaluated: Instant)] {
        devices.indices.compactMap { index in
            guard let evaluated = devices[index].evaluated, !tracker(of: devices[index].user).sheltering.isEmpty else {
                return nil
            }
            return (DeviceNumber(Int32(index)), evaluated)
        }
    }

    /// Advances a device's track along its latest positions, and makes the next review decide its presences in the
    /// muster regions of raw collections. An older version of Muster stored neither.
    ///
    /// - Parameter trail: the positions, ascending by sample time.
    public mutating func rebuildMusterPresences(of device: DeviceNumber, from trail: [Position]) {
        guard devices.indices.contains(Int(device.rawValue)) else { return }
        for position in trail { devices[Int(device.rawValue)].track.advance(ConfidentFix(position)) }
        scope.musterPresencesToRebuild.insert(device)
    }
}

extension ClockWatch {
    /// All fields as numbers, for the store.
    var numbers: [Int64] {
        [correction, received, offset, isEligible ? 1 : 0, runStart, Int64(runCount), runLeast, runGreatest]
    }

    /// Creates a watch from `numbers`; nil for another count of numbers or a run count out of range.
    init?(numbers: [Int64]) {
        guard numbers.count == 8, let runCount = UInt8(exactly: numbers[5]) else { return nil }
        self.init(
            correction: numbers[0], received: numbers[1], offset: numbers[2], isEligible: numbers[3] != 0,
            runStart: numbers[4], runCount: runCount, runLeast: numbers[6], runGreatest: numbers[7])
    }
}
