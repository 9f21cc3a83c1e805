import ArgumentParser
import Foundation
import Logging
import MusterServer
import MusterStore
import MusterTerminal

/// `muster init`: creates an empty store, for scripts that prepare one before a server runs over it.
struct Init: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Create an empty store. `muster serve` does so by itself; this is for scripts.")
    @OptionGroup var data: DataOption

    func run() async throws {
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

    static func holdsStore(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: path + "/" + SQLiteStore.fileName)
    }

    /// Checks that a folder holds a store, so that a mistyped `--data` does not create a new one.
    ///
    /// - Throws: `CommandFailure` that names similar folders beside it that hold a store.
    static func requireStore(in path: String) async throws {
        let deadline = ContinuousClock.now + .seconds(waitSeconds)
        while !holdsStore(path) {
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
