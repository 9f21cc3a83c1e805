import Foundation
import GRDB
import MusterDocuments

/// The result of checking a whole store.
package struct Examination: Sendable {
    /// A line of text for each finding; empty if there is no damage.
    package fileprivate(set) var findings: [String] = []
    /// The numbers of rows, pages and other parts that were read and verified, each with the name of the part.
    package fileprivate(set) var verified: [String] = []
}

extension SQLiteStore {
    private static let mostFindings = 100

    /// Checks the store of a folder for damage, even if it cannot be opened. Reads the whole file, and changes nothing.
    ///
    /// - Throws: `StoreError.missing`, `.lost`, `.tooNew`; `.corrupt` for a file that is not a store; `.unavailable`.
    package static func examine(in directory: String) throws -> Examination {
        let path = directory + "/" + fileName
        try requireDatabase(in: directory)
        guard FileManager.default.fileExists(atPath: path) else { throw StoreError.missing(path: path) }
        return try examine(path)
    }

    /// Checks a file: first the checksum of every page, then SQLite's `integrity_check`, then that the log has no gap,
    /// and that every change and position can be decoded.
    ///
    /// - Throws: as `examine(in:)`.
    static func examine(_ path: String) throws -> Examination {
        try PageChecksums.install()
        var examination = Examination()
        if PageChecksums.areClaimed(by: path) {
            let scan = try PageScan(of: path)
            examination.verified.append("\(scan.count) pages")
            if !scan.damaged.isEmpty { examination.findings = DamagedContents(of: scan.damaged, in: path).findings }
            guard examination.findings.isEmpty else { return examination }
        } else if try DataFile.size(of: path) > 0 {
            examination.findings.append("its pages have no checksums: the server adds them when it opens the file")
        }
        try StoreError.naming(path) {
            let queue = try PageChecksums.openForReading(path)
            try queue.read { database in
                try Schema.version(of: database, path: path)
                examination.findings += try String.fetchAll(database, sql: "PRAGMA integrity_check(\(mostFindings))")
                    .filter { $0 != "ok" }
                guard examination.findings.count < mostFindings else { return }
                try examineLog(&examination, in: database)
                try examineHistory(&examination, in: database)
                let documents = try Int.fetchOne(database, sql: "SELECT count(*) FROM documents") ?? 0
                examination.verified.append("\(documents) documents")
            }
            try queue.close()
        }
        return examination
    }

    private static func examineLog(_ examination: inout Examination, in database: Database) throws {
        var next = try Counter.trimmed.value(in: database) + 1
        var commits = 0
        try LogTable.forEachCommit(from: 1, in: database) { first, count, _, bytes in
            commits += 1
            if first != next {
                examination.findings.append("the log continues with change \(first) instead of \(next)")
            }
            next = first + Int64(count)
            do throws(CodecError) {
                let found = try ChangeCodec.decode(bytes).count
                if found != count {
                    examination.findings.append("the commit at change \(first) has \(found) changes, not \(count)")
                }
            } catch {
                examination.findings.append("the commit at change \(first) cannot be read: \(error)")
            }
            return examination.findings.count < mostFindings
        }
        examination.verified.append("\(commits) commits up to change \(next - 1)")
    }

    private static func examineHistory(_ examination: inout Examination, in database: Database) throws {
        let statement = try RawStatement("SELECT number, count, positions FROM history", in: database)
        defer { statement.reset() }
        var (blocks, positions) = (0, 0)
        while try statement.step(), examination.findings.count < mostFindings {
            let found = try? statement.withBlob(2) { bytes in
                var reader = ByteReader(bytes)
                var count = 0
                while !reader.isAtEnd {
                    _ = try reader.position()
                    count += 1
                }
                return count
            }
            blocks += 1
            positions += found ?? 0
            guard let found, Int64(found) == statement.integer(1) else {
                examination.findings.append("block \(statement.integer(0)) of the history cannot be read")
                continue
            }
        }
        examination.verified.append("\(positions) positions in \(blocks) blocks")
    }
}
