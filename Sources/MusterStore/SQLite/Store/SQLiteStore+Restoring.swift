import Foundation
import GRDB
package import MusterCore

/// Replaces a store by a backup. `restore` copies the backup and checks the copy. Then a file `.muster-restored-…` is
/// in the folder, and the next process that opens the store moves it to the store's place first, so that the process
/// may be killed at any moment.
extension SQLiteStore {
    /// Replaces the store of a folder by a backup, or makes the store if there is none. The former store is kept in a
    /// folder of its own, with its write-ahead log, which SQLite would otherwise apply to the backup.
    ///
    /// - Parameters:
    ///   - backup: a file that `backup(to:)` made, or the file of any store with its log beside it.
    ///   - moment: the present time, for the name of that folder.
    /// - Returns: the path of that folder; nil if there was no store.
    /// - Throws: `StoreError.inUse`, `.missing`, `.restore`; `.corrupt` or `.tooNew` for a file that is not a sound
    ///   backup. The store is then unchanged.
    package static func restore(from backup: String, in directory: String, at moment: Instant) throws -> String? {
        guard FileManager.default.fileExists(atPath: backup) else { throw StoreError.missing(path: backup) }
        if let refusal = DataFile.refusalToRead(backup) {
            throw StoreError.restore(path: directory, reason: "\(backup) cannot be read: \(refusal)")
        }
        return try naming(directory) {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let lock = try DataLock(in: directory)
            defer { lock.release() }
            try PageChecksums.install()
            try giveToOwner(of: directory, directory + "/lock")
            _ = try finishRestoring(in: directory)
            let copy = "\(directory)/\(restoringName)"
            // Deletes the files of a restore that was killed.
            for suffix in suffixes { try? FileManager.default.removeItem(atPath: copy + suffix) }
            let refusal = DataFile.create(copy, exclusively: true)
            guard refusal == 0 else { throw StoreError.restore(path: copy, reason: DataFile.describe(refusal)) }
            defer { for suffix in suffixes { try? FileManager.default.removeItem(atPath: copy + suffix) } }
            try StoreError.naming(backup) {
                do {
                    // SQLite would take a relative path for a URI if it begins with "file:".
                    try fill(copy, from: URL(fileURLWithPath: backup).path)
                } catch let error as DatabaseError where error.resultCode == .SQLITE_READONLY {
                    throw StoreError.corrupt(
                        path: backup, reason: "it is no complete backup, because the backup was interrupted")
                }
            }
            try giveToOwner(of: directory, copy)
            try move(copy, to: "\(directory)/\(restoredPrefix)\(moment.milliseconds).sqlite")
            return try finishRestoring(in: directory)
        }
    }

    /// Whether a folder holds a checked backup that the next opening moves to the store's place.
    package static func holdsUnfinishedRestore(_ directory: String) -> Bool {
        (try? FileManager.default.contentsOfDirectory(atPath: directory))?.contains {
            $0.hasPrefix(restoredPrefix) && $0.hasSuffix(".sqlite")
        } ?? false
    }

    /// Moves a checked backup to the store's place, if there is one in the folder.
    ///
    /// - Returns: the folder with the former store; nil if there was none, or there is no checked backup.
    /// - Throws: `StoreError.restore`; the next call then tries again.
    /// - Precondition: the caller holds the folder's lock, and nobody has its store open.
    @discardableResult
    static func finishRestoring(in directory: String) throws -> String? {
        try naming(directory) {
            let files = FileManager.default
            let found = try files.contentsOfDirectory(atPath: directory).filter {
                $0.hasPrefix(restoredPrefix) && $0.hasSuffix(".sqlite")
            }
            guard let name = found.max() else { return nil }
            let moment = name.dropFirst(restoredPrefix.count).dropLast(".sqlite".count)
            let folder = "\(directory)/before-restore-\(moment)"
            let path = directory + "/" + fileName
            // The mark may name changes that the backup does not have.
            HighWaterMark.remove(from: directory)
            for suffix in suffixes where files.fileExists(atPath: path + suffix) {
                try files.createDirectory(
                    atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
                try giveToOwner(of: directory, folder)
                try move(path + suffix, to: "\(folder)/\(fileName)\(suffix)")
            }
            try move("\(directory)/\(name)", to: path)
            return files.fileExists(atPath: folder) ? folder : nil
        }
    }

    /// The names of a copy that is not checked yet, and of one that is. No person chooses such names for files.
    private static let (restoringName, restoredPrefix) = (".muster-restoring.sqlite", ".muster-restored-")
    /// The suffixes of the database file and the files beside it.
    private static let suffixes = ["", "-wal", "-shm"]

    /// Copies a store with everything in its log, checks the copy, and flushes it to the disk.
    ///
    /// - Throws: `StoreError.corrupt`, `.tooNew`, `.restore`; `DatabaseError`.
    private static func fill(_ copy: String, from backup: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        let source = try DatabaseQueue(path: backup, configuration: configuration)
        let target = try DatabaseQueue(path: copy)
        if PageChecksums.areClaimed(by: backup) {
            try target.writeWithoutTransaction { try PageChecksums.claim(in: $0) }
        }
        try source.backup(to: target)
        try target.writeWithoutTransaction { database in
            // Makes the copy one file, with no log beside it.
            try database.execute(sql: "PRAGMA journal_mode = DELETE")
            guard try Schema.version(of: database, path: backup) > 0 else {
                throw StoreError.corrupt(path: backup, reason: "it is empty")
            }
            let findings = try String.fetchAll(database, sql: "PRAGMA integrity_check(1)").filter { $0 != "ok" }
            if let first = findings.first { throw StoreError.corrupt(path: backup, reason: first) }
        }
        try target.close()
        try source.close()
        let refusal = DataFile.synchronise(copy)
        guard refusal == 0 else { throw StoreError.restore(path: copy, reason: DataFile.describe(refusal)) }
    }

    /// Moves a file within a data folder, and flushes the folders.
    ///
    /// - Throws: `StoreError.restore`.
    private static func move(_ path: String, to place: String) throws {
        guard rename(path, place) == 0 else {
            throw StoreError.restore(path: place, reason: DataFile.describe(errno))
        }
        for path in [path, place] {
            _ = DataFile.synchronise(URL(filePath: path).deletingLastPathComponent().path)
        }
    }

    /// Gives a file that root made to the owner of the data folder.
    private static func giveToOwner(of directory: String, _ path: String) throws {
        guard geteuid() == 0 else { return }
        let owner = try FileManager.default.attributesOfItem(atPath: directory)
        let ids = owner.filter { [.ownerAccountID, .groupOwnerAccountID].contains($0.key) }
        try FileManager.default.setAttributes(ids, ofItemAtPath: path)
    }

    private static func naming<Result>(_ directory: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError.restore(path: directory, reason: error.localizedDescription)
        }
    }
}
