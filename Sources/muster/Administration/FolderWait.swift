import Logging
import MusterEndpoints
import MusterServer
import MusterStore
import MusterTerminal

/// Waits for a data folder that somebody has: a command that is done soon, or a server that is about to say where it
/// is.
struct FolderWait {
    /// Seconds that are waited at most.
    static let limitSeconds = 15
    /// How often it is looked at.
    var looksPerSecond: Int

    /// Opens a server over a folder as soon as nobody else has it.
    ///
    /// - Parameter isStillToOpen: asked whenever somebody else has it, whether it is still to be waited for.
    /// - Returns: nil where it was not to be waited for any more.
    /// - Throws: `CommandFailure` where it stays in use, or cannot be opened for another reason.
    func open(
        _ settings: Configuration, logger: Logger, whileInUse isStillToOpen: () async throws -> Bool
    ) async throws -> Server? {
        for look in 0... {
            do {
                return try await Server(settings, endpoints: AllEndpoints.types, logger: logger)
            } catch StoreError.inUse where look < Self.limitSeconds * looksPerSecond {
                guard try await isStillToOpen() else { return nil }
                try await Task.sleep(for: .seconds(1) / looksPerSecond)
            } catch let error as any CustomStringConvertible & Error {
                throw CommandFailure(error.description)
            }
        }
        return nil
    }
}
