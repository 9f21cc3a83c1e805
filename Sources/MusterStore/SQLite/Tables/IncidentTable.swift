import GRDB
import MusterCore
import MusterDocuments
import MusterGeometry

/// The rows of incidents and of the lines of their records.
enum IncidentTable {
    /// What lines about PAR and handovers say, how often a team's incidents request PAR, and the senders' ids of
    /// requests, by which a repeated one is known.
    static let course = """
        ALTER TABLE teams ADD COLUMN par_every_seconds REAL;
        ALTER TABLE incidents ADD COLUMN start_id TEXT;
        CREATE INDEX incidents_by_start_id ON incidents (team, start_id) WHERE start_id IS NOT NULL;
        ALTER TABLE incident_changes ADD COLUMN detail BLOB;
        ALTER TABLE incident_changes ADD COLUMN id TEXT;
        CREATE INDEX incident_changes_by_id ON incident_changes (incident, id) WHERE id IS NOT NULL;
        """

    /// How many lines with what was said about a person a roll is made from, the newest ones.
    private static let saidLimit = 4 * Roll.wordLimit

    static func put(_ incident: Incident, in database: Database) throws {
        var writer = ByteWriter()
        writer.put(incident)
        try database.cachedStatement(
            sql: """
                INSERT INTO incidents (number, team, is_open, incident, start_id) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (number) DO UPDATE SET is_open = excluded.is_open, incident = excluded.incident
                """
        ).execute(arguments: [
            incident.number.rawValue, incident.team.rawValue, incident.isOpen, Blob(writer.bytes), incident.startID,
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
                    incident, at, person, event, safety, latitude, longitude, seen_at, author, note, name, detail, id)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            entry.incident.rawValue, entry.at.milliseconds, entry.person.rawValue, entry.event.rawValue,
            Blob(writer.bytes), entry.lastSeen?.coordinate.latitude, entry.lastSeen?.coordinate.longitude,
            entry.lastSeen?.sampleTime.milliseconds, entry.author?.rawValue, entry.note, entry.name,
            entry.detail.map { detail in Blob(ByteWriter.bytes { $0.put(detail) }) }, entry.id,
        ])
    }

    /// Returns the lines that say who is on the roll of an incident, the newest line of each person and their first one
    /// as accounted for after each opening, each mark by hand of those without a user, what was last said about each,
    /// those of the newest PAR, the one that last set its timer, and the last reopening, in their order.
    static func roll(of incident: IncidentNumber, in database: Database) throws -> [IncidentEntry] {
        let condition = """
            incident = ?1 AND (
                (event NOT IN (\(list { $0.isMilestone || $0 == .declared }))
                    AND (event <> ?2 OR coalesce(detail, author, name) IS NOT NULL))
                OR number IN
                    (SELECT max(number) FROM incident_changes WHERE incident = ?1 AND person <> ?3 GROUP BY person)
                OR number IN (SELECT number FROM
                    (SELECT number, row_number() OVER (PARTITION BY person ORDER BY number DESC) AS place
                    FROM incident_changes WHERE incident = ?1 AND event = ?7) WHERE place <= ?8)
                OR (person = ?3 AND event IN (\(list { $0.isPAR && $0 != .parTimerSet })) AND number >=
                    (SELECT max(number) FROM incident_changes WHERE incident = ?1 AND person = ?3 AND event = ?4))
                OR number =
                    (SELECT max(number) FROM incident_changes WHERE incident = ?1 AND person = ?3 AND event = ?5)
                OR number =
                    (SELECT max(number) FROM incident_changes WHERE incident = ?1 AND person = ?3 AND event = ?6)
            ) ORDER BY number
            """
        return try lines(
            condition,
            [
                incident.rawValue, IncidentEntry.Event.changed.rawValue, IncidentEntry.nobody.rawValue,
                IncidentEntry.Event.parRequested.rawValue, IncidentEntry.Event.parTimerSet.rawValue,
                IncidentEntry.Event.reopened.rawValue, IncidentEntry.Event.declared.rawValue, saidLimit,
            ], in: database
        ).map(\.entry)
    }

    /// Returns the lines about the incident itself whose events `isWanted` wants, in their order, at most `limit`.
    static func lines(
        of incident: IncidentNumber, limit: Int, in database: Database, _ isWanted: (IncidentEntry.Event) -> Bool
    ) throws -> [IncidentEntry] {
        try lines(
            "incident = ? AND person = ? AND event IN (\(list(isWanted))) ORDER BY number LIMIT ?",
            [incident.rawValue, IncidentEntry.nobody.rawValue, limit], in: database
        ).map(\.entry)
    }

    /// Returns the lines about the incident itself that are not about PAR, in their order, at most `limit`.
    static func milestones(
        of incident: IncidentNumber, limit: Int, in database: Database
    ) throws -> [IncidentEntry] {
        try lines(of: incident, limit: limit, in: database) { $0.isMilestone && !$0.isPAR }
    }

    private static func list(_ isWanted: (IncidentEntry.Event) -> Bool) -> String {
        IncidentEntry.Event.allCases.filter(isWanted).map { String($0.rawValue) }.joined(separator: ",")
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
                name: try row.optional("name"),
                detail: try row.decodeOptional("detail") { reader throws(CodecError) in try reader.incidentDetail() },
                id: try row.optional("id"))
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
