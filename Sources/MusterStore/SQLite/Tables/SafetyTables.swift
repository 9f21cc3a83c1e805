import GRDB
import MusterCore
import MusterDocuments
import MusterGeometry

// The tables of declarations, incidents with their records, and the audit log.

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

/// The rows of incidents and of the lines of their records.
enum IncidentTable {
    static func put(_ incident: Incident, in database: Database) throws {
        var writer = ByteWriter()
        writer.put(incident)
        try database.cachedStatement(
            sql: """
                INSERT INTO incidents (number, team, is_open, incident) VALUES (?, ?, ?, ?) ON CONFLICT (number)
                DO UPDATE SET is_open = excluded.is_open, incident = excluded.incident
                """
        ).execute(arguments: [
            incident.number.rawValue, incident.team.rawValue, incident.isOpen, Blob(writer.bytes),
        ])
    }

    static func fetch(
        _ condition: String, _ arguments: StatementArguments, in database: Database
    ) throws -> [Incident] {
        try Row.fetchAll(
            database, sql: "SELECT incident FROM incidents WHERE \(condition)", arguments: arguments
        ).map { try $0.decode("incident") { reader throws(CodecError) in try reader.incident() } }
    }

    static func append(_ entry: IncidentEntry, in database: Database) throws {
        var writer = ByteWriter()
        writer.put(entry.safety)
        try database.cachedStatement(
            sql: """
                INSERT INTO incident_changes (
                    incident, at, person, event, safety, latitude, longitude, seen_at, author, note, name)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            entry.incident.rawValue, entry.at.milliseconds, entry.person.rawValue, entry.event.rawValue,
            Blob(writer.bytes), entry.lastSeen?.coordinate.latitude, entry.lastSeen?.coordinate.longitude,
            entry.lastSeen?.sampleTime.milliseconds, entry.author?.rawValue, entry.note, entry.name,
        ])
    }

    /// Returns the lines that say who is on the roll of an incident, and the newest line of each person, in their
    /// order.
    static func roll(of incident: IncidentNumber, in database: Database) throws -> [IncidentEntry] {
        let milestones = IncidentEntry.Event.allCases.filter(\.isMilestone).map { String($0.rawValue) }
        let condition = """
            incident = ?1 AND event NOT IN (\(milestones.joined(separator: ","))) AND (event <> ?2 OR number IN
                (SELECT max(number) FROM incident_changes WHERE incident = ?1 GROUP BY person)) ORDER BY number
            """
        return try lines(
            condition, [incident.rawValue, IncidentEntry.Event.changed.rawValue], in: database
        ).map(\.entry)
    }

    static func lines(
        _ condition: String, _ arguments: StatementArguments, in database: Database
    ) throws -> [RecordLine] {
        try Row.fetchAll(
            database, sql: "SELECT * FROM incident_changes WHERE \(condition)", arguments: arguments
        ).map { row in
            var entry = IncidentEntry(
                incident: try row.number("incident"), at: try row.instant("at"), person: try row.number("person"),
                event: try row.choice("event"),
                safety: try row.decode("safety") { reader throws(CodecError) in try reader.safety() }, lastSeen: nil,
                author: try row.optionalNumber("author"), note: try row.optional("note"),
                name: try row.optional("name"))
            if let latitude: Double = try row.optional("latitude"),
                let longitude: Double = try row.optional("longitude"), let seenAt = try row.optionalInstant("seen_at")
            {
                entry.lastSeen = LastSeen(
                    coordinate: Coordinate(validLatitude: latitude, longitude: longitude), sampleTime: seenAt)
            }
            return RecordLine(place: try row.value("number"), entry: entry)
        }
    }
}

/// The rows of audit entries.
enum AuditTable {
    /// The users of the operating system who used the command line.
    static let operators = "ALTER TABLE audit ADD COLUMN operator TEXT;\n"

    static func append(_ entry: AuditEntry, in database: Database) throws {
        var codec = ChangeCodec()
        codec.put(entry.change)
        try database.cachedStatement(
            sql: "INSERT INTO audit (sequence, at, author, device, operator, change) VALUES (?, ?, ?, ?, ?, ?)"
        ).execute(arguments: [
            entry.sequence.rawValue, entry.at.milliseconds, entry.author.rawValue, entry.device?.rawValue,
            entry.operatorName, Blob(codec.bytes),
        ])
        try database.cachedStatement(
            sql: """
                DELETE FROM audit WHERE sequence IN (SELECT sequence FROM audit ORDER BY sequence LIMIT ?) AND at < ?
                """
        ).execute(arguments: [
            AuditEntry.forgottenAtOnce, entry.at.advanced(bySeconds: -AuditEntry.keptSeconds).milliseconds,
        ])
    }

    static func fetch(before cursor: LogSequence?, limit: Int, in database: Database) throws -> [AuditEntry] {
        try Row.fetchAll(
            database, sql: "SELECT * FROM audit WHERE sequence < ? ORDER BY sequence DESC LIMIT ?",
            arguments: [cursor?.rawValue ?? .max, limit]
        ).map { row in
            let blob: Blob = try row.value("change")
            let changes = try blob.bytes.withUnsafeBytes { try ChangeCodec.decode($0) }
            guard let change = changes.first ?? nil else { throw CodecError.malformed(offset: 0) }
            return AuditEntry(
                sequence: LogSequence(try row.value("sequence")), at: try row.instant("at"),
                author: try row.number("author"), device: try row.optionalNumber("device"),
                operatorName: row["operator"] as String?, change: change)
        }
    }
}
