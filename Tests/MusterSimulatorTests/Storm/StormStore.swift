import MusterCore
import MusterGeometry
import MusterSimulator

/// What a server in a storm has on disk: all that survives a restart.
struct StormStore {
    /// Every change; a number of the log is its place, from 1.
    private(set) var log: [Change] = []
    /// The records of all incidents.
    private(set) var lines: [IncidentEntry] = []
    private var histories: [DeviceNumber: [Position]] = [:]
    private var newest: [DeviceNumber: Position] = [:]
    private var observations: Set<Observation> = []
    private var presences: [DeviceNumber: [Presence]] = [:]
    private var musterPresences: [DeviceNumber: [Presence]] = [:]
    private var records: [DeviceNumber: (sequence: Int, record: DeviceRecord)] = [:]
    private var recordedThrough = 0
    private var isReviewing = false
    private(set) var safety: [UserNumber: Safety] = [:]
    private var declared: [UserNumber: Declared] = [:]
    private(set) var incidents: [IncidentNumber: Incident] = [:]
    private var sighted: [DeviceNumber: Instant] = [:]

    mutating func append(_ change: Change) {
        log.append(change)
        switch change {
        case .position(let position, let device, _):
            observations.insert(key(of: .position(position, of: device)))
            histories[device, default: []].append(position)
            let isNewer = newest[device].map { $0.sampleTime < position.sampleTime } ?? true
            if isNewer, !Engine.isAhead(position.sampleTime, of: position.receivedTime) { newest[device] = position }
        case .sighting(let sighting, let device, _):
            observations.insert(key(of: .sighting(sighting, of: device)))
            sighted[device] = max(sighted[device] ?? sighting.sampleTime, sighting.sampleTime)
        case .declaration(let declaration, _): observations.insert(.declaration(declaration))
        case .incident(let incident): incidents[incident.number] = incident
        default: break
        }
    }

    mutating func append(_ line: IncidentEntry) { lines.append(line) }

    /// Whether an observation is a repetition.
    func holds(_ observation: Observation) -> Bool { observations.contains(key(of: observation)) }

    func trail(of device: DeviceNumber, until end: Instant) -> [Position] {
        let start = end.advanced(bySeconds: -Engine.trailSeconds)
        return (histories[device] ?? []).filter { $0.sampleTime >= start && $0.sampleTime <= end }
            .filter { !Engine.isAhead($0.sampleTime, of: $0.receivedTime) }
            .sorted { $0.sampleTime < $1.sampleTime }
    }

    /// Stores the states that were decided in a transaction.
    mutating func keepStates(of decision: Decision, _ engine: Engine) {
        for device in decision.devicesToStore {
            presences[device] = decision.presences(of: device)
            musterPresences[device] = decision.musterPresences(of: device)
        }
        for device in Set(decision.statesToStore) { keepRecord(of: device, engine, after: decision) }
        for user in decision.declaredToStore { declared[user] = decision.declared(of: user) ?? declared[user] }
        for user in decision.peopleToStore { safety[user] = decision.safety(of: user) ?? safety[user] }
        isReviewing = decision.leavesReviewUnfinished ?? isReviewing
    }

    mutating func keepRecord(of device: DeviceNumber, _ engine: Engine, after decision: Decision) {
        records[device] = (log.count, engine.record(of: device, after: decision))
    }

    mutating func keepAllRecords(_ engine: Engine) {
        for device in engine.locatedDevices { keepRecord(of: device, engine, after: Decision()) }
        recordedThrough = log.count
    }

    /// Deletes what is stored of a device's positions; the newest is kept.
    mutating func erasePositions(of device: DeviceNumber) {
        for position in histories.removeValue(forKey: device) ?? [] {
            observations.remove(key(of: .position(position, of: device)))
        }
    }

    /// Deletes what goes with what edits remove.
    mutating func follow(_ edit: Edit) {
        switch edit {
        case .removeDevice(let device):
            erasePositions(of: device)
            (newest[device], presences[device], musterPresences[device]) = (nil, nil, nil)
            (records[device], sighted[device]) = (nil, nil)
        case .removeUser(let user): (safety[user], declared[user]) = (nil, nil)
        default: break
        }
    }

    /// The lines of one incident's record.
    func record(of incident: IncidentNumber) -> [IncidentEntry] { lines.filter { $0.incident == incident } }

    /// An engine that goes on where the last transaction ended, as the server's does when it opens its store.
    func engine(_ directory: Directory) -> Engine {
        var engine = Engine(
            directory: directory, positions: newest.map { ($0.key, $0.value) },
            presences: presences.map { ($0.key, $0.value) },
            musterPresences: musterPresences.map { ($0.key, $0.value) }, safety: safety.map { ($0.key, $0.value) })
        engine.resume(records.map { ($0.key, $0.value.record) })
        var followed = records.mapValues(\.sequence)
        for sequence in (recordedThrough + 1)..<max(log.count + 1, recordedThrough + 1) {
            guard let device = log[sequence - 1].movedDevice, sequence > followed[device] ?? 0 else { continue }
            if followed[device] == nil {
                engine.forgetTrack(of: device)
                followed[device] = 0
            }
            engine.replay(log[sequence - 1])
        }
        engine.reviewEveryone()
        if isReviewing { engine.restartReview() }
        let open = incidents.values.filter(\.isOpen)
        engine.resume(declared: declared.map { ($0.key, $0.value) }, incidents: Array(open))
        for incident in open { engine.resume(roll: record(of: incident.number), of: incident.number) }
        engine.resume(sightings: sighted.map { ($0.key, $0.value) })
        return engine
    }

    /// An observation without what a repetition may have otherwise.
    private func key(of observation: Observation) -> Observation {
        let never = Instant(milliseconds: 0)
        switch observation {
        case .position(let position, let device):
            return .position(
                Position(coordinate: position.coordinate, sampleTime: position.sampleTime, receivedTime: never),
                of: device)
        case .sighting(var sighting, let device):
            sighting.receivedTime = never
            return .sighting(sighting, of: device)
        // The storm has no ranges.
        case .listening, .note, .signal, .range, .declaration: return observation
        }
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
