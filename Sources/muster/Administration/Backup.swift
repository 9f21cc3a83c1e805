import ArgumentParser
import Foundation
import MusterCore
import MusterStore
import MusterTerminal

/// `muster backup`: copies the whole store as it is at one moment, even while the server runs.
struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy the whole store to a new file, even while the server runs.")
    @OptionGroup var data: DataOption
    @Argument(help: "A file that does not exist yet.", completion: .file()) var file: String

    func run() async throws {
        let store = try await reportingFailures { try SQLiteStore(readingOnly: data.data) }
        try await reportingFailures { try store.backup(to: file) }
        announce(
            "Backed up \(data.data) to \(file). To restore: stop the server, then "
                + "muster restore \(file) --data \(data.data)")
    }
}

/// `muster restore`: replaces the store with a backup.
struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Replace the store with a backup. The server must be stopped.")
    @OptionGroup var data: DataOption
    @Argument(help: "A file that `muster backup` wrote.", completion: .file()) var file: String

    func run() async throws {
        let kept = try await reportingFailures { try SQLiteStore.restore(from: file, in: data.data, at: .now) }
        announce("Restored \(data.data) from \(file).")
        if let kept { announce("The previous store is kept in \(kept). Remove it when you no longer need it.") }
    }
}

/// `muster doctor`: looks for damage, and for conditions that will become a problem.
struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check the data folder and the store in it.")
    @OptionGroup var data: DataOption

    func run() async throws {
        var troubles: [String] = []
        let folder = URL(filePath: data.data)
        if let free = try? folder.resourceValues(forKeys: [.volumeAvailableCapacityKey]).volumeAvailableCapacity {
            announce("Free disk: \(free / 1_000_000) MB")
            if free < 500_000_000 { troubles.append("less than 500 MB of disk are free") }
        }
        let permissions = try? FileManager.default.attributesOfItem(atPath: data.data)[.posixPermissions] as? Int
        if let permissions, permissions & 0o077 != 0 {
            troubles.append("others can read \(data.data): run chmod 700 \(data.data)")
        }
        let examination = try await reportingFailures { try SQLiteStore.examine(in: data.data) }
        if !examination.verified.isEmpty { announce("Verified: " + examination.verified.joined(separator: ", ")) }
        troubles += examination.findings.map { "damaged: \($0)" }
        if examination.findings.isEmpty {
            // The store is sound. Opening it shows whether it can also be served, with all acknowledged changes.
            let store = try await reportingFailures { try SQLiteStore(readingOnly: data.data) }
            announce("Changes in the log: \(store.lastSequence.rawValue)")
        } else {
            troubles.append(
                "restore a backup from before the damage: muster restore FILE --data \(data.data). What is not listed "
                    + "here can be read.")
        }
        guard troubles.isEmpty else {
            for trouble in troubles { announce("TROUBLE: \(trouble)") }
            throw ExitCode(1)
        }
        announce("All is well.")
    }
}
