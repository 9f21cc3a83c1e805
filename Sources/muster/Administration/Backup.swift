import ArgumentParser
import Foundation
import MusterCore
import MusterStore
import MusterTerminal

/// `muster backup`: a copy of everything, consistent at one moment, also while the server runs.
struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy the whole store to a new file, also while the server runs.")
    @OptionGroup var data: DataOption
    @Argument(help: "A file that does not exist yet.", completion: .file()) var file: String

    func run() async throws {
        let store = try await clearly { try SQLiteStore(readingOnly: data.data) }
        try await clearly { try store.backup(to: file) }
        announce(
            "Backed up \(data.data) to \(file). To restore: stop the server, then "
                + "muster restore \(file) --data \(data.data)")
    }
}

/// `muster restore`: a backup in the place of the store.
struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Put a backup in the place of the store. The server must be stopped.")
    @OptionGroup var data: DataOption
    @Argument(help: "A file that `muster backup` made.", completion: .file()) var file: String

    func run() async throws {
        let kept = try await clearly { try SQLiteStore.restore(from: file, in: data.data, at: .now) }
        announce("Restored \(data.data) from \(file).")
        if let kept { announce("What was there before is kept in \(kept); remove it when nobody wants it any more.") }
    }
}

/// `muster doctor`: looks for damage and for what will become a trouble.
struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Check the data folder and the store in it.")
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
        let examination = try await clearly { try SQLiteStore.examine(in: data.data) }
        if !examination.verified.isEmpty { announce("Verified: " + examination.verified.joined(separator: ", ")) }
        troubles += examination.findings.map { "damaged: \($0)" }
        if examination.findings.isEmpty {
            // It is sound: whether it can also be served, with all that was acknowledged, shows when it is opened.
            let store = try await clearly { try SQLiteStore(readingOnly: data.data) }
            announce("Changes in the log: \(store.lastSequence.rawValue)")
        } else {
            troubles.append(
                "put a backup from before in its place: muster restore FILE --data \(data.data). What is not named "
                    + "here can be read.")
        }
        guard troubles.isEmpty else {
            for trouble in troubles { announce("TROUBLE: \(trouble)") }
            throw ExitCode(1)
        }
        announce("All is well.")
    }
}
