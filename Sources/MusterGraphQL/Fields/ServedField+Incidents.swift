import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// The fields of incidents and their rolls.
extension ServedField {
    static let incidents = [
        fields(of: "Incident", { $0.asIncident }, incident),
        fields(of: "RollEntry", { $0.asRollEntry }, rollEntry),
    ].flatMap { $0 }

    private static let incident: [String: Field<Incident>] = [
        "id": .value({ $0.mayRead($1) }) { incident, _ in .string(GlobalID.incident(incident.number).text) },
        "number": .value({ $0.mayRead($1) }) { incident, _ in .integer(Int64(incident.number.rawValue)) },
        "kind": .value({ $0.mayRead($1) }) { incident, _ in .string(incident.kind == .drill ? "DRILL" : "REAL") },
        "team": .object({ $0.mayRead($1) }) { incident, operation in
            operation.directory.teams[incident.team].map { .team($0) }
        },
        "openedAt": .value({ $0.mayRead($1) }) { incident, _ in .string(incident.startedAt.rfc3339) },
        "closedAt": .value({ $0.mayRead($1) }) { incident, _ in incident.closing.map { .string($0.at.rfc3339) } },
        "note": .value({ $0.mayRead($1) }) { incident, _ in incident.note.map { .string($0) } },
        "roll": .batch({ $0.mayRead($1) }) { incidents, _, operation in
            let directory = operation.directory
            return try await rolls(of: incidents, operation).map { roll in
                let present = roll.people.filter { $0.takenOff == nil }
                try operation.spend(present.count)
                return .list(
                    present.map { person in
                        let entry = RollEntry(
                            name: person.user, person: directory.users[person.number], safety: person.safety.safety)
                        return .object(.rollEntry(entry), type: nil)
                    })
            }
        },
        "missingCount": .batch({ $0.mayReadRoll(of: $1) }) { incidents, _, operation in
            try await rolls(of: incidents, operation).map { roll in
                let missing = roll.people.count { $0.takenOff == nil && !$0.safety.safety.isAccounted }
                return .value(.integer(Int64(missing)))
            }
        },
    ]

    private static func rolls(of incidents: [Incident], _ operation: OperationContext) async throws -> [NamedRoll] {
        guard incidents.count <= rollLimit else {
            throw GraphQLFieldFault.tooMuch("The rolls of at most \(rollLimit) incidents are read at a time.")
        }
        var rolls: [NamedRoll] = []
        for incident in incidents { rolls.append(try await operation.roll(of: incident)) }
        return rolls
    }

    /// How many rolls one field reads.
    private static let rollLimit = 20

    /// An entry comes from a field that the caller may read.
    private static let rollEntry: [String: Field<RollEntry>] = [
        "name": .value({ _, _ in true }) { entry, _ in .string(entry.name) },
        "person": .object({ access, entry in entry.person.map { access.mayKnow($0) } ?? true }) { entry, _ in
            entry.person.map { .person($0) }
        },
        "safety": .value({ _, _ in true }) { entry, _ in .string(entry.safety.served) },
        "since": .value({ _, _ in true }) { entry, _ in
            entry.safety.since.milliseconds == 0 ? nil : .string(entry.safety.since.rfc3339)
        },
    ]

    // MARK: Lists

    /// Reads pages of incidents, newest first, in one read of the store.
    static func incidents(
        of reaches: [IncidentReach], _ arguments: FieldArguments, _ operation: OperationContext
    ) async throws -> [Resolved] {
        let paging = try Paging(arguments)
        let cursor = paging.after == nil ? nil : IncidentNumber(try paging.number)
        let openOnly = arguments["openOnly"]?.boolean ?? false
        try operation.spend(reaches.count * (paging.first + 1))
        let access = operation.access
        let limit = paging.first + 1
        let found = try await operation.read { store in
            let open = openOnly ? try store.openIncidents().sorted { $0.number > $1.number } : []
            return try reaches.map { reach in
                if openOnly {
                    let later = open.filter { incident in
                        reach.includes(incident) && access.mayRead(incident)
                            && (cursor.map { incident.number < $0 } ?? true)
                    }
                    return Array(later.prefix(limit))
                }
                switch reach {
                case .none: return []
                case .all:
                    // Those of removed teams, which not everyone of this reach may read, take no place on a page.
                    var kept: [Incident] = []
                    var begin = cursor
                    while kept.count < limit {
                        let next = try store.incidents(of: nil, before: begin, limit: limit)
                        kept += next.filter { access.mayRead($0) }
                        guard next.count == limit, let last = next.last else { break }
                        begin = last.number
                    }
                    return Array(kept.prefix(limit))
                case .team(let team): return try store.incidents(of: team, before: cursor, limit: limit)
                }
            }
        }
        return found.map { incidents in
            Connection(read: incidents.filter { access.mayRead($0) }, paging) { .incident($0) }.resolved
        }
    }
}
