import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// The mutations that change teams, devices and regions, by the same edits as the native API's routes.
extension ServedField {
    static let directoryCommands: [String: Field<Void>] = [
        "createTeam": command { arguments, operation in
            guard operation.access.mayChangeAccounts else {
                throw GraphQLFieldFault.unauthorized("Mutation.createTeam")
            }
            let name = try entityName(in: arguments)
            let team = try await operation.edit { access, draft in
                guard access.mayChangeAccounts else { throw Problem.forbidden }
                let directory = access.directory
                guard directory.teams[name] == nil, directory.trackers[name] == nil else {
                    throw Problem.conflict("There is a team or a tracker \(name) already.")
                }
                return try draft.addTeam(named: name, in: directory)
            }
            return ServedObject.team(team).resolved
        },
        "deleteTeam": command { arguments, operation in
            guard case .team(let name)? = inputID(in: arguments) else { throw GraphQLFieldFault.notFound }
            // Refused before the writer is asked, and once more in its directory.
            _ = try operation.access.removableTeam(named: name)
            try await operation.edit { access, draft in
                draft.edits = access.directory.removal(of: try access.removableTeam(named: name).number)
            }
            return .value(.string(GlobalID.team(name).text))
        },
        "setTeam": command { arguments, operation in
            guard case .person(let name)? = inputID("person", in: arguments) else { throw GraphQLFieldFault.notFound }
            let team = try teamName(in: arguments)
            _ = try operation.access.movableUser(named: name)
            let number = try await operation.edit { access, draft in
                var user = try access.movableUser(named: name)
                let wanted = team.flatMap { access.directory.teams[$0] }
                guard (wanted == nil) == (team == nil) else { throw Problem.notFound }
                user.team = wanted?.number
                user.isImplicit = false
                draft.edits.append(.putUser(user))
                return user.number
            }
            return operation.directory.users[number].map { ServedObject.person($0).resolved } ?? .null
        },
        "createDevice": command { arguments, operation in
            guard case .person(let owner)? = inputID("owner", in: arguments) else { throw GraphQLFieldFault.notFound }
            let name = try entityName(in: arguments)
            let device = try await operation.edit { access, draft in
                guard let user = access.directory.users[owner], access.mayKnow(user) else { throw Problem.notFound }
                return try draft.addDevice(named: name, of: user, by: access)
            }
            return ServedObject.device(device).resolved
        },
        "deleteDevice": command { arguments, operation in
            guard case .device(let name, let owner)? = inputID(in: arguments) else { throw GraphQLFieldFault.notFound }
            try await operation.edit { access, draft in
                guard let user = access.directory.users[owner],
                    let device = access.directory.device(named: name, of: user.number), access.mayRead(device)
                else { throw Problem.notFound }
                try draft.removeDevice(device, by: access)
            }
            return .value(.string(GlobalID.device(name, of: owner).text))
        },
        "putRegion": command { arguments, operation in
            guard case .region(let id, let collection)? = inputID(in: arguments),
                (1...RegionDraft.Limits().idCharacters).contains(id.count)
            else { throw GraphQLFieldFault.badRequest("`id` must name a region, as Region:collection/id.") }
            _ = try operation.access.changeableCollection(named: collection)
            let described = try await regionDraft(id, in: arguments, operation)
            let stored = try await operation.edit { access, draft in
                let target = try access.changeableCollection(named: collection)
                guard let stored = try draft.putRegions([described], into: target, of: access.directory).first else {
                    throw Problem.internalError
                }
                return stored
            }
            return ServedObject.region(stored).resolved
        },
        "deleteRegion": command { arguments, operation in
            guard case .region(let id, let collection)? = inputID(in: arguments) else {
                throw GraphQLFieldFault.notFound
            }
            _ = try operation.access.changeableCollection(named: collection)
            try await operation.edit { access, draft in
                let number = try access.changeableCollection(named: collection).number
                guard let region = access.directory.region(id, in: number) else { throw Problem.notFound }
                draft.edits = [.removeRegion(region.number, from: number)]
            }
            return .value(.string(GlobalID.region(id, of: collection).text))
        },
    ]

    /// The id in a member of the input; nil for a text that is no id.
    private static func inputID(_ member: String = "id", in arguments: FieldArguments) -> GlobalID? {
        GlobalID(arguments["input"]?[member]?.string ?? "")
    }

    /// The name of what is to be made.
    private static func entityName(in arguments: FieldArguments) throws(GraphQLFieldFault) -> String {
        let name = arguments["input"]?["name"]?.string ?? ""
        guard EntityName.isValid(name) else { throw .badRequest("`name` must satisfy \(EntityName.pattern).") }
        return name
    }

    /// The name of the team in the input; nil for null, which takes the person out of their team.
    private static func teamName(in arguments: FieldArguments) throws(GraphQLFieldFault) -> String? {
        guard arguments["input"]?.members?.contains(where: { $0.key == "team" }) == true else {
            throw .badRequest("`team` must be the id of a Team, or null for none.")
        }
        guard let text = arguments["input"]?["team"]?.string else { return nil }
        guard case .team(let name)? = GlobalID(text) else { throw .badRequest("`team` is not the id of a Team.") }
        return name
    }

    /// The region that the input describes. A large one takes a while, so a reader's thread parses it.
    private static func regionDraft(
        _ id: String, in arguments: FieldArguments, _ operation: OperationContext
    ) async throws -> RegionDraft {
        let bytes = Array((arguments["input"]?["geoJSON"]?.string ?? "").utf8)
        let drafts = try await operation.read { _ in
            try bytes.withUnsafeBytes { buffer in try RegionDraft.decode(buffer) }
        }
        guard var region = drafts.first, drafts.count == 1 else {
            throw GraphQLFieldFault.badRequest("`geoJSON` must be one Feature.")
        }
        guard region.id == nil || region.id == id else {
            throw GraphQLFieldFault.badRequest("The id in `geoJSON` differs from `id`.")
        }
        region.id = id
        return region
    }
}

extension OperationContext {
    /// Carries out an edit, and reads everything anew from then on.
    ///
    /// - Parameter body: drafts the edit by the caller's rights, in the directory of the transaction.
    /// - Throws: the errors of `body`; those of committing it.
    func edit<Success: Sendable>(
        _ body: @escaping @Sendable (Access, inout Draft) throws -> Success
    ) async throws -> Success {
        let principal = access.principal
        let result = try await coordinator.edit(by: author) { directory, draft in
            try body(Access(principal, in: directory), &draft)
        }
        renew()
        return result
    }
}

extension Access {
    /// The team of this name, if the caller may remove it.
    fileprivate func removableTeam(named name: String) throws(Problem) -> Team {
        guard let team = directory.teams[name], mayRead(team) else { throw .notFound }
        guard mayChangeAccounts else { throw .forbidden }
        return team
    }

    /// The person of this name, if the caller may change their team.
    fileprivate func movableUser(named name: String) throws(Problem) -> User {
        guard let user = directory.users[name], mayKnow(user) else { throw .notFound }
        guard mayChangeAccounts else { throw .forbidden }
        return user
    }

    /// The collection of this name, if the caller may change its regions.
    fileprivate func changeableCollection(named name: String) throws(Problem) -> RegionCollection {
        guard mayReadRegions, let collection = directory.collections[name] else { throw .notFound }
        try requireChange(of: collection)
        return collection
    }
}
