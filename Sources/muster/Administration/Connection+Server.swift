import Foundation
import Logging
import MusterServer
import MusterTerminal

extension Connection {
    /// Runs a command against the data in a folder: through the server that runs over it, or, when none does, through
    /// one that is started for the occasion on this machine alone. Either way it is the same road, the native API.
    ///
    /// One that starts just now is waited for, and so is another command that has one for itself; 15 seconds at most.
    ///
    /// - Throws: `CommandFailure` where the folder holds no store, and what `body` throws.
    static func withServer<Result>(
        over data: String, _ body: (Connection) async throws -> Result
    ) async throws -> Result {
        if let connection = try await running(over: data) { return try await body(connection) }
        try await DataFolder.requireStore(in: data)
        return try await withNewServer(over: data, body)
    }

    /// Runs a command through a server that is started for the occasion; makes the store where there is none.
    static func withNewServer<Result>(
        over data: String, _ body: (Connection) async throws -> Result
    ) async throws -> Result {
        var settings = Configuration(dataDirectory: data)
        settings.port = 0
        settings.isForOneCommand = true
        settings.adminPassword = ProcessInfo.processInfo.environment["MUSTER_ADMIN_PASSWORD"]
        var logger = Logger(label: "muster")
        logger.logLevel = .error
        let prepared = settings
        let quiet = logger
        var found: Connection?
        let opened = try await FolderWait(looksPerSecond: 4).open(prepared, logger: quiet) {
            found = try await running(over: data)
            return found == nil
        }
        if let found { return try await body(found) }
        guard let server = opened else { throw CommandFailure("\(data) cannot be opened") }
        return try await server.runWhile { address in
            guard let control = ControlFile.read(in: data) else {
                throw CommandFailure("the server that was started for this command left no control file in \(data)")
            }
            return try await body(Connection(base: address, token: control.key))
        }
    }

    /// The server that runs over a folder to stay; nil where none does, or has not said yet where it is.
    static func running(over data: String) async throws -> Connection? {
        guard let control = ControlFile.read(in: data), control.isForOneCommand != true else { return nil }
        let connection = try Connection(base: control.url, token: control.key)
        // A file left behind by a killed server leads nowhere, or to somebody else's server.
        guard let (_, status) = try? await connection.exchange("GET", "/session"), status == 200 else { return nil }
        return connection
    }
}

/// Turns whatever keeps a server from starting into a sentence.
func clearly<Success>(_ body: () async throws -> Success) async throws -> Success {
    do {
        return try await body()
    } catch let error as any CustomStringConvertible & Error {
        throw CommandFailure(error.description)
    }
}
