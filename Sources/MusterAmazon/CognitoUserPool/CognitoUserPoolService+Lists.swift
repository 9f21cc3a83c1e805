import MusterCore
import MusterServer
import MusterWire

/// The operations that describe the user pool and list its users.
extension CognitoUserPoolService {
    private static let pageLimit = 60

    func describeUserPool(_ call: AmazonJSONCall) async throws -> [UInt8] {
        try call.read { requirePool($0, &$1) }
        return JSONWriter.object { writer in
            writer.key("UserPool")
            writer.beginObject()
            writer.amazonUserPool(coordinator.origin)
            writer.member("EstimatedNumberOfUsers", Int64(coordinator.directory.users.count))
            writer.key("Policies")
            writer.beginObject()
            writer.key("PasswordPolicy")
            writer.beginObject()
            writer.member("MinimumLength", Int64(Identity.shortestPassword))
            writer.endObject()
            writer.endObject()
            writer.key("AdminCreateUserConfig")
            writer.beginObject()
            writer.member("AllowAdminCreateUserOnly", configuration.registration == .closed)
            writer.endObject()
            writer.member("MfaConfiguration", "OFF")
            writer.endObject()
        }
    }

    func listUserPools(_ call: AmazonJSONCall) async throws -> [UInt8] {
        _ = try call.read { members, faults in
            (members.pageSize(most: Self.pageLimit, &faults), members.text("NextToken", .token, &faults))
        }
        return JSONWriter.object { writer in
            writer.member("UserPools", listing: [coordinator.origin]) { writer, origin in
                writer.beginObject()
                writer.amazonUserPool(origin)
                writer.endObject()
            }
        }
    }

    func listUserPoolClients(_ call: AmazonJSONCall) async throws -> [UInt8] {
        try call.read { requirePool($0, &$1) }
        return JSONWriter.object { writer in
            writer.member("UserPoolClients", listing: [coordinator.origin]) { writer, origin in
                writer.beginObject()
                writer.member("ClientId", origin.userPoolClientID)
                writer.member("ClientName", "muster")
                writer.member("UserPoolId", origin.userPoolID)
                writer.endObject()
            }
        }
    }

    func listUsers(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let (limit, token, filter) = try call.read { members, faults in
            requirePool(members, &faults)
            return (
                members.number("Limit", in: 0...Double(Self.pageLimit), &faults).map { Int($0) } ?? Self.pageLimit,
                members.text("PaginationToken", .token, &faults), members.text("Filter", .any, &faults) ?? ""
            )
        }
        let isWanted = try nameFilter(filter)
        let users = coordinator.directory.users.all.filter { isWanted($0) }
        let page = try AmazonToken.page(of: users, limit: max(1, limit), after: token, .users)
        return usersJSON(page.items, token: "PaginationToken", page.next)
    }

    /// Parses a filter: `username = "ida"`, or `^=` for a prefix of the name. A filter may compare `sub` in place of
    /// the name.
    private func nameFilter(_ text: String) throws(AmazonError) -> (User) -> Bool {
        guard !text.isEmpty else { return { _ in true } }
        let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
        let words = parts[0].split(separator: " ")
        let attribute = words.joined().split { $0 == "=" || $0 == "^" }.first ?? ""
        guard parts.count == 3, parts[2].allSatisfy({ $0 == " " }), ["username", "sub"].contains(attribute) else {
            throw .validation("Filter", "must be username or sub, = or ^=, and a text in quotes")
        }
        let wanted = String(parts[1])
        let isPrefix = parts[0].contains("^=")
        let origin = coordinator.origin
        return { user in
            let value = attribute == "sub" ? origin.subject(of: user.number) : user.name
            return isPrefix ? value.hasPrefix(wanted) : value == wanted
        }
    }

    func listUsersInGroup(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let role = try namedRole(call)
        let (limit, token) = try call.read { members, faults in
            (
                members.number("Limit", in: 0...Double(Self.pageLimit), &faults).map { Int($0) } ?? Self.pageLimit,
                members.text("NextToken", .token, &faults)
            )
        }
        let users = coordinator.directory.users.all.filter { $0.role == role }
        let page = try AmazonToken.page(of: users, limit: max(1, limit), after: token, .users)
        return usersJSON(page.items, token: "NextToken", page.next)
    }

    private func usersJSON(_ users: [User], token: StaticString, _ next: String?) -> [UInt8] {
        JSONWriter.object { writer in
            writer.member("Users", listing: users) { writer, user in
                writer.beginObject()
                writer.amazonUser(user, "Attributes", status: status(of: user), in: coordinator)
                writer.endObject()
            }
            writer.member(token, next)
        }
    }

    func listGroups(_ call: AmazonJSONCall) async throws -> [UInt8] {
        try call.read { requirePool($0, &$1) }
        return groups(Role.allCases)
    }

    func adminListGroupsForUser(_ call: AmazonJSONCall) async throws -> [UInt8] {
        groups([try namedUser(call).role])
    }

    func getGroup(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let role = try namedRole(call)
        return JSONWriter.object { writer in
            writer.key("Group")
            writer.amazonGroup(role, coordinator.origin)
        }
    }

    private func groups(_ roles: [Role]) -> [UInt8] {
        JSONWriter.object { writer in
            writer.member("Groups", listing: roles) { $0.amazonGroup($1, coordinator.origin) }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func amazonUserPool(_ origin: EventOrigin) {
        member("Id", origin.userPoolID)
        member("Name", "muster")
    }

    fileprivate mutating func amazonGroup(_ role: Role, _ origin: EventOrigin) {
        beginObject()
        member("GroupName", role.rawValue)
        member("UserPoolId", origin.userPoolID)
        endObject()
    }
}
