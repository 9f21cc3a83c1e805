import Foundation
import GRDB
package import MusterCore

/// A backup in the place of a store. It is copied and looked at first; from then on a file `.muster-restored-…` stands
/// in the folder, and whoever opens the store puts it in its place before, so that this may be killed at any moment.
extension SQLiteStore {
    /// Puts a backup in the place of the store of a folder, which is made where there is none. What was there before is
    /// kept in a folder of its own beside it: also the write-ahead log, which would else be played over the backup.
    ///
    /// - Parameters:
    ///   - backup: a file that `backup(to:)` made, or any store's, with the log beside it.
    ///   - moment: now, for that folder's name.
    /// - Returns: that folder; nil where there was no store.
    /// - Throws: `StoreError.inUse`, `.missing`, `.corrupt` or `.tooNew` for what is no sound backup, `.restore`; then
    ///   nothing was changed.
    package static func restore(from backup: String, in directory: String, at moment: Instant) throws -> String? {
        guard FileManager.default.fileExists(atPath: backup) else { throw StoreError.missing(path: backup) }
        return try naming(directory) {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let lock = try DataLock(in: directory)
            defer { lock.release() }
            try PageChecksums.install()
            try giveToOwner(of: directory, directory + "/lock")
            _ = try finishRestoring(in: directory)
            let copy = "\(directory)/\(restoringName)"
            // What one that was killed left behind.
            for suffix in suffixes { try? FileManager.default.removeItem(atPath: copy + suffix) }
            let refusal = DataFile.create(copy, exclusively: true)
            guard refusal == 0 else { throw StoreError.restore(path: copy, reason: DataFile.describe(refusal)) }
            defer { for suffix in suffixes { try? FileManager.default.removeItem(atPath: copy + suffix) } }
            try StoreError.naming(backup) { try fill(copy, from: backup) }
            try giveToOwner(of: directory, copy)
            try move(copy, to: "\(directory)/\(restoredPrefix)\(moment.milliseconds).sqlite")
            return try finishRestoring(in: directory)
        }
    }

    /// Puts a backup that was looked at in its place, where one stands in a folder.
    ///
    /// - Returns: the folder that keeps what was there before; nil where there was nothing, or nothing is to be done.
    /// - Throws: `StoreError.restore`; then it is still to be done.
    /// - Precondition: the folder's lock is held, and its store is not open.
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
            // It tells of changes that the backup need not have.
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

    /// A copy that is not looked at yet, and one that is: names that no file has which a person put there.
    private static let (restoringName, restoredPrefix) = (".muster-restoring.sqlite", ".muster-restored-")
    /// The file and its companions.
    private static let suffixes = ["", "-wal", "-shm"]

    /// Copies a store with all that its log has, and makes sure that the copy is sound and on the disk.
    ///
    /// - Throws: `StoreError.corrupt`, `.tooNew`; `DatabaseError`.
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
            // One file, without a companion.
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

    /// Moves a file within a data folder, onto the disk.
    private static func move(_ path: String, to place: String) throws {
        guard rename(path, place) == 0 else {
            throw StoreError.restore(path: place, reason: DataFile.describe(errno))
        }
        for path in [path, place] {
            _ = DataFile.synchronise(URL(filePath: path).deletingLastPathComponent().path)
        }
    }

    /// What root makes in somebody else's folder is theirs.
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
