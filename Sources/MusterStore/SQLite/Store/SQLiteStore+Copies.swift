import Foundation
import GRDB
import MusterDocuments

/// Backup, and the check of the file for damage.
extension SQLiteStore {
    package func backup(to path: String) throws {
        try copy(to: path)
        let mark = URL(fileURLWithPath: self.path).deletingLastPathComponent().appending(path: Self.backupMark)
        // The backup counts even if this fails: a user who may only read the folder can make backups, too, which the
        // metrics do not know.
        try? Data().write(to: mark)
    }

    private func copy(to path: String) throws {
        if isForeign { _ = try StoreError.naming(self.path) { try Self.inspect(self.path) } }
        let refusal = DataFile.create(path, exclusively: true)
        guard refusal == 0 else { throw StoreError.backup(path: path, reason: DataFile.describe(refusal)) }
        do {
            let copy = try DatabaseQueue(path: path)
            try copy.writeWithoutTransaction { try PageChecksums.claim(in: $0) }
            try pool.backup(to: copy)
            // Makes the copy one file, with no log beside it that a person could forget.
            try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
            try copy.close()
            for path in [path, URL(fileURLWithPath: path).deletingLastPathComponent().path] {
                let refusal = DataFile.synchronise(path)
                guard refusal == 0 else { throw StoreError.backup(path: path, reason: DataFile.describe(refusal)) }
            }
            let findings = try Self.examine(path).findings
            guard findings.isEmpty else { throw StoreError.backup(path: path, reason: Self.sentence(findings)) }
        } catch {
            try? FileManager.default.removeItem(atPath: path)
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

    /// Returns the value of a pragma on the writing connection, for `muster doctor` and the tests.
    package func setting(_ pragma: String) throws -> String {
        try onWriter { try String.fetchOne($0, sql: "PRAGMA \(pragma)") ?? "" }
    }

    /// Changes the largest size of the file; see `Options.pageLimit`.
    package func makeRoom(pages: Int) throws {
        try onWriter { try $0.execute(sql: "PRAGMA max_page_count = \(pages)") }
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
