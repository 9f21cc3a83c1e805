import Logging
import MusterEndpoints
import MusterServer
import MusterStore
import MusterTerminal

/// Waits for a data folder that another process uses: a command that will end soon, or a server that is about to write
/// its control file.
struct FolderWait {
    /// The longest wait in seconds.
    static let limitSeconds = 15
    /// The number of attempts a second.
    var looksPerSecond: Int

    /// Opens a server over a folder as soon as no other process uses it.
    ///
    /// - Parameters:
    ///   - showPassword: shows the password that a first start generates for `admin`.
    ///   - isStillToOpen: called while another process uses the folder. Returns whether to keep waiting.
    /// - Returns: nil if `isStillToOpen` ended the wait.
    /// - Throws: `CommandFailure` if the folder stays in use, or cannot be opened for another reason.
    func open(
        _ settings: Configuration, logger: Logger, showPassword: (String) throws -> Void = { _ in },
        whileInUse isStillToOpen: () async throws -> Bool
    ) async throws -> Server? {
        for look in 0... {
            do {
                return try await Server(
                    settings, endpoints: AllEndpoints.types, logger: logger, showPassword: showPassword)
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
