import MusterCore
import MusterServer
import MusterWire

/// The messages from which Home Assistant creates its entities: a `device_tracker` for each device, and for each person
/// a `binary_sensor` that says whether they are safe.
///
/// Format: https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery. Topics and ids contain numbers instead of
/// names, so Home Assistant keeps the entity of a person who is renamed.
struct HomeAssistantDiscovery: Sendable {
    /// The part of each entity's id that distinguishes this server from others.
    private let store: String

    init(_ coordinator: StoreCoordinator) {
        store = String(coordinator.storeID.filter { $0 != "-" }.prefix(8)).lowercased()
    }

    /// Returns the configuration messages of a device and of its owner.
    func messages(of device: DeviceNumber, _ directory: Directory, wants: (String) -> Bool) -> [TopicMessage] {
        let topic = Self.topic("device_tracker", "d\(device.rawValue)")
        guard wants(topic) else { return [] }
        guard let found = directory.devices[device], let user = directory.users[found.user] else {
            // An empty configuration removes the entity.
            return [TopicMessage(topic: topic, payload: [], isRetained: true)]
        }
        let payload = JSONWriter.object { writer in
            writer.member("name", found.name)
            writer.member("unique_id", "muster_\(store)_d\(device.rawValue)")
            writer.member("json_attributes_topic", TopicMessages.positionTopic(of: "\(user.name)/\(found.name)"))
            writer.member("source_type", "gps")
            writeOwner(user, to: &writer)
        }
        return [TopicMessage(topic: topic, payload: payload, isRetained: true)]
    }

    /// Returns the configuration message of a person's safety sensor.
    func messages(of user: UserNumber, _ directory: Directory, wants: (String) -> Bool) -> [TopicMessage] {
        let topic = Self.topic("binary_sensor", "u\(user.rawValue)")
        guard wants(topic) else { return [] }
        guard let found = directory.users[user] else {
            return [TopicMessage(topic: topic, payload: [], isRetained: true)]
        }
        let safety = TopicMessages.safetyTopic(of: user, directory)
        let payload = JSONWriter.object { writer in
            writer.member("name", "Safe")
            writer.member("unique_id", "muster_\(store)_u\(user.rawValue)_safe")
            writer.member("state_topic", safety)
            // In this device class "on" means unsafe. The state "safe" is shown as safe, and an unknown state as
            // unknown.
            writer.member("device_class", "safety")
            writer.member("value_template", Self.template)
            writer.member("json_attributes_topic", safety)
            writeOwner(found, to: &writer)
        }
        return [TopicMessage(topic: topic, payload: payload, isRetained: true)]
    }

    private static let template =
        "{{ {'safe': 'OFF', 'unknown': 'None', 'offSite': 'None'}.get(value_json.state, 'ON') }}"

    private static func topic(_ component: String, _ id: String) -> String {
        "homeassistant/\(component)/muster_\(id)/config"
    }

    private func writeOwner(_ user: User, to writer: inout JSONWriter) {
        writer.member("qos", Int64(1))
        // Without this topic, a Home Assistant behind a bridge would show the last state for ever after this server
        // stopped. A Home Assistant that is connected to this server itself notices the end of the connection.
        writer.member("availability_topic", TopicMessages.statusTopic)
        writer.member("payload_available", "1")
        writer.member("payload_not_available", "0")
        writer.key("device")
        writer.beginObject()
        writer.key("identifiers")
        writer.beginArray()
        writer.value("muster_\(store)_u\(user.number.rawValue)")
        writer.endArray()
        writer.member("name", user.name)
        writer.member("manufacturer", "Muster")
        writer.endObject()
        writer.key("origin")
        writer.beginObject()
        writer.member("name", "Muster")
        writer.member("sw_version", Server.version)
        writer.endObject()
    }
}
