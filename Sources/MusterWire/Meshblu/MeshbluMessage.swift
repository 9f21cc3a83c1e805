package import MusterCore

/// A message of Meshblu: its recipients and its content. It is stored as a signal of its sender.
package struct MeshbluMessage: Hashable, Sendable {
    /// The UUIDs of the devices, in lower case as answers spell them, or `*` for all that listen.
    package var devices: [String]
    /// The content, any JSON.
    package var payload: JSONValue

    /// The name of the signal that a message is stored as.
    package static let signalName = "message"
    private static let deviceLimit = 32

    /// Reads the message in a request; nil when it names no devices.
    package init?(_ parameters: MeshbluParameters) {
        switch parameters["devices"] {
        case .string(let device)?: devices = [device]
        case .array(let elements)?:
            devices = elements.compactMap(\.string)
            guard devices.count == elements.count else { return nil }
        default: return nil
        }
        guard (1...Self.deviceLimit).contains(devices.count) else { return nil }
        devices = devices.map(Self.spelled)
        payload = parameters["payload"] ?? .null
    }

    /// Reads the message in a signal; nil when the signal is no message.
    package init?(_ signal: Signal) {
        guard signal.name == Self.signalName,
            let devices = signal.values.first(where: { $0.key == "devices" })?.text,
            let payload = signal.values.first(where: { $0.key == "payload" })?.text,
            let json = try? JSONValue(parsing: Array(payload.utf8))
        else { return nil }
        self.devices = devices.split(separator: ",").map { Self.spelled(String($0)) }
        self.payload = json
    }

    /// A name with a UUID in lower case: a device is the same, however a client spells its UUID.
    private static func spelled(_ name: String) -> String { BeaconUUID(name) == nil ? name : name.lowercased() }

    /// The values of the signal.
    package var values: [Signal.Value] {
        [
            Signal.Value("devices", devices.joined(separator: ",")),
            Signal.Value("payload", String(decoding: payload.bytes, as: UTF8.self)),
        ]
    }
}

extension JSONWriter {
    package mutating func members(of message: MeshbluMessage) {
        key("devices")
        beginArray()
        for device in message.devices { value(device) }
        endArray()
        key("payload")
        value(message.payload)
    }
}
