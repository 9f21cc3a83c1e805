package import MusterCore
package import MusterStore
import Synchronization

extension MemoryStore {
    package func declared() throws -> [(user: UserNumber, declared: Declared)] {
        contents.withLock { $0.declared }.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
    }

    package func declarations(
        of subject: UserNumber, after cursor: DeclarationKey?, limit: Int
    ) throws -> [KeptDeclaration] {
        let all = contents.withLock { $0.declarations[subject] ?? [] }
        let wanted = all.lazy.filter { cursor?.precedes(DeclarationKey($0.declaration)) ?? true }
        return Array(wanted.prefix(max(0, limit)))
    }

    package func incident(_ number: IncidentNumber) throws -> Incident? {
        contents.withLock { $0.incidents[number] }
    }

    package func openIncidents() throws -> [Incident] {
        contents.withLock { $0.incidents }.values.filter(\.isOpen).sorted { $0.number < $1.number }
    }

    package func incidents(
        of team: TeamNumber?, before cursor: IncidentNumber?, limit: Int
    ) throws -> [Incident] {
        let wanted = contents.withLock { $0.incidents }.values.filter { incident in
            (team.map { incident.team == $0 } ?? true) && (cursor.map { incident.number < $0 } ?? true)
        }
        return Array(wanted.sorted { $1.number < $0.number }.prefix(max(0, limit)))
    }

    package func record(of incident: IncidentNumber, after cursor: Int64, limit: Int) throws -> [RecordLine] {
        let record = contents.withLock { $0.record }
        let lines = record.enumerated().lazy.map { RecordLine(place: Int64($0 + 1), entry: $1) }
        return Array(lines.filter { $0.entry.incident == incident && $0.place > cursor }.prefix(max(0, limit)))
    }

    package func roll(of incident: IncidentNumber) throws -> [IncidentEntry] {
        contents.withLock { $0.roll(of: incident) }
    }

    package func milestones(of incident: IncidentNumber, limit: Int) throws -> [IncidentEntry] {
        contents.withLock { $0.milestones(of: incident, limit: limit) }
    }

    package func parLines(of incident: IncidentNumber, limit: Int) throws -> [IncidentEntry] {
        contents.withLock { $0.lines(of: incident, limit: limit, \.isPAR) }
    }

    package func crews(of incident: IncidentNumber) throws -> [UserNumber: String] {
        contents.withLock { $0.incidentCrews[incident] ?? [:] }
    }

    package func displayNames(of incident: IncidentNumber) throws -> [UserNumber: String] {
        contents.withLock { $0.incidentNames[incident] ?? [:] }
    }

    package func audit(before cursor: LogSequence?, limit: Int, withDetails: Bool) throws -> [AuditEntry] {
        let audit = contents.withLock { $0.audit }
        let wanted = audit.reversed().lazy.filter { entry in cursor.map { entry.sequence < $0 } ?? true }
        return wanted.prefix(max(0, limit)).map { entry in
            var entry = entry
            if !withDetails { entry.details = nil }
            return entry
        }
    }
}

extension MemoryTransaction {
    func setDeclared(_ declared: Declared, of user: UserNumber) throws { edits.append { $0.declared[user] = declared } }

    func holds(_ declaration: Declaration) throws -> Bool {
        let (subject, id) = (declaration.subject, declaration.id)
        if declared[subject]?.contains(id) ?? false { return true }
        return store.contents.withLock { $0.declarations[subject]?.contains { $0.declaration.id == id } ?? false }
    }

    func incident(_ number: IncidentNumber) throws -> Incident? { try seen { $0.incidents[number] } }

    func roll(of incident: IncidentNumber) throws -> [IncidentEntry] { try seen { $0.roll(of: incident) } }

    func milestones(of incident: IncidentNumber, limit: Int) throws -> [IncidentEntry] {
        try seen { $0.milestones(of: incident, limit: limit) }
    }

    func incident(of team: TeamNumber, startedAs id: String) throws -> Incident? {
        try seen { contents in contents.incidents.values.first { $0.team == team && $0.startID == id } }
    }

