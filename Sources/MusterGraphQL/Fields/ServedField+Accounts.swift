import MusterCore
import MusterServer
import MusterWire

/// The mutations of Amplify's model that add and remove accounts, by the same code as the native API's routes.
extension ServedField {
    static let accounts: [String: Field<Void>] = [
        "createUser": command { arguments, operation in
            let input = arguments["input"] ?? .null
            let field = "createUser"
            try requireAccounts(field, operation)
            guard input["id"] ?? .null == .null else {
                throw GraphQLFieldFault.badRequest("`id` is given by the server: send none.")
            }
            guard arguments["condition"] == nil else {
                throw GraphQLFieldFault.badRequest("`condition` holds of nobody who does not exist yet: send none.")
            }
            let name = input["username"]?.string ?? ""
            guard EntityName.isValid(name) else {
                throw GraphQLFieldFault.badRequest("`username` must satisfy \(EntityName.pattern).")
            }
            guard EntityName.isFreeForUsers(name) else {
                throw GraphQLFieldFault.badRequest("`username`: \(EntityName.userNameRule).")
            }
            let user = try await operation.identity.addUser(named: name, role: .member, by: operation.author)
            operation.renew()
            if let isSafe = input["isSafe"]?.boolean {
                try await declare(Declared(user: user, kind: isSafe ? .safe : .needsHelp), field, operation)
            }
            return ServedObject.user(user).resolved
        },
        "deleteUser": command { arguments, operation in
            let id = arguments["input"]?["id"]?.string ?? ""
            try requireAccounts("deleteUser", operation)
            guard let user = modelUser(id, operation) else { throw GraphQLFieldFault.notFound }
            if let condition = arguments["condition"] {
                let holds = try await UserFilter(condition).matches(among: [user], operation)
                guard !holds.isEmpty else { throw GraphQLFieldFault.conditionFailed }
            }
            let version = try await operation.versions(of: [user])[user.number]
            if let known = arguments["input"]?["_version"]?.integer, known != version?.shownNumber {
                throw GraphQLFieldFault("Conflict resolver rejects mutation.", code: "ConflictUnhandled")
            }
            let principal = operation.access.principal
            let removed = try await operation.identity.removeUser(by: principal, as: operation.author) { access in
                guard access.mayChangeAccounts, let user = access.directory.users[user.number] else {
                    throw GraphQLFieldFault.notFound
                }
                return user
            }
            operation.renew()
            operation.assume(
                ModelVersion(
                    number: operation.coordinator.lastSequence.rawValue, changedAt: operation.configuration.now(),
                    isDeleted: true), of: removed)
            return ServedObject.user(removed).resolved
        },
    ]

    /// Refuses a caller who may not add and remove accounts.
    private static func requireAccounts(_ field: String, _ operation: OperationContext) throws(GraphQLFieldFault) {
        guard operation.access.mayChangeAccounts else { throw .unauthorized("Mutation.\(field)") }
    }
}
