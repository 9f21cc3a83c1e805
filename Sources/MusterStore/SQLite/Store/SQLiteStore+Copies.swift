import Foundation
import GRDB

/// Backup, and the check of the file for damage.
extension SQLiteStore {
    package func backup(to path: String) throws {
        try copy(to: path)
        let mark = URL(fileURLWithPath: self.path).deletingLastPathComponent().appending(path: Self.backupMark)
        // The backup counts even if this fails: a user who may only read the folder can make backups, too, which the
        // metrics do not know.
        DataFile.touch(mark.path)
    }

    private func copy(to path: String) throws {
        if isForeign { _ = try StoreError.naming(self.path) { try Self.inspect(self.path) } }
        // Only a whole and checked copy gets the name that the caller chose.
        let place = URL(fileURLWithPath: path)
        let folder = place.deletingLastPathComponent()
        let unfinished = folder.appending(path: ".\(place.lastPathComponent).unfinished-\(getpid())").path
        guard !DataFile.exists(place.path) else {
            throw StoreError.backup(path: path, reason: DataFile.describe(EEXIST))
        }
        let refusal = DataFile.create(unfinished, exclusively: true)
        guard refusal == 0 else { throw StoreError.backup(path: path, reason: DataFile.describe(refusal)) }
        do {
            let copy = try DatabaseQueue(path: unfinished)
            try copy.writeWithoutTransaction { try PageChecksums.claim(in: $0) }
            try pool.backup(to: copy)
            // Makes the copy one file, with no log beside it that a person could forget.
            try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
            try copy.close()
            let findings = try Self.examine(unfinished).findings
            guard findings.isEmpty else { throw StoreError.backup(path: path, reason: Self.sentence(findings)) }
            var refusal = DataFile.synchronise(unfinished)
            if refusal == 0 { refusal = DataFile.rename(unfinished, toFree: place.path) }
            if refusal == 0 { refusal = DataFile.synchronise(folder.path) }
            guard refusal == 0 else { throw StoreError.backup(path: path, reason: DataFile.describe(refusal)) }
        } catch {
            for suffix in ["", "-journal"] { try? FileManager.default.removeItem(atPath: unfinished + suffix) }
            if let error = error as? StoreError { throw error }
            throw StoreError.backup(path: path, reason: reason(for: error))
        }
    }

    /// Returns why a copy failed; if a page could not be read, what the page held.
    private func reason(for error: any Error) -> String {
        guard let error = error as? DatabaseError else { return String(describing: error) }
        guard error.extendedResultCode.rawValue == PageChecksums.mismatch,
            let findings = try? Self.examine(path).findings, !findings.isEmpty
        else { return error.cause }
        return "\(path) is damaged: " + Self.sentence(findings)
    }

    private static func sentence(_ findings: [String]) -> String {
        findings.prefix(10).joined(separator: "; ") + (findings.count > 10 ? "; and more" : "")
    }

    package func check() throws -> [String] { try Self.examine(path).findings }

    package var knownDamage: [String] {
        damageAtOpening + DamagedPages.found.pages(of: path).sorted().map { "page \($0)" }
    }

    /// Calls `listener` with the damage found when the store was opened, and later with each damaged page that a read
    /// finds, once for each page, on the thread of the read.
    package func onDamage(_ listener: @escaping @Sendable (String) -> Void) {
        let path = path
        for finding in damageAtOpening { listener("\(path): \(finding)") }
        DamagedPages.found.listen(to: path) { listener("\(path): page \($0) does not match its checksum") }
    }
}