    func line(of incident: IncidentNumber, sentAs id: String) throws -> IncidentEntry? {
        try seen { contents in contents.record.first { $0.incident == incident && $0.id == id } }
    }

    /// Reads the contents as the edits of this transaction would leave them. The log, documents and datasets stay as
    /// they were.
    private func seen<Value: Sendable>(_ read: (MemoryContents) -> Value) throws -> Value {
        var contents = store.contents.withLock { $0 }
        for edit in edits { edit(&contents) }
        return read(contents)
    }

    func nextIncidentNumber() throws -> IncidentNumber { try numbers.next(\.incident) }

    func append(_ entry: IncidentEntry) throws { edits.append { $0.record.append(entry) } }

    func setCrews(_ crews: [UserNumber: String], of incident: IncidentNumber) throws {
        edits.append { $0.incidentCrews[incident] = crews }
    }

    func setDisplayNames(_ names: [UserNumber: String?], of incident: IncidentNumber) throws {
        edits.append { contents in
            for (person, name) in names { contents.incidentNames[incident, default: [:]][person] = name }
        }
    }

    func append(_ entry: AuditEntry) throws {
        edits.append { contents in
            contents.audit.append(entry)
            let horizon = entry.at.advanced(bySeconds: -AuditEntry.keptSeconds)
            contents.audit.removeFirst(
                contents.audit.prefix(AuditEntry.forgottenAtOnce).prefix { $0.at < horizon }.count)
        }
    }
}

extension MemoryContents {
    /// The lines that put people on or off the roll of an incident, each person's newest line, those of the newest PAR,
    /// the one that last set its timer, and the last reopening, in order.
    func roll(of incident: IncidentNumber) -> [IncidentEntry] {
        let lines = record.filter {
            $0.incident == incident && (!$0.event.isMilestone || $0.event.isPAR || $0.event == .reopened)
        }
        var newest: [UserNumber: Int] = [:]
        for (place, line) in lines.enumerated() { newest[line.person] = place }
        let round = lines.lastIndex { $0.event == .parRequested } ?? lines.count
        let timer = lines.lastIndex { $0.event == .parTimerSet }
        let reopening = lines.lastIndex { $0.event == .reopened }
        return lines.enumerated().filter { place, line in
            if line.event == .parTimerSet { return place == timer }
            if line.event == .reopened { return place == reopening }
            if line.event.isPAR { return place >= round }
            return line.event != .changed || line.detail != nil || line.author != nil || line.name != nil
                || newest[line.person] == place
        }.map(\.element)
    }

    /// The lines about an incident itself that are not about PAR, in order, at most `limit`.
    func milestones(of incident: IncidentNumber, limit: Int) -> [IncidentEntry] {
        lines(of: incident, limit: limit) { $0.isMilestone && !$0.isPAR }
    }

    func lines(
        of incident: IncidentNumber, limit: Int, _ isWanted: (IncidentEntry.Event) -> Bool
    ) -> [IncidentEntry] {
        Array(record.filter { $0.incident == incident && isWanted($0.event) }.prefix(max(0, limit)))
    }

    mutating func insert(_ kept: KeptDeclaration) {
        var all = declarations.removeValue(forKey: kept.declaration.subject) ?? []
        let key = DeclarationKey(kept.declaration)
        all.insert(kept, at: all.partitioningIndex { key.precedes(DeclarationKey($0.declaration)) })
        declarations[kept.declaration.subject] = all
    }

    /// Deletes at most `limit` declarations older than the horizon. Returns their number.
    mutating func forgetDeclarations(before horizon: Instant, limit: Int) -> Int {
        var left = limit
        for subject in declarations.keys.sorted() where left > 0 {
            let all = declarations[subject] ?? []
            let count = min(left, all.partitioningIndex { $0.declaration.sampleTime >= horizon })
            declarations[subject] = count == all.count ? nil : Array(all.dropFirst(count))
            left -= count
        }
        return limit - left
    }
}

extension DeclarationKey {
    fileprivate func precedes(_ other: DeclarationKey) -> Bool {
        sampleTime == other.sampleTime
            ? id.utf8.lexicographicallyPrecedes(other.id.utf8) : sampleTime < other.sampleTime
    }
}
