import GRDB
import MusterCore
import MusterDocuments

// The tables of declarations and of the audit log.

/// The rows of declarations.
enum DeclarationTable {
    static func insert(_ declaration: Declaration, isCurrent: Bool, in database: Database) throws {
        var writer = ByteWriter()
        writer.put(declaration)
        try database.cachedStatement(
            sql: """
                INSERT INTO declarations (subject, id, sample_time, is_current, declaration) VALUES (?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            declaration.subject.rawValue, declaration.id, declaration.sampleTime.milliseconds, isCurrent,
            Blob(writer.bytes),
        ])
    }

    static func fetch(
        of subject: UserNumber, after cursor: DeclarationKey?, limit: Int, in database: Database
    ) throws -> [KeptDeclaration] {
        try Row.fetchAll(
            database,
            sql: """
                SELECT is_current, declaration FROM declarations WHERE subject = ? AND (sample_time, id) > (?, ?)
                ORDER BY sample_time, id LIMIT ?
                """,
            arguments: [
                subject.rawValue, cursor?.sampleTime.milliseconds ?? .min, cursor?.id ?? "", limit,
            ]
        ).map { row in
            KeptDeclaration(
                try row.decode("declaration") { reader throws(CodecError) in try reader.declaration() },
                isCurrent: try row.value("is_current"))
        }
    }

    /// Deletes at most `limit` declarations with a sample time before `horizon`, oldest first; returns how many it
    /// deleted.
    static func delete(before horizon: Instant, limit: Int, in database: Database) throws -> Int {
        try database.cachedStatement(
            sql: """
                DELETE FROM declarations WHERE (subject, id) IN
                    (SELECT subject, id FROM declarations WHERE sample_time < ? ORDER BY sample_time LIMIT ?)
                """
        ).execute(arguments: [horizon.milliseconds, limit])
        return database.changesCount
    }
}

/// The rows of audit entries.
enum AuditTable {
    /// The users of the operating system who used the command line.
    static let operators = "ALTER TABLE audit ADD COLUMN operator TEXT;\n"
    /// What edits changed, as JSON.
    static let details = "ALTER TABLE audit ADD COLUMN details TEXT;\n"

    static func append(_ entry: AuditEntry, in database: Database) throws {
        var codec = ChangeCodec()
        codec.put(entry.change)
        try database.cachedStatement(
            sql: """
                INSERT INTO audit (sequence, at, author, device, operator, change, details) VALUES (?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            entry.sequence.rawValue, entry.at.milliseconds, entry.author.rawValue, entry.device?.rawValue,
            entry.operatorName, Blob(codec.bytes), entry.details,
        ])
        try database.cachedStatement(
            sql: """
                DELETE FROM audit WHERE sequence IN (SELECT sequence FROM audit ORDER BY sequence LIMIT ?) AND at < ?
                """
        ).execute(arguments: [
            AuditEntry.forgottenAtOnce, entry.at.advanced(bySeconds: -AuditEntry.keptSeconds).milliseconds,
        ])
    }

    static func fetch(
        before cursor: LogSequence?, limit: Int, withDetails: Bool, in database: Database
    ) throws -> [AuditEntry] {
        let details = withDetails ? "details" : "NULL AS details"
        return try Row.fetchAll(
            database,
            sql: """
                SELECT sequence, at, author, device, operator, change, \(details) FROM audit
                WHERE sequence < ? ORDER BY sequence DESC LIMIT ?
                """,
            arguments: [cursor?.rawValue ?? .max, limit]
        ).map { row in
            let blob: Blob = try row.value("change")
            let changes = try blob.bytes.withUnsafeBytes { try ChangeCodec.decode($0) }
            guard let change = changes.first ?? nil else { throw CodecError.malformed(offset: 0) }
            return AuditEntry(
                sequence: LogSequence(try row.value("sequence")), at: try row.instant("at"),
                author: try row.number("author"), device: try row.optionalNumber("device"),
                operatorName: row["operator"] as String?, change: change, details: row["details"] as String?)
        }
    }
}
