import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// Pools are teams, and identities are users.
extension CognitoIdentityService {
    private static let pageLimit = 60

    func listPools(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let (limit, token) = try call.read { members, faults in
            (members.pageSize(most: Self.pageLimit, &faults), members.text("NextToken", .token, &faults))
        }
        let page = try AmazonToken.page(of: coordinator.directory.teams.all, limit: limit, after: token, .pools)
        // The pool of users without a team is on the first page, beside the others.
        let pools: [(TeamNumber?, String)] =
            (token == nil ? [(nil, Self.nameWithoutTeam)] : []) + page.items.map { ($0.number, $0.name) }
        return JSONWriter.object { writer in
            writer.member("IdentityPools", listing: pools) { writer, pool in
                writer.beginObject()
                writer.member("IdentityPoolId", coordinator.origin.text(of: .pool(pool.0)))
                writer.member("IdentityPoolName", pool.1)
                writer.endObject()
            }
            writer.member("NextToken", page.next)
        }
    }

    /// The name of the pool of users without a team; no team can have it, because of the space.
    private static let nameWithoutTeam = "no team"

    func describePool(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let team = try namedPool(call)
        return poolJSON(team, allowsGuests: try await coordinator.read { try $0.poolSettings(of: team).allowsGuests })
    }

    private func namedPool(_ call: AmazonJSONCall) throws -> TeamNumber? {
        try pool(
            try call.read { members, faults in
                members.text("IdentityPoolId", .cognitoID, required: true, &faults)
            })
    }

    private func poolJSON(_ team: TeamNumber?, allowsGuests: Bool) -> [UInt8] {
        let name = team.flatMap { coordinator.directory.teams[$0]?.name } ?? Self.nameWithoutTeam
        return JSONWriter.object { writer in
            writer.member("IdentityPoolId", coordinator.origin.text(of: .pool(team)))
            writer.member("IdentityPoolName", name)
            writer.member("AllowUnauthenticatedIdentities", allowsGuests)
            writer.member("CognitoIdentityProviders", listing: [coordinator.origin.userPoolID]) { writer, pool in
                writer.beginObject()
                writer.member("ProviderName", "cognito-idp.\(coordinator.origin.region).amazonaws.com/\(pool)")
                writer.member("ClientId", coordinator.origin.userPoolClientID)
                writer.member("ServerSideTokenCheck", true)
                writer.endObject()
            }
        }
    }

    func createPool(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let (name, allowsGuests) = try readPool(call)
        guard EntityName.isValid(name) else {
            throw AmazonError.validation("IdentityPoolName", "must satisfy: \(EntityName.pattern)")
        }
        let origin = coordinator.origin
        let team = try await coordinator.edit(by: Author(try call.principal)) { directory, draft in
            guard directory.teams[name] == nil, directory.trackers[name] == nil else {
                throw AmazonError.conflict("There is a team or a tracker \(name) already.")
            }
            let team = try draft.addTeam(named: name, in: directory).number
            try draft.setGuests(allowsGuests, inPool: team, of: origin)
            return team
        }
        return poolJSON(team, allowsGuests: allowsGuests)
    }

    /// Reads the pool's name, which is a team's name, and whether the pool gives identities to guests.
    private func readPool(_ call: AmazonJSONCall) throws -> (name: String, allowsGuests: Bool) {
        try call.read { members, faults in
            (
                members.text("IdentityPoolName", .any, required: true, &faults) ?? "",
                members.boolean("AllowUnauthenticatedIdentities", &faults) ?? false
            )
        }
    }

    func updatePool(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let number = try namedPool(call)
        let (name, allowsGuests) = try readPool(call)
        let origin = coordinator.origin
        try await coordinator.edit(by: Author(try call.principal)) { directory, draft in
            guard name == number.map({ directory.teams[$0]?.name }) ?? Self.nameWithoutTeam else {
                throw AmazonError.validation("IdentityPoolName", "cannot change: a team keeps its name")
            }
            try draft.setGuests(allowsGuests, inPool: number, of: origin)
        }
        return poolJSON(number, allowsGuests: allowsGuests)
    }

