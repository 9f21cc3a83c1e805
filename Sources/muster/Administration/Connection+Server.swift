import Foundation
import Logging
import MusterServer
import MusterTerminal

/// Connects a command to the server of a data folder, or starts one for the command.
extension Connection {
    /// Runs a command through the native API: through the server that runs over the folder, or, if there is none,
    /// through a server that is started for this command alone.
    ///
    /// If a server is just starting, or another command has its own, this waits up to 15 seconds.
    ///
    /// - Throws: `CommandFailure` if the folder holds no store; the errors of `body`.
    static func withServer<Result>(
        over data: String, _ body: (Connection) async throws -> Result
    ) async throws -> Result {
        if let connection = try await running(over: data) { return try await body(connection) }
        try await DataFolder.requireStore(in: data)
        return try await withNewServer(over: data, body)
    }

    /// Runs a command through a server that is started for it. The server creates the store if there is none.
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
        guard let server = opened else { throw CommandFailure("the store in \(data) cannot be opened") }
        return try await server.runWhile { address in
            guard let control = ControlFile.read(in: data) else {
                throw CommandFailure("the server that was started for this command left no control file in \(data)")
            }
            return try await body(Connection(base: address, token: control.key))
        }
    }

    /// Returns the connection to the server that runs over a folder; nil if none runs, or if it has not written its
    /// control file yet.
    static func running(over data: String) async throws -> Connection? {
        guard let control = ControlFile.read(in: data), control.isForOneCommand != true else { return nil }
        let connection = try Connection(base: control.url, token: control.key)
        // The control file of a killed server names an address where nothing, or another server, answers.
        guard let (_, status) = try? await connection.exchange("GET", "/session"), status == 200 else { return nil }
        return connection
    }
}

/// Turns errors that prevent a server from starting into a `CommandFailure`.
func clearly<Success>(_ body: () async throws -> Success) async throws -> Success {
    do {
        return try await body()
    } catch let error as any CustomStringConvertible & Error {
        throw CommandFailure(error.description)
    }
}
