import MusterCore
import MusterServer
import MusterWire

/// Translates what Meshtastic radios report about themselves. A radio stands for the device whose tag is the radio's
/// id.
extension PublishIntake {
    /// Translates a packet of a mesh. The server counts the packets of radios that are no device's tag, and stores
    /// nothing of them.
    ///
    /// - Parameter mayBeOld: whether the message may have waited. A position has a time of its own, and telemetry has
    ///   none.
    func packet(_ payload: [UInt8], mayBeOld: Bool, by principal: Principal) -> Translation {
        do {
            switch try MeshtasticMessage(parsing: payload, receivedAt: coordinator.now()) {
            case .position(let position, of: let radio): return store(position, of: radio, by: principal)
            case .status where mayBeOld: return ignore("gateway_message_old")
            case .status(let note, of: let radio):
                guard let device = device(of: radio, by: principal) else { return ignore("meshtastic_unknown_radio") }
                return Translation(.stored(device), [.note(note, of: device)])
            case .unlocated: return ignore("meshtastic_unlocated")
            case .untimed: return ignore("meshtastic_untimed")
            case .encrypted: return ignore("meshtastic_encrypted")
            case .other: return ignore("meshtastic_other")
            case .malformed:
                let words = "It is no packet of a radio: the radio's number or its place is missing or wrong."
                return Translation(
                    .stored(nil),
                    fault: .init(event: "meshtastic_malformed", kind: "meshtastic_malformed", words: words))
            }
        } catch {
            return Self.unreadable(error, counted: "meshtastic_malformed")
        }
    }

    private func store(_ position: Position, of radio: Beacon, by principal: Principal) -> Translation {
        guard let device = device(of: radio, by: principal) else { return ignore("meshtastic_unknown_radio") }
        let earliest = coordinator.now().advanced(bySeconds: -configuration.retentionDays * 86_400)
        guard position.sampleTime >= earliest else { return ignore("meshtastic_wrong_time") }
        var position = position
        position.reporter = Access(principal, in: coordinator.directory).reporter(of: device)
        return Translation(.stored(device), [.position(position, of: device)])
    }

    /// The device whose tag is this radio; nil when there is none, or when the principal may not report for it.
    private func device(of radio: Beacon, by principal: Principal) -> DeviceNumber? {
        let directory = coordinator.directory
        guard let device = directory.tag(radio), Access(principal, in: directory).mayReport(for: device) else {
            return nil
        }
        return device.number
    }

    private func ignore(_ event: StaticString) -> Translation {
        metrics.count(event: event)
        return Translation(.stored(nil))
    }
}
