import MusterCore
import MusterStore

extension CommitPipeline {
    /// Goes on where the store's last transaction ended: the same observations are decided as if nothing had happened
    /// in between.
    ///
    /// - Throws: what the store throws.
    init(
        opening store: any Store, directory: Directory, rules: RuleBook, quotas: Quotas = Quotas(), now: Instant
    ) throws {
        var engine = Engine(
            directory: directory, positions: try store.currentPositions(at: now), presences: try store.presences(),
            refuges: try store.refuges(), safety: try store.safety())
        let (followed, unrecorded) = try engine.resumeRecords(of: store)
        for (device, evaluated) in engine.devicesWithRefuges where !followed.contains(device) {
            engine.rebuildRefuges(of: device, from: try store.trail(of: device, until: evaluated))
        }
        let isReviewing = try store.isReviewing
        if isReviewing { engine.restartReview() }
        try engine.resumeIncidents(of: store)
        engine.resume(
            sightings: try store.latestSightings(before: now.advanced(bySeconds: Engine.clockToleranceSeconds)))
        self.init(
            store: store, engine: engine, rules: rules, quotas: quotas, unrecorded: unrecorded,
            recordedThrough: try store.recordedThrough)
        isReviewStored = isReviewing
    }
}

extension Engine {
    /// Takes up the records of devices, and follows what the log tells behind them, as it was followed then.
    ///
    /// - Returns: the devices of which there was a record or a line of the log behind the records, and those whose
    ///   records are behind, or missing.
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
    /// The device whose state `Engine.replay` moves.
    fileprivate var movedDevice: DeviceNumber? {
        switch self {
        case .position(_, of: let device, isCurrent: _), .sighting(_, of: let device, isCurrent: _): device
        default: nil
        }
    }
}

extension Store {
    /// Where a device was of late, as far as it is stored; ascending.
    func trail(of device: DeviceNumber, until end: Instant) throws -> [Position] {
        try positions(
            of: device, from: end.advanced(bySeconds: -Engine.trailSeconds), to: end.advanced(bySeconds: 0.001),
            after: nil, limit: 1_000
        )
        .filter { !Engine.isAhead($0.sampleTime, of: $0.receivedTime) }
    }

    /// The newest position of every device that moved its state: those ahead of the clock did not, and do not when
    /// their time has come. For devices that have no record; one of those that have replaces this.
    fileprivate func currentPositions(
        at now: Instant
    ) throws -> [(device: DeviceNumber, position: Position)] {
        try latestPositions().compactMap { device, position in
            guard position.isAhead(at: now) else { return (device, position) }
            return try newestPosition(of: device, before: now).map { (device, $0) }
        }
    }

    /// Reads a device's whole history; for the few whose clock once ran ahead.
    private func newestPosition(of device: DeviceNumber, before now: Instant) throws -> Position? {
        let end = now.advanced(bySeconds: Engine.clockToleranceSeconds)
        var newest: Position?
        var cursor: HistoryCursor?
        while true {
            let page = try positions(
                of: device, from: Instant(milliseconds: 0), to: end, after: cursor, limit: 1_000)
            newest = page.last { !$0.isAhead(at: now) } ?? newest
            guard let last = page.last else { return newest }
            cursor = HistoryCursor(last)
        }
    }
}

extension Position {
    /// Whether its sample time could not be when it was received, or cannot be yet.
    fileprivate func isAhead(at now: Instant) -> Bool {
        Engine.isAhead(sampleTime, of: min(receivedTime, now))
    }
}
