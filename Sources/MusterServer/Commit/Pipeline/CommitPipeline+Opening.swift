import MusterCore
import MusterStore

/// Restores the pipeline's state from the store when the server starts.
extension CommitPipeline {
    /// Resumes where the store's last transaction ended. The engine decides further observations as if the server had
    /// never stopped.
    ///
    /// - Throws: the store's errors.
    init(
        opening store: any Store, directory: Directory, rules: RuleBook, quotas: Quotas = Quotas(),
        streams: DatasetStreams? = nil, now: Instant
    ) throws {
        var engine = Engine(
            directory: directory, positions: try store.currentPositions(at: now, in: directory),
            presences: try store.presences(),
            musterPresences: try store.musterPresences(), safety: try store.safety())
        let (followed, unrecorded) = try engine.resumeRecords(of: store)
        for (device, evaluated) in engine.devicesWithMusterRegions where !followed.contains(device) {
            let trail = try store.trail(of: device, until: evaluated)
            engine.rebuildMusterPresences(
                of: device, from: trail.filter { !engine.isMisplaced($0, of: device, after: Decision()) })
        }
        let isReviewing = try store.isReviewing
        if isReviewing { engine.restartReview() }
        try engine.resumeIncidents(of: store)
        engine.zoneOffsets = .system
        engine.resume(attendanceRules: try store.attendanceRules())
        engine.resume(proximityRules: try store.proximityRules(), alarms: try store.proximityAlarms())
        engine.resume(
            sightings: try store.latestSightings(before: now.advanced(bySeconds: Engine.clockToleranceSeconds)))
        engine.resume(ranges: try store.ranges(since: now.advanced(bySeconds: -RangePolicy.freshSeconds)))
        self.init(
            store: store, engine: engine, rules: rules, quotas: quotas, streams: streams,
            unrecorded: unrecorded, recordedThrough: try store.recordedThrough)
        isReviewStored = isReviewing
    }
}

extension Engine {
    /// Resumes from the stored device records, then replays the log after each record.
    ///
    /// - Returns: `followed`, the devices that have a record or a log line after the records; and `unrecorded`, the
    ///   devices whose record is missing or out of date.
    fileprivate mutating func resumeRecords(
        of store: any Store
    ) throws -> (followed: Set<DeviceNumber>, unrecorded: Set<DeviceNumber>) {
        let records = try store.records()
        resume(records.map { ($0.device, $0.record) })
        var followed = Dictionary(records.map { ($0.device, $0.sequence) }) { first, _ in first }
        var unrecorded = Set(locatedDevices.filter { followed[$0] == nil })
        var sequence = try store.recordedThrough
        while true {
            let page = try store.changes(since: sequence, limit: 10_000)
            guard let last = page.last else { break }
            for logged in page {
                guard let device = logged.change.movedDevice, logged.sequence > followed[device] ?? .zero else {
                    continue
                }
                if followed[device] == nil {
                    forgetTrack(of: device)
                    followed[device] = .zero
                }
                replay(logged.change)
                unrecorded.insert(device)
            }
            sequence = last.sequence
        }
        reviewEveryone()
        return (Set(followed.keys), unrecorded)
    }
}

extension Change {
    /// The device whose state `Engine.replay` changes.
    fileprivate var movedDevice: DeviceNumber? {
        switch self {
        case .position(_, of: let device, isCurrent: _), .sighting(_, of: let device, isCurrent: _): device
        default: nil
        }
    }
}

extension Store {
    /// The stored positions of a device during the last `Engine.trailSeconds` before `end`, ascending in time.
    func trail(of device: DeviceNumber, until end: Instant) throws -> [Position] {
        try positions(
            of: device, from: end.advanced(bySeconds: -Engine.trailSeconds), to: end.advanced(bySeconds: 0.001),
            after: nil, limit: 1_000
        )
        .filter { !Engine.isAhead($0.sampleTime, of: $0.receivedTime) }
    }

    /// The newest position that changed the state of each device. Positions ahead of the clock did not change it, and
    /// still do not once their time has come. Only devices without a record use this; a record replaces it.
    fileprivate func currentPositions(
        at now: Instant, in directory: Directory
    ) throws -> [(device: DeviceNumber, position: Position)] {
        try latestPositions().compactMap { device, position in
            let worksAtZero = directory.devices[device].flatMap { directory.tracker(of: $0) }?.worksAtZero ?? false
            guard position.isAhead(at: now) || (position.isAtZero && !worksAtZero) else { return (device, position) }
            return try newestPosition(of: device, before: now, worksAtZero: worksAtZero).map { (device, $0) }
        }
    }

    /// Reads a device's whole history. Only needed for the few devices whose clock once ran ahead.
    private func newestPosition(
        of device: DeviceNumber, before now: Instant, worksAtZero: Bool
    ) throws -> Position? {
        let end = now.advanced(bySeconds: Engine.clockToleranceSeconds)
        var newest: Position?
        var cursor: HistoryCursor?
        while true {
            let page = try positions(
                of: device, from: Instant(milliseconds: 0), to: end, after: cursor, limit: 1_000)
            newest = page.last { !$0.isAhead(at: now) && (worksAtZero || !$0.isAtZero) } ?? newest
            guard let last = page.last else { return newest }
            cursor = HistoryCursor(last)
        }
    }
}

extension Position {
    /// Whether the sample time lies ahead of the time of receipt, or ahead of `now`.
    fileprivate func isAhead(at now: Instant) -> Bool {
        Engine.isAhead(sampleTime, of: min(receivedTime, now))
    }
}
