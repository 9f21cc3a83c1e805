import MusterCore
import MusterStore

/// What the engine asks of the store before it decides an observation.
extension Observation {
    /// Which device sent it, and when it was received; nil for what people say.
    var arrival: (device: DeviceNumber, moment: Instant)? {
        switch self {
        case .position(let position, let device): (device, position.receivedTime)
        case .sighting(let sighting, let device): (device, sighting.receivedTime)
        case .note(let note, let device): note.name.kind == .lastWill ? nil : (device, note.receivedTime)
        case .declaration: nil
        }
    }
}

extension StoreTransaction {
    /// Whether it is stored already.
    func holds(_ observation: Observation) throws -> Bool {
        switch observation {
        case .position(let position, let device): try holds(position, of: device)
        case .sighting(let sighting, let device): try holds(sighting, of: device)
        case .declaration(let declaration): try holds(declaration)
        case .note(let note, let device): try self.note(note.name, of: device).map { note.repeats($0) } ?? false
        }
    }
}
