import MusterCore
import MusterServer
import MusterWire

/// The fields of people, teams and crews.
extension ServedField {
    static let people = [
        fields(of: "Person", { $0.asPerson }, person),
        fields(of: "Team", { $0.asTeam }, team),
        fields(of: "Crew", { $0.asCrew }, crew),
    ].flatMap { $0 }

    private static let person: [String: Field<User>] = [
        "id": .value({ $0.mayKnow($1) }) { user, _ in .string(GlobalID.person(user.name).text) },
        "name": .value({ $0.mayKnow($1) }) { user, _ in .string(user.name) },
        "displayName": .value({ $0.mayKnow($1) }) { user, _ in user.displayName.map { .string($0) } },
        "role": .value({ $0.mayReadAccount(of: $1) }) { user, _ in .string(user.role.rawValue.uppercased()) },
        "team": .object({ access, user in
            user.team.flatMap { access.directory.teams[$0] }.map { access.mayRead($0) } ?? access.mayKnow(user)
        }) { user, operation in user.team.flatMap { operation.directory.teams[$0] }.map { .team($0) } },
        "crew": .object({ access, user in
            user.crew.flatMap { access.directory.crews[$0] }.map { access.mayRead($0) } ?? access.mayKnow(user)
        }) { user, operation in user.crew.flatMap { operation.directory.crews[$0] }.map { .crew($0) } },
        "email": .value({ $0.mayReadContacts(of: $1) }) { user, _ in user.email.map { .string($0) } },
        "phone": .value({ $0.mayReadContacts(of: $1) }) { user, _ in user.phone.map { .string($0) } },
        "safety": fact { .string($0.served) },
        "safetySince": fact { safety in
            safety.since.milliseconds == 0 ? nil : .string(safety.since.rfc3339)
        },
        "position": .batch({ $0.mayRead($1) }) { people, _, operation in
            let facts = try await operation.facts(of: people)
            return people.map { facts[$0.number]?.position.map { .object(.position($0), type: nil) } ?? .null }
        },
        "devices": .batch({ $0.mayRead($1) }) { people, _, operation in
            let directory = operation.directory
            return try people.map { person in
                let devices = directory.devices(of: person.number).compactMap { directory.devices[$0] }
                try operation.spend(devices.count)
                return .list(devices.map { ServedObject.device($0).resolved })
            }
        },
    ]

    /// A field of a person's safety.
    private static func fact(_ value: @escaping @Sendable (Safety) -> JSONValue?) -> Field<User> {
        .batch({ $0.mayRead($1) }) { people, _, operation in
            let safety = try await operation.safety(of: people)
            return people.map { safety[$0.number].flatMap(value).map { .value($0) } ?? .null }
        }
    }

    private static let team: [String: Field<Team>] = [
        "id": .value({ $0.mayRead($1) }) { team, _ in .string(GlobalID.team(team.name).text) },
        "name": .value({ $0.mayRead($1) }) { team, _ in .string(team.name) },
        "crews": .batch({ $0.mayReadCrews(of: $1) }) { teams, _, operation in
            try teams.map { team in
                let crews = operation.directory.crews(in: team.number)
                try operation.spend(crews.count)
                return .list(crews.map { ServedObject.crew($0).resolved })
            }
        },
        "people": .batch({ $0.mayRead($1) }) { teams, arguments, operation in
            let (paging, safety) = (try Paging(arguments), arguments["safety"]?.string)
            let people = try teams.map { try operation.people(of: $0.number) }
            // Reads what is known of all of them together; the pages find it read.
            if safety != nil { _ = try await operation.facts(of: people.flatMap { $0 }) }
            var pages: [Resolved] = []
            for people in people { pages.append(try await page(of: people, with: safety, paging, operation)) }
            return pages
        },
        "incidents": .batch({ $0.mayRead($1) }) { teams, arguments, operation in
            try await incidents(of: teams.map { .team($0.number) }, arguments, operation)
        },
    ]

    private static let crew: [String: Field<Crew>] = [
        "id": .value({ $0.mayRead($1) }) { crew, operation in
            operation.directory.teams[crew.team].map { .string(GlobalID.crew(crew.name, of: $0.name).text) }
        },
        "name": .value({ $0.mayRead($1) }) { crew, _ in .string(crew.name) },
        "people": .batch({ access, crew in
            access.directory.teams[crew.team].map { access.mayReadCrews(of: $0) } ?? false
        }) { crews, arguments, operation in
            let paging = try Paging(arguments)
            return try crews.map { crew in
                let people = try operation.people(of: crew.team)
                try operation.spend(people.count)
                return try Connection(people.lazy.filter { $0.crew == crew.number }, paging) { .person($0) }.resolved
            }
        },
    ]

    /// Returns a page of people.
    ///
    /// - Parameter safety: the state that they must be in; nil for any.
    static func page(
        of people: [User], with safety: String?, _ paging: Paging, _ operation: OperationContext
    ) async throws -> Resolved {
        try operation.spend(people.count)
        guard let safety else { return try Connection(people, paging) { .person($0) }.resolved }
        let facts = try await operation.facts(of: people)
        let found = people.lazy.filter { facts[$0.number]?.safety.served == safety }
        return try Connection(found, paging) { .person($0) }.resolved
    }
}

extension Safety {
    /// The state as the schema names it. A doubt has a name of its own, so that a client that reads nothing else takes
    /// nobody for safe of whom the server is not sure.
    var served: String {
        switch state {
        case .unknown: "UNKNOWN"
        case .safe: isChecking ? "CHECKING" : "SAFE"
        case .unsafe: "UNSAFE"
        case .needsHelp: "NEEDS_HELP"
        case .sos: "SOS"
        case .offSite: "OFF_SITE"
        }
    }
}
