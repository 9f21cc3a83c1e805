import Foundation
import GRDB
package import MusterCore
import MusterDocuments

extension SQLiteStore {
    package func backup(to path: String) throws {
        let refusal = DataFile.create(path, exclusively: true)
        guard refusal == 0 else { throw StoreError.backup(path: path, reason: DataFile.describe(refusal)) }
        do {
            let copy = try DatabaseQueue(path: path)
            try pool.backup(to: copy)
            // The copy is one file, without a companion that could be forgotten.
            try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
            try copy.close()
            for path in [path, URL(fileURLWithPath: path).deletingLastPathComponent().path] {
                let refusal = DataFile.synchronise(path)
                guard refusal == 0 else { throw StoreError.backup(path: path, reason: DataFile.describe(refusal)) }
            }
        } catch {
            try? FileManager.default.removeItem(atPath: path)
            if let error = error as? StoreError { throw error }
            let reason = (error as? DatabaseError)?.message ?? String(describing: error)
            throw StoreError.backup(path: path, reason: reason)
        }
    }

    /// Puts a backup in the place of the store of a folder, which is made where there is none. What was there before is
    /// kept in a folder of its own beside it: also the write-ahead log, which would else be played over the backup.
    ///
    /// - Parameter moment: now, for that folder's name.
    /// - Returns: that folder; nil where there was no store.
    /// - Throws: `StoreError.inUse`, `.corrupt` or `.tooNew` for a file that is no sound backup, `.restore`; then
    ///   nothing was changed.
    package static func restore(from backup: String, in directory: String, at moment: Instant) throws -> String? {
        let path = directory + "/" + fileName
        guard FileManager.default.fileExists(atPath: backup) else { throw StoreError.missing(path: backup) }
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let lock = try DataLock(in: directory)
            defer { lock.release() }
            let copy = directory + "/restoring.sqlite"
            try? FileManager.default.removeItem(atPath: copy)
            defer { for suffix in suffixes { try? FileManager.default.removeItem(atPath: copy + suffix) } }
            let refusal = DataFile.create(copy, exclusively: true)
            guard refusal == 0 else { throw StoreError.restore(path: path, reason: DataFile.describe(refusal)) }
            try fill(copy, from: backup)
            try StoreError.naming(backup) { try mustBeSound(copy, called: backup) }
            let kept = try setAside(path, in: "\(directory)/before-restore-\(moment.milliseconds)")
            guard rename(copy, path) == 0 else {
                let reason = DataFile.describe(errno)
                if let kept { try? takeBack(path, from: kept) }
                throw StoreError.restore(path: path, reason: reason)
            }
            _ = DataFile.synchronise(directory)
            return kept
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError.restore(path: path, reason: error.localizedDescription)
        }
    }

    /// The file and its companions.
    private static let suffixes = ["", "-wal", "-shm"]

    private static func fill(_ path: String, from source: String) throws {
        let (reading, writing) = (
            try FileHandle(forReadingFrom: URL(filePath: source)), try FileHandle(forWritingTo: URL(filePath: path))
        )
        defer { for file in [reading, writing] { try? file.close() } }
        while let piece = try reading.read(upToCount: 1 << 20), !piece.isEmpty { try writing.write(contentsOf: piece) }
        try writing.synchronize()
    }

    /// - Throws: `StoreError.corrupt`, `.tooNew`; `DatabaseError`.
    private static func mustBeSound(_ path: String, called name: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.read { database in
            guard try Schema.version(of: database, path: name) > 0 else {
                throw StoreError.corrupt(path: name, reason: "it is empty")
            }
            let findings = try String.fetchAll(database, sql: "PRAGMA integrity_check(1)").filter { $0 != "ok" }
            if let first = findings.first { throw StoreError.corrupt(path: name, reason: first) }
        }
        try queue.close()
    }

    /// Keeps a store in another folder: its file there and here, its companions there alone.
    private static func setAside(_ path: String, in folder: String) throws -> String? {
        let files = FileManager.default
        guard files.fileExists(atPath: path) else { return nil }
        try files.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        do {
            try files.linkItem(atPath: path, toPath: "\(folder)/\(fileName)")
            for suffix in suffixes.dropFirst() where files.fileExists(atPath: path + suffix) {
                try files.moveItem(atPath: path + suffix, toPath: "\(folder)/\(fileName)\(suffix)")
            }
        } catch {
            try? takeBack(path, from: folder)
            throw error
        }
        _ = DataFile.synchronise(folder)
        return folder
    }

    private static func takeBack(_ path: String, from folder: String) throws {
        let files = FileManager.default
        for suffix in suffixes.dropFirst() where files.fileExists(atPath: "\(folder)/\(fileName)\(suffix)") {
            try files.moveItem(atPath: "\(folder)/\(fileName)\(suffix)", toPath: path + suffix)
        }
        try files.removeItem(atPath: folder)
    }

    /// What a pragma says on the writing connection: for whoever wants to be sure, `muster doctor` and the tests.
    package func setting(_ pragma: String) throws -> String {
        try onWriter { try String.fetchOne($0, sql: "PRAGMA \(pragma)") ?? "" }
    }

    /// Changes how far the file may grow; see `Options.pageLimit`.
    package func makeRoom(pages: Int) throws {
        try onWriter { try $0.execute(sql: "PRAGMA max_page_count = \(pages)") }
    }

    /// Looks for damage: SQLite's whole integrity check, then whether the log has a gap and every change can be read.
    /// Reads the whole file.
    package func check() throws -> [String] {
        try onReader { database in
            var findings = try String.fetchAll(database, sql: "PRAGMA integrity_check(100)").filter { $0 != "ok" }
            var next = try Counter.trimmed.value(in: database) + 1
            try LogTable.forEachCommit(from: 1, in: database) { first, count, _, bytes in
                if first != next {
                    findings.append("the log goes on with change \(first) where \(next) should be")
                }
                next = first + Int64(count)
                do throws(CodecFault) {
                    let found = try ChangeCodec.decode(bytes).count
                    if found != count { findings.append("the commit at change \(first) has \(found), not \(count)") }
                } catch {
                    findings.append("the commit at change \(first) cannot be read: \(error)")
                }
                return findings.count < 100
            }
            return findings
        }
    }
}
