import Logging
import MusterCore
import MusterStore
import ServiceLifecycle

/// Makes a new key for the command line, with another admin's rights, as soon as the user whose rights it has is no
/// longer an admin.
struct ControlWatch: Service {
    let control: ControlAccess
    let identity: Identity
    let coordinator: StoreCoordinator
    let logger: Logger

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: .seconds(1))
                await renewKey()
            }
        }
    }

    /// Until the file is complete, the start of the server and the storage watch write it.
    private func renewKey() async {
        guard control.isComplete, let holder = control.holder, coordinator.storage.status.isWritable,
            coordinator.directory.users[holder]?.role != .admin
        else { return }
        do {
            control.setKey(try await identity.makeControlKey())
            try control.write()
        } catch {
            // The next turn tries again to make a key; the storage watch writes a file that the disk refused.
            logger.warning("The command line cannot reach this server", metadata: ["error": "\(error)"])
        }
    }
}
