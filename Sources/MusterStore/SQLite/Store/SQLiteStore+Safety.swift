import GRDB
package import MusterCore
import MusterDocuments

/// Reads and writes safety, declarations, incidents, their rolls, and the audit log.
extension SQLiteStore {
    package func safety() throws -> [(user: UserNumber, safety: Safety)] {
        try onReader { database in
            try Row.fetchAll(database, sql: "SELECT * FROM safety ORDER BY person").map { row in
                let safety = Safety(
                    state: try row.choice("state"), since: try row.instant("since"),
                    region: try row.optionalNumber("region"), source: try row.source(),
                    acknowledgedBy: try row.optionalNumber("acknowledged_by"),
                    doubt: (try row.optional("doubt") as UInt8?).flatMap { Doubt(rawValue: $0) })
                return (try row.number("person"), safety)
            }
        }
    }

    package func declared() throws -> [(user: UserNumber, declared: Declared)] {
        try onReader { database in
            try Row.fetchAll(database, sql: "SELECT * FROM declared ORDER BY person").map { row in
                let declared = try row.decode("declared") { reader throws(CodecError) in try reader.declared() }
                return (try row.number("person"), declared)
            }
        }
    }

    package func declarations(
        of subject: UserNumber, after cursor: DeclarationKey?, limit: Int
    ) throws -> [KeptDeclaration] {
        guard limit > 0 else { return [] }
        return try onReader {
            try DeclarationTable.fetch(of: subject, after: cursor, limit: limit, in: $0)
        }
    }

    package func incident(_ number: IncidentNumber) throws -> Incident? {
        try onReader { try IncidentTable.fetch("number = ?", [number.rawValue], in: $0).first }
    }

    package func openIncidents() throws -> [Incident] {
        try onReader { try IncidentTable.fetch("is_open ORDER BY number", [], in: $0) }
    }

    package func incidents(
        of team: TeamNumber?, before cursor: IncidentNumber?, limit: Int
    ) throws -> [Incident] {
        guard limit > 0 else { return [] }
        let condition = "number < ? AND (? IS NULL OR team = ?) ORDER BY number DESC LIMIT ?"
        return try onReader { database in
            try IncidentTable.fetch(
                condition, [cursor.map { Int64($0.rawValue) } ?? .max, team?.rawValue, team?.rawValue, limit],
                in: database)
        }
    }

    package func record(of incident: IncidentNumber, after cursor: Int64, limit: Int) throws -> [RecordLine] {
        guard limit > 0 else { return [] }
        return try onReader { database in
            try IncidentTable.lines(
                "incident = ? AND number > ? ORDER BY number LIMIT ?", [incident.rawValue, cursor, limit],
                in: database)
        }
    }

    package func roll(of incident: IncidentNumber) throws -> [IncidentEntry] {
        try onReader { try IncidentTable.roll(of: incident, in: $0) }
    }

    package func milestones(of incident: IncidentNumber, limit: Int) throws -> [IncidentEntry] {
        guard limit > 0 else { return [] }
        return try onReader { try IncidentTable.milestones(of: incident, limit: limit, in: $0) }
    }

    package func parLines(of incident: IncidentNumber, limit: Int) throws -> [IncidentEntry] {
        guard limit > 0 else { return [] }
        return try onReader { database in
            try IncidentTable.lines(of: incident, limit: limit, in: database, \.isPAR)
        }
    }

    package func crews(of incident: IncidentNumber) throws -> [UserNumber: String] {
        try onReader { try CrewTable.crews(of: incident, in: $0) }
    }

    package func displayNames(of incident: IncidentNumber) throws -> [UserNumber: String] {
        try onReader { try DisplayNames.fetch(of: incident, in: $0) }
    }

    package func audit(before cursor: LogSequence?, limit: Int, withDetails: Bool) throws -> [AuditEntry] {
        guard limit > 0 else { return [] }
        return try onReader { try AuditTable.fetch(before: cursor, limit: limit, withDetails: withDetails, in: $0) }
    }
}

extension Row {
    /// Reads the source of a safety; nil in a row of an earlier version.
    fileprivate func source() throws -> Safety.Source? {
        guard let number = try optional("source") as UInt8? else { return nil }
        guard let source = SafetySourceCode(number: number, markedBy: try optionalNumber("marked_by")).source else {
            throw CodecError.malformed(offset: 0)
        }
        return source
    }
}

extension SQLiteTransaction {
    func setSafety(_ safety: Safety, of user: UserNumber) throws {
        let code = SafetySourceCode(safety.source)
        try execute(
            """
            INSERT INTO safety (person, state, since, region, source, marked_by, acknowledged_by, doubt)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (person) DO UPDATE SET
                state = excluded.state, since = excluded.since, region = excluded.region, source = excluded.source,
                marked_by = excluded.marked_by, acknowledged_by = excluded.acknowledged_by,
                doubt = excluded.doubt
            """,
            [
                user.rawValue, safety.state.rawValue, safety.since.milliseconds, safety.region?.rawValue, code.number,
                code.markedBy?.rawValue, safety.acknowledgedBy?.rawValue, safety.doubt?.rawValue,
            ])
    }

    func setDeclared(_ declared: Declared, of user: UserNumber) throws {
        var writer = ByteWriter()
        writer.put(declared)
        try execute(
            """
            INSERT INTO declared (person, declared) VALUES (?, ?) ON CONFLICT (person)
            DO UPDATE SET declared = excluded.declared
            """, [user.rawValue, Blob(writer.bytes)])
    }

    func holds(_ declaration: Declaration) throws -> Bool {
        try run {
            try Bool.fetchOne(
                database, sql: "SELECT EXISTS (SELECT 1 FROM declarations WHERE subject = ? AND id = ?)",
                arguments: [declaration.subject.rawValue, declaration.id]) ?? false
        }
    }

    func incident(_ number: IncidentNumber) throws -> Incident? {
        try run { try IncidentTable.fetch("number = ?", [number.rawValue], in: database).first }
    }

    func roll(of incident: IncidentNumber) throws -> [IncidentEntry] {
        try run { try IncidentTable.roll(of: incident, in: database) }
    }

    func milestones(of incident: IncidentNumber, limit: Int) throws -> [IncidentEntry] {
        guard limit > 0 else { return [] }
        return try run { try IncidentTable.milestones(of: incident, limit: limit, in: database) }
    }

    func incident(of team: TeamNumber, startedAs id: String) throws -> Incident? {
        try run {
            try IncidentTable.fetch("team = ? AND start_id = ?", [team.rawValue, id], in: database).first
        }
    }

    func line(of incident: IncidentNumber, sentAs id: String) throws -> IncidentEntry? {
        try run {
            try IncidentTable.lines("incident = ? AND id = ? LIMIT 1", [incident.rawValue, id], in: database).first?
                .entry
        }
    }

    func nextIncidentNumber() throws -> IncidentNumber { try numbers.next(\.incident) }

    func append(_ entry: IncidentEntry) throws { try run { try IncidentTable.append(entry, in: database) } }

    func setDisplayNames(_ names: [UserNumber: String?], of incident: IncidentNumber) throws {
        try run { try DisplayNames.set(names, of: incident, in: database) }
    }

    func setCrews(_ crews: [UserNumber: String], of incident: IncidentNumber) throws {
        try run { try CrewTable.setCrews(crews, of: incident, in: database) }
    }

    func append(_ entry: AuditEntry) throws { try run { try AuditTable.append(entry, in: database) } }
}
