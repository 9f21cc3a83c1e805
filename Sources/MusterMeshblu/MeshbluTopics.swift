package import MusterCore
package import MusterServer
import MusterWire

/// The MQTT topics on which clients of Meshblu receive each other's messages. Each is named by the UUID of a device or
/// of its owner; a client subscribes to it by its name, without wildcards.
///
/// | Topic | Message |
/// |---|---|
/// | the device's UUID | messages to the device; what it fires itself; its properties when they change |
/// | the device's UUID and `_bc` | messages to all, and what the device fires |
/// | the owner's UUID | all of these, of all devices |
///
/// Only the owner receives these messages. A device's token receives those of its own UUID, and the `_bc` messages of
/// its owner's devices.
package struct MeshbluTopics: Sendable {
    private let intake: MeshbluIntake
    private var uuids: MeshbluUUIDs { intake.uuids }

    package init(_ parts: ServerParts) { intake = MeshbluIntake(parts) }

    private static let broadcast = "_bc"

    /// Whether a filter is the name of such a topic.
    package static func isTopic(_ filter: String) -> Bool {
        let name = filter.hasSuffix(broadcast) ? filter.dropLast(broadcast.count) : filter[...]
        return MeshbluUUIDs.isUUID(name)
    }

    /// Returns the messages of a change.
    ///
    /// - Parameter wants: whether a topic is subscribed to. Messages for other topics are not made.
    /// - Throws: the errors of reading the store.
    package func messages(
        of change: Change, for access: Access, wants: (String) -> Bool
    ) async throws -> [MeshbluTopicMessage] {
        switch change {
        case .signal(let signal, let device):
            guard isOwn(device, access) else { return [] }
            let topics = topics(of: signal, from: device, access, wants: wants)
            let payload = topics.isEmpty ? [] : payload(of: signal, from: uuids.uuid(of: device))
            let end = MessageExpiry.end(of: signal)
            return topics.map { MeshbluTopicMessage(topic: $0, payload: payload, expiresAt: end) }
        case .note(let name, let device) where name.kind == .properties:
            guard isOwn(device, access), let owned = access.directory.devices[device] else { return [] }
            let topics = heard(of: device, access).filter(wants)
            guard !topics.isEmpty else { return [] }
            let properties = try await intake.properties(of: device)
            let payload = JSONWriter.object { writer in
                writer.member("topic", "config")
                writer.key("data")
                writer.value(owned, properties, uuids, token: nil)
            }
            return topics.map { MeshbluTopicMessage(topic: $0, payload: payload) }
        default: return []
        }
    }

    private func isOwn(_ device: DeviceNumber, _ access: Access) -> Bool {
        access.directory.devices[device]?.user == access.principal.user
    }

    /// The topics on which the reader receives messages about a device: the device's UUID and the owner's for a user;
    /// for a device's token only its own.
    private func heard(of device: DeviceNumber, _ access: Access) -> [String] {
        guard let own = access.principal.device else {
            return [uuids.uuid(of: device), uuids.uuid(of: access.principal.user)]
        }
        return own == device ? [uuids.uuid(of: device)] : []
    }

    private func topics(
        of signal: Signal, from device: DeviceNumber, _ access: Access, wants: (String) -> Bool
    ) -> [String] {
        let all = uuids.uuid(of: device) + Self.broadcast
        guard let message = MeshbluMessage(signal) else { return (heard(of: device, access) + [all]).filter(wants) }
        var topics: [String] = []
        if message.devices.contains("*") { topics.append(all) }
        // A client may subscribe to UUIDs that no device has, and a message may name as many. One pass over the owner's
        // devices finds all that exist.
        let named = Set(message.devices.map { $0.lowercased() }.filter { $0 != "*" && wants($0) })
        for addressee in uuids.devices(named, of: access.principal.user, in: access.directory) {
            topics += heard(of: addressee, access).prefix(1)
        }
        if access.principal.device == nil { topics.append(uuids.uuid(of: access.principal.user)) }
        return topics.filter(wants)
    }

    private func payload(of signal: Signal, from uuid: String) -> [UInt8] {
        JSONWriter.object { writer in
            let message = MeshbluMessage(signal)
            writer.member("topic", message == nil ? "data" : "message")
            writer.key("data")
            writer.beginObject()
            if let message {
                writer.members(of: message)
            } else {
                writer.members(ofData: signal.values)
                writer.member("timestamp", signal.sampleTime)
            }
            writer.member("fromUuid", uuid)
            writer.endObject()
        }
    }
}
