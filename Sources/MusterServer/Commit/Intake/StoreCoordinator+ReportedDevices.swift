package import MusterCore
import MusterStore

/// Devices that reports name for the first time.
extension StoreCoordinator {
    /// The device of a user by a name. Creates it where the user has none of that name.
    ///
    /// The caller must have checked that the author may create devices of the user.
    ///
    /// - Returns: nil when the user does not exist, or has as many devices as a user may have.
    package func makeDevice(named name: String, of user: UserNumber, by author: Author) async throws -> Device? {
        // A flood of names beyond the limit costs the writer nothing.
        guard directory.devices(of: user).count < Directory.deviceLimit else { return nil }
        return try await edit(by: author) { directory, draft in
            if let device = directory.device(named: name, of: user) { return device }
            guard directory.users[user] != nil, directory.devices(of: user).count < Directory.deviceLimit else {
                return nil
            }
            let device = Device(number: try draft.transaction.nextDeviceNumber(), name: name, user: user)
            draft.edits = [.putDevice(device)]
            return device
        }
    }
}
