import MusterCoding
import MusterCore
import MusterServer

/// The UUIDs by which Meshblu's clients name devices and users. They follow from the store and the number, so nothing
/// is stored, and they never change.
package struct MeshbluUUIDs: Sendable {
    private let storeID: String

    init(storeID: String) { self.storeID = storeID }

    /// The device's UUID.
    func uuid(of device: DeviceNumber) -> String { uuid("device", device.rawValue) }

    /// The user's UUID: the `owner` of the user's devices.
    func uuid(of user: UserNumber) -> String { uuid("user", user.rawValue) }

    /// The user's device with this UUID; nil where the user has none.
    func device(_ uuid: String, of user: UserNumber, in directory: Directory) -> Device? {
        let wanted = uuid.lowercased()
        return directory.devices(of: user).first { self.uuid(of: $0) == wanted }.flatMap { directory.devices[$0] }
    }

    /// Whether a name is how Meshblu's clients call a principal: the UUID of the device whose token was shown, or else
    /// the UUID or the name of the user.
    func isName(_ name: String, of principal: Principal) -> Bool {
        if name == principal.name { return true }
        let uuid = principal.device.map { self.uuid(of: $0) } ?? self.uuid(of: principal.user)
        return name.lowercased() == uuid
    }

    /// Whether a text has the form of a UUID: 32 hexadecimal digits with hyphens.
    package static func isUUID(_ text: some StringProtocol) -> Bool {
        text.utf8.count == 36 && BeaconUUID(text) != nil
    }

    /// A UUID of version 8 (RFC 9562).
    private func uuid(_ kind: String, _ number: Int32) -> String {
        var bytes = Array(TokenDigest(of: "meshblu/\(storeID)/\(kind)/\(number)").bytes.prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        return Hexadecimal.uuid(bytes.hexadecimal.utf8)
    }
}
