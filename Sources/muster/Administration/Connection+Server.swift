import Foundation
import Logging
import MusterHTTP
import MusterServer
import MusterStore
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
        StandardOutput.whenUnwritable { ControlFile.remove(in: data) }
        return try await server.runWhile { address in
            guard let control = ControlFile.read(in: data) else {
                if let reason = server.writeRefusal {
                    throw CommandFailure(StoreError.unwritable(reason: reason).description)
                }
                throw CommandFailure("the server that was started for this command left no control file in \(data)")
            }
            return try await body(Connection(base: address, token: control.key, operatorName: operatorName))
        }
    }

    /// Whether the server over a folder was started for one command, so that nothing else reaches it.
    static func isForOneCommand(over data: String) -> Bool { ControlFile.read(in: data)?.isForOneCommand == true }

    /// The user of the operating system who runs this command, and who became that user by `sudo`.
    private static var operatorName: String {
        let name = getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) } ?? "\(getuid())"
        guard let other = ProcessInfo.processInfo.environment["SUDO_USER"], other != name else { return name }
        return "\(name) (\(other) by sudo)"
    }

    /// Returns the connection to the server that runs over a folder; nil if none runs, or if it has not written its
    /// control file yet.
    ///
    /// If the admin whose rights the key has was just removed or given another role, this waits for the server's next
    /// key, 3 seconds at most.
    static func running(over data: String) async throws -> Connection? {
        struct Answer: Decodable {
            struct User: Decodable { var role: String }
            var user: User
        }
        let deadline = ContinuousClock.now + .seconds(3)
        while let control = ControlFile.read(in: data), control.isForOneCommand != true {
            let connection = try Connection(base: control.url, token: control.key, operatorName: operatorName)
            // The control file of a killed server names an address where nothing, or another server, answers.
            guard let (answer, status) = try? await connection.exchange("GET", "/session"), [200, 401].contains(status)
            else { return nil }
            if status == 200, (try? JSONDecoder().decode(Answer.self, from: answer))?.user.role == "admin" {
                return connection
            }
            guard ContinuousClock.now < deadline else { return nil }
            try await Task.sleep(for: .milliseconds(100))
        }
        return nil
    }
}

/// Runs a server, and says why it could not listen.
func reportingFailures<Success>(
    ofListeningAt host: String, port: Int, _ body: () async throws -> Success
) async throws -> Success {
    try await reportingFailures {
        do {
            return try await body()
        } catch {
            throw ListeningError(error, host: host, port: port) ?? error
        }
    }
}

/// Runs a part of a command, and turns an error that has a description into a `CommandFailure` with it.
func reportingFailures<Success>(_ body: () async throws -> Success) async throws -> Success {
    do {
        return try await body()
    } catch let error as any CustomStringConvertible & Error {
        throw CommandFailure(error.description)
    }
}
