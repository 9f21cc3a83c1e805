import ArgumentParser
import Foundation
import Logging
import MusterStore
import MusterTerminal

/// `muster init`: creates an empty store, for scripts that prepare one before a server runs over it.
struct Init: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Create an empty store. `muster serve` does so by itself; this is for scripts.")
    @OptionGroup var data: DataOption

    func run() async throws {
        try DataFolder.requirePermission(for: data.data)
        guard !DataFolder.holdsStore(data.data) else {
            throw CommandFailure("\(data.data) already holds a store")
        }
        try await Connection.withNewServer(over: data.data) { _ in }
        announce("Created an empty store in \(data.data).")
    }
}

/// The folder that `--data` names.
enum DataFolder {
    /// The seconds that a command waits for a store that a server, started at the same time, is about to create.
    private static let waitSeconds = 3.0

    /// Whether a folder holds a store, or a checked backup that the next command moves to the store's place.
    static func holdsStore(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: path + "/" + SQLiteStore.fileName)
            || SQLiteStore.holdsUnfinishedRestore(path)
    }

    /// Checks that this user may look into a folder: it would otherwise seem to hold no store.
    ///
    /// - Throws: `CommandFailure`.
    static func requirePermission(for path: String) throws {
        var status = stat()
        guard stat(path + "/" + SQLiteStore.fileName, &status) != 0, errno == EACCES else { return }
        throw CommandFailure("\(path) cannot be read: permission denied. Run the command as the owner of that folder")
    }

    /// Checks that a folder holds a store, so that a mistyped `--data` does not create a new one.
    ///
    /// - Throws: `CommandFailure` that names similar folders beside it that hold a store.
    static func requireStore(in path: String) async throws {
        try requirePermission(for: path)
        let deadline = ContinuousClock.now + .seconds(waitSeconds)
        while !holdsStore(path) {
            try await reportingFailures { try SQLiteStore.requireDatabase(in: path) }
            guard ContinuousClock.now < deadline else { throw CommandFailure(refusal(of: path)) }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    private static func refusal(of path: String) -> String {
        let folder = URL(filePath: path)
        let parent = folder.deletingLastPathComponent()
        let siblings = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
        let stores = siblings.filter { holdsStore(parent.appending(path: $0).path) }
        let meant = Suggestion.sentence(for: folder.lastPathComponent, among: stores)
        return "there is no Muster store in \(path).\(meant) "
            + "`muster serve --data \(path)` creates one and serves it, `muster init --data \(path)` only creates it"
    }
}
