package import MusterCore
import MusterStore

/// How people add and remove devices, whichever endpoint they ask.
extension Draft {
    /// Adds a device of a user.
    ///
    /// - Parameters:
    ///   - name: a name that `EntityName.isValid`.
    ///   - access: the caller's rights, in the directory of the transaction.
    /// - Throws: `Problem.forbidden` when the caller may not; `Problem.conflict` when the name or the tag is taken, or
    ///   the user has `Directory.deviceLimit` devices; `StoreError`.
    package mutating func addDevice(
        named name: String, of user: User, beacon: Beacon? = nil, by access: Access
    ) throws -> Device {
        let directory = access.directory
        guard access.mayChangeDevices(of: user) else { throw Problem.forbidden }
        guard directory.device(named: name, of: user.number) == nil else {
            throw Problem.conflict("The device \(user.name)/\(name) already exists.")
        }
        guard directory.devices(of: user.number).count < Directory.deviceLimit else {
            throw Problem.conflict("\(user.name) has \(Directory.deviceLimit) devices already: remove one first.")
        }
        if let beacon {
            guard access.mayGiveTag(to: user) else {
                throw Problem.forbidden(
                    "Only a leader or an admin can assign a tag, because scanners report where its carrier is.")
            }
            guard directory.tag(beacon) == nil else {
                throw Problem.conflict("This beacon is another device's already.")
            }
        }
        let device = Device(number: try transaction.nextDeviceNumber(), name: name, user: user.number, beacon: beacon)
        edits.append(.putDevice(device))
        return device
    }

    /// Removes a device and everything that it reported.
    ///
    /// - Parameter access: the caller's rights, in the directory of the transaction.
    /// - Throws: `Problem.forbidden` when the caller may not.
    package mutating func removeDevice(_ device: Device, by access: Access) throws(Problem) {
        guard let owner = access.directory.users[device.user], access.mayChangeDevices(of: owner) else {
            throw .forbidden
        }
        guard access.mayErase(owner) else {
            throw .forbidden(
                "Only its user or an admin can remove a person's device, because its track goes with it.")
        }
        edits.append(.removeDevice(device.number))
    }
}
