import Foundation
import GRDB
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
