import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// The fields at which queries begin. Each gives what the caller may see, and nothing else.
extension ServedField {
    static let query = fields(of: "Query", { $0.isOperation }, questions)

    private static let questions: [String: Field<Void>] = [
        "getUser": root { arguments, operation in
            let user = modelUser(arguments["id"]?.string ?? "", operation)
            return user.map { ServedObject.user($0).resolved } ?? .null
        },
        "listUsers": root { arguments, operation in
            .object(.userPage(try await listUsers(arguments, operation)), type: nil)
        },
        "syncUsers": root { arguments, operation in
            .object(.userPage(try await syncUsers(arguments, operation)), type: nil)
        },
        "me": root { _, operation in
            let access = operation.access
            guard let user = access.directory.users[access.principal.user], access.mayKnow(user) else { return .null }
            return ServedObject.person(user).resolved
        },
        "node": root { arguments, operation in
            try await nodes([arguments["id"]?.string ?? ""], operation).first ?? .null
        },
        "nodes": root { arguments, operation in
            let ids = (arguments["ids"]?.elements ?? []).map { $0.string ?? "" }
            guard ids.count <= nodeLimit else {
                throw GraphQLFieldFault.badRequest("`ids` names more than \(nodeLimit) objects.")
            }
            return .list(try await nodes(ids, operation))
        },
        "teams": root { arguments, operation in
            let access = operation.access
            try operation.spend(access.directory.teams.count)
            let teams = access.directory.teams.all.lazy.filter { access.mayRead($0) }
            return try Connection(teams, Paging(arguments)) { .team($0) }.resolved
        },
        "people": root { arguments, operation in
            let paging = try Paging(arguments)
            var people = try operation.people()
            if let id = arguments["team"]?.string {
                let team = try team(id, operation)
                people = try team.map { try operation.people(of: $0.number) } ?? []
            }
            return try await page(of: people, with: arguments["safety"]?.string, paging, operation)
        },
        "devices": root { arguments, operation in try devices(arguments, operation) },
        "regions": root { arguments, operation in
            let (access, paging) = (operation.access, try Paging(arguments))
            guard access.mayReadRegions else { throw GraphQLFieldFault.unauthorized("Query.regions") }
            let directory = access.directory
            let collection = directory.collections[arguments["collection"]?.string ?? ""]
            let numbers = collection.map { directory.regions(in: $0.number) } ?? []
            try operation.spend(numbers.count)
            return try Connection(numbers.lazy.compactMap { directory.regions[$0] }, paging) { .region($0) }.resolved
        },
        "incidents": root { arguments, operation in
            try await incidents(of: [operation.access.incidentReach], arguments, operation).first ?? .null
        },
    ]

    /// How many objects `nodes` finds.
    private static let nodeLimit = 1_000

    /// A field of an operation's root, whose own reader checks the caller's rights.
    static func root(
        _ read: @escaping @Sendable (FieldArguments, OperationContext) async throws -> Resolved
    ) -> Field<Void> {
        .batch({ _, _ in true }) { roots, arguments, operation in
            let result = try await read(arguments, operation)
            return roots.map { _ in result }
        }
    }

    private static func devices(_ arguments: FieldArguments, _ operation: OperationContext) throws -> Resolved {
        let (access, paging) = (operation.access, try Paging(arguments))
        let directory = access.directory
        if let text = arguments["owner"]?.string {
            guard case .person(let name)? = GlobalID(text) else {
                throw GraphQLFieldFault.badRequest("`owner` is not the id of a Person.")
            }
            let owned = directory.users[name].map { directory.devices(of: $0.number) } ?? []
            let devices = owned.compactMap { directory.devices[$0] }.filter { access.mayRead($0) }
            return try Connection(devices.sorted { $0.number < $1.number }, paging) { .device($0) }.resolved
        }
        try operation.spend(directory.devices.count)
        return try Connection(directory.devices.all.lazy.filter { access.mayRead($0) }, paging) { .device($0) }.resolved
    }

    /// The team of an id; nil for a team that does not exist or that the caller may not see.
    ///
    /// - Throws: a fault when the id is of no team.
    static func team(_ id: String, _ operation: OperationContext) throws(GraphQLFieldFault) -> Team? {
        guard case .team(let name)? = GlobalID(id) else { throw .badRequest("`team` is not the id of a Team.") }
        let access = operation.access
        return access.directory.teams[name].flatMap { access.mayRead($0) ? $0 : nil }
    }

    /// The incident of an id; nil for one that does not exist or that the caller may not see.
    static func incident(_ number: IncidentNumber, _ operation: OperationContext) async throws -> Incident? {
        let incident = try await operation.read { try $0.incident(number) }
        return incident.flatMap { operation.access.mayRead($0) ? $0 : nil }
    }

    /// The objects of these ids, null for what does not exist or what the caller may not see. Reads the incidents in
    /// one read of the store.
    private static func nodes(_ texts: [String], _ operation: OperationContext) async throws -> [Resolved] {
        let ids = texts.map { GlobalID($0) }
        try operation.spend(ids.count)
        let numbers = Set(
            ids.compactMap { id -> IncidentNumber? in if case .incident(let number)? = id { number } else { nil } })
        var incidents: [IncidentNumber: Incident] = [:]
        if !numbers.isEmpty {
            let found = try await operation.read { store in
                try numbers.compactMap { try store.incident($0) }
            }
            for incident in found { incidents[incident.number] = incident }
        }
        let access = operation.access
        return ids.map { id in id.flatMap { object($0, incidents, access) }?.resolved ?? .null }
    }

    private static func object(
        _ id: GlobalID, _ incidents: [IncidentNumber: Incident], _ access: Access
    ) -> ServedObject? {
        let directory = access.directory
        switch id {
        case .person(let name):
            guard let user = directory.users[name], access.mayKnow(user) else { return nil }
            return .person(user)
        case .team(let name):
            guard let team = directory.teams[name], access.mayRead(team) else { return nil }
            return .team(team)
        case .crew(let name, let team):
            guard let team = directory.teams[team], let crew = directory.crew(named: name, in: team.number),
                access.mayRead(crew)
            else { return nil }
            return .crew(crew)
        case .device(let name, let owner):
            guard let owner = directory.users[owner], let device = directory.device(named: name, of: owner.number),
                access.mayRead(device)
            else { return nil }
            return .device(device)
        case .region(let id, let collection):
            guard access.mayReadRegions, let collection = directory.collections[collection],
                let region = directory.region(id, in: collection.number)
            else { return nil }
            return .region(region)
        case .incident(let number):
            guard let incident = incidents[number], access.mayRead(incident) else { return nil }
            return .incident(incident)
        }
    }
}
