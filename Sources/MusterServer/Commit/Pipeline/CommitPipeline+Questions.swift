package import MusterCore
import MusterStore

/// The time at which the server heard from a device.
extension Observation {
    /// The device that sent the observation and the time of receipt; nil for an observation that does not show that the
    /// device was heard: declarations, signals, ranges, last wills, and properties that Meshblu's clients set.
    package var arrival: (device: DeviceNumber, moment: Instant)? {
        switch self {
        case .position(let position, let device): (device, position.receivedTime)
        case .sighting(let sighting, let device): (device, sighting.receivedTime)
        case .listening(let listening, let device): (device, listening.receivedTime)
        case .note(let note, let device):
            note.name.kind == .lastWill || note.name.kind == .properties ? nil : (device, note.receivedTime)
        case .signal, .range, .declaration: nil
        }
    }
}

extension StoreTransaction {
    /// Duplicate detection: whether the store already holds the observation, by its identity. A client may send the
    /// same report again after a failure, and the second one changes nothing.
    package func holds(_ observation: Observation) throws -> Bool {
        switch observation {
        case .position(let position, let device): try holds(position, of: device)
        case .sighting(let sighting, let device): try holds(sighting, of: device)
        // The engine itself detects repeated reports of listening.
        case .listening: false
        case .signal(let signal, let device): try holds(signal, of: device)
        case .range(let range, let device): try holds(range, of: device)
        case .declaration(let declaration): try holds(declaration)
        case .note(let note, let device): try self.deviceNote(note.name, of: device).map { note.repeats($0) } ?? false
        }
    }
}
