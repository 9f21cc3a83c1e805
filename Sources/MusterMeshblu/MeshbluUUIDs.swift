import MusterCoding
import MusterCore
import MusterServer
import Synchronization

/// The UUIDs by which Meshblu's clients name devices and users. They are derived from the store's id and the number, so
/// nothing is stored, and they never change.
package struct MeshbluUUIDs: Sendable {
    private let storeID: String
    private let known = Known()

    init(storeID: String) { self.storeID = storeID }

    /// A cache of the UUIDs of devices. To find a device by its UUID, the UUIDs of all of its owner's devices are
    /// compared, for each message and each client, and computing one takes a digest.
    private final class Known: Sendable {
        /// When the cache holds this many UUIDs, it is emptied.
        private static let limit = 16_384
        private let uuids = Mutex<[DeviceNumber: String]>([:])

        func uuid(of device: DeviceNumber, _ compute: () -> String) -> String {
            if let uuid = uuids.withLock({ $0[device] }) { return uuid }
            let uuid = compute()
            uuids.withLock { uuids in
                if uuids.count >= Self.limit { uuids = [:] }
                uuids[device] = uuid
            }
            return uuid
        }
    }

    /// The device's UUID.
    func uuid(of device: DeviceNumber) -> String { known.uuid(of: device) { uuid("device", device.rawValue) } }

    /// The user's UUID: the `owner` of the user's devices.
    func uuid(of user: UserNumber) -> String { uuid("user", user.rawValue) }

    /// The user's device with this UUID; nil where the user has none.
    func device(_ uuid: String, of user: UserNumber, in directory: Directory) -> Device? {
        devices([uuid.lowercased()], of: user, in: directory).first.flatMap { directory.devices[$0] }
    }

    /// The user's devices with these UUIDs, which are in lower case. The others are left out.
    func devices(_ wanted: Set<String>, of user: UserNumber, in directory: Directory) -> [DeviceNumber] {
        wanted.isEmpty ? [] : directory.devices(of: user).filter { wanted.contains(uuid(of: $0)) }
    }

    /// Whether a name identifies a principal to Meshblu's clients: the name of the user; the UUID of the device whose
    /// token was shown, or else the UUID of the user.
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