    func deletePool(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let number = try namedPool(call)
        try await coordinator.edit(by: Author(try call.principal)) { directory, draft in
            guard let number else {
                throw AmazonError.validation("IdentityPoolId", "is the pool of users without a team, which always is")
            }
            guard let team = directory.teams[number] else {
                throw AmazonError.notFound("IdentityPool not found.")
            }
            // Cognito removes a pool with its identities. Here those are people.
            guard !directory.users.all.contains(where: { $0.team == number }) else {
                throw AmazonError.conflict("The team \(team.name) has people: move or remove them first.")
            }
            draft.edits = directory.removal(of: number)
        }
        return JSONWriter.object { _ in }
    }

    func listIdentities(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let team = try namedPool(call)
        let (limit, token) = try call.read { members, faults in
            (members.pageSize(most: Self.pageLimit, &faults), members.text("NextToken", .token, &faults))
        }
        let (users, guests, next) = try await identities(of: team, limit: limit, after: token)
        return JSONWriter.object { writer in
            writer.member("IdentityPoolId", coordinator.origin.text(of: .pool(team)))
            writer.key("Identities")
            writer.beginArray()
            for user in users { writer.amazonIdentity(user, coordinator.origin) }
            for guest in guests {
                writer.beginObject()
                writer.member("IdentityId", coordinator.origin.text(of: guest.id))
                writer.endObject()
            }
            writer.endArray()
            writer.member("NextToken", next)
        }
    }

    /// Returns a page of a pool's identities: the users in the order of their numbers, and then the guests who have
    /// stored something and are not merged into a user.
    private func identities(
        of team: TeamNumber?, limit: Int, after token: String?
    ) async throws -> (users: [User], guests: [Guest], next: String?) {
        let thing = team?.rawValue ?? 0
        // The number of the identity where the page before ended; a guest's is below 0.
        let last = try AmazonToken.key(token, .identities, of: thing)?[0] ?? 0
        var users: [User] = []
        if last >= 0 {
            users = coordinator.directory.users.all.filter { $0.team == team && Int64($0.number.rawValue) > last }
            if users.count > limit {
                users = Array(users.prefix(limit))
                return (users, [], Self.token(after: users.last?.number, of: thing))
            }
        }
        let (room, first) = (limit - users.count, UserNumber(Int32(clamping: min(last, 0) - 1)))
        let found = try await coordinator.read { try $0.guests(ofPool: team, from: first, limit: room + 1) }
        guard found.count > room else { return (users, found, nil) }
        let guests = Array(found.prefix(room))
        let end = guests.last?.number ?? users.last?.number
        return (users, guests, Self.token(after: end, of: thing))
    }

    private static func token(after identity: UserNumber?, of thing: Int32) -> String? {
        identity.map { AmazonToken.encode(.identities, of: thing, [Int64($0.rawValue)]) }
    }

    func describeIdentity(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let id = try call.read { members, faults in
            members.text("IdentityId", .cognitoID, required: true, &faults) ?? ""
        }
        if let guest = identity.guest(named: id), try await coordinator.read({ try $0.guest(guest) }) != nil {
            return JSONWriter.object { $0.member("IdentityId", coordinator.origin.text(of: guest)) }
        }
        guard case .identity(let number) = coordinator.origin.cognitoID(id),
            let user = coordinator.directory.users[number]
        else { throw AmazonError.notFound("Identity '\(id)' not found.") }
        var writer = JSONWriter()
        writer.amazonIdentity(user, coordinator.origin)
        return writer.bytes
    }
}

extension Draft {
    /// Stores whether a pool gives identities to guests.
    fileprivate mutating func setGuests(_ areAllowed: Bool, inPool team: TeamNumber?, of origin: EventOrigin) throws {
        var settings = try transaction.settings(ofPool: team)
        guard settings.allowsGuests != areAllowed else { return }
        settings.allowsGuests = areAllowed
        try transaction.put(settings, ofPool: team)
        addAction(.poolChanged, label: origin.text(of: .pool(team)))
    }
}

extension JSONWriter {
    fileprivate mutating func amazonIdentity(_ user: User, _ origin: EventOrigin) {
        beginObject()
        member("IdentityId", origin.text(of: .identity(user.number)))
        member("Logins", listing: ["cognito-idp.\(origin.region).amazonaws.com/\(origin.userPoolID)"]) { $0.value($1) }
        endObject()
    }
}
