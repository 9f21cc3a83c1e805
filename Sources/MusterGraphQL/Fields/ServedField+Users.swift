import MusterCore
import MusterServer
import MusterWire

/// The fields of people as Amplify's model has them.
extension ServedField {
    static let users = [
        fields(of: "User", { $0.asUser }, user),
        fields(of: "ModelUserConnection", { $0.asUserPage }, userPage),
    ].flatMap { $0 }

    private static let user: [String: Field<User>] = [
        "id": .value({ $0.mayKnow($1) }) { user, operation in
            .string(operation.coordinator.origin.subject(of: user.number))
        },
        "username": .value({ $0.mayKnow($1) }) { user, _ in .string(user.name) },
        "isSafe": .batch({ $0.mayRead($1) }) { users, _, operation in
            let facts = try await operation.facts(of: users)
            return users.map { facts[$0.number]?.safety.isSafe.map { .value(.boolean($0)) } ?? .null }
        },
        "_version": versioned { .integer($0.shownNumber) },
        "_deleted": versioned { $0.isDeleted ? .boolean(true) : nil },
        "_lastChangedAt": versioned { .integer($0.changedAt?.milliseconds ?? 0) },
        "createdAt": .value({ $0.mayKnow($1) }) { _, _ in nil },
        "updatedAt": versioned { $0.changedAt.map { .string($0.rfc3339) } },
    ]

    /// A field that says something of a person's version.
    private static func versioned(_ value: @escaping @Sendable (ModelVersion) -> JSONValue?) -> Field<User> {
        .batch({ $0.mayRead($1) }) { users, _, operation in
            let versions = try await operation.versions(of: users)
            return users.map { versions[$0.number].flatMap(value).map { .value($0) } ?? .null }
        }
    }

    /// The page holds what the caller may see.
    private static let userPage: [String: Field<UserPage>] = [
        "items": .batch({ _, _ in true }) { pages, _, _ in
            pages.map { page in .list(page.users.map { ServedObject.user($0).resolved }) }
        },
        "nextToken": .value({ _, _ in true }) { page, _ in page.nextToken.map { .string($0) } },
        "startedAt": .value({ _, _ in true }) { page, _ in page.startedAt.map { .integer($0.milliseconds) } },
    ]

    /// Finds a person by the model's id or by name; nil for somebody who does not exist or whom the caller may not see.
    static func modelUser(_ id: String, _ operation: OperationContext) -> User? {
        let access = operation.access
        let bySubject = operation.coordinator.origin.user(ofSubject: id).flatMap { access.directory.users[$0] }
        guard let user = bySubject ?? access.directory.users[id], access.mayKnow(user) else { return nil }
        return user
    }

    /// Returns a page of the people whom the caller may see.
    static func listUsers(_ arguments: FieldArguments, _ operation: OperationContext) async throws -> UserPage {
        let paging = try Paging(arguments, limit: "limit", cursor: "nextToken")
        let last = try paging.number
        var people = try operation.people().filter { $0.number.rawValue > last }
        if let filter = arguments["filter"] {
            people = try await UserFilter(filter).matches(among: people, operation)
        }
        let page = Array(people.prefix(paging.first))
        return UserPage(users: page, nextToken: people.count > paging.first ? page.last?.cursor : nil)
    }
}

extension Safety {
    /// Whether the person is safe, as Amplify's model says it; nil where that is unknown or in doubt.
    var isSafe: Bool? { Self.isSafe(state, isDoubted: doubt != nil) }

    /// Whether somebody in a state is safe, as Amplify's model says it; nil where that is unknown or in doubt.
    static func isSafe(_ state: State, isDoubted: Bool) -> Bool? {
        switch state {
        case .safe: isDoubted ? nil : true
        case .unsafe, .needsHelp, .sos: false
        case .unknown, .offSite: nil
        }
    }
}

/// A filter or a condition on people, as Amplify's clients send it: its parts all hold.
struct UserFilter: Sendable {
    private let value: JSONValue

    init(_ value: JSONValue) { self.value = value }

    /// A person as the filter sees them.
    private struct Candidate {
        var id: String
        var username: String
        var isSafe: Bool?
    }

    /// How many conditions the filter has.
    private var size: Int { Self.size(of: value) }

    private static func size(of value: JSONValue) -> Int {
        switch value {
        case .object(let members): members.reduce(1) { $0 + size(of: $1.value) }
        case .array(let elements): elements.reduce(1) { $0 + size(of: $1) }
        default: 1
        }
    }

    /// Returns those of these people for whom the filter holds.
    ///
    /// - Throws: a fault when that takes too many comparisons.
    func matches(among people: [User], _ operation: OperationContext) async throws -> [User] {
        try operation.spend(people.count * size)
        let access = operation.access
        let facts = try await operation.facts(of: people.filter { access.mayRead($0) })
        return people.filter { user in
            let candidate = Candidate(
                id: operation.coordinator.origin.subject(of: user.number), username: user.name,
                isSafe: facts[user.number]?.safety.isSafe)
            return Self.holds(value, of: candidate)
        }
    }

    private static func holds(_ filter: JSONValue, of candidate: Candidate) -> Bool {
        (filter.members ?? []).allSatisfy { member in
            if member.value == .null { return true }
            return switch member.key {
            case "and": (member.value.elements ?? []).allSatisfy { holds($0, of: candidate) }
            case "or": (member.value.elements ?? []).contains { holds($0, of: candidate) }
            case "not": !holds(member.value, of: candidate)
            case "id": holds(member.value, of: candidate.id)
            case "username": holds(member.value, of: candidate.username)
            case "isSafe": holds(member.value, of: candidate.isSafe)
            default: false
            }
        }
    }

    private static func holds(_ condition: JSONValue, of text: String) -> Bool {
        (condition.members ?? []).allSatisfy { member in
            switch (member.key, member.value) {
            case (_, .null): true
            case ("eq", .string(let other)): text == other
            case ("ne", .string(let other)): text != other
            case ("contains", .string(let other)): text.contains(other)
            case ("notContains", .string(let other)): !text.contains(other)
            case ("beginsWith", .string(let other)): text.hasPrefix(other)
            case ("between", .array(let ends)):
                ends.count == 2 && (ends[0].string.map { $0 <= text } ?? false)
                    && (ends[1].string.map { text <= $0 } ?? false)
            case ("in", .array(let others)): others.contains { $0.string == text }
            case ("notIn", .array(let others)): !others.contains { $0.string == text }
            case ("attributeExists", .boolean(let exists)): exists
            default: false
            }
        }
    }

    private static func holds(_ condition: JSONValue, of truth: Bool?) -> Bool {
        (condition.members ?? []).allSatisfy { member in
            switch (member.key, member.value) {
            case (_, .null): true
            case ("eq", .boolean(let other)): truth == other
            case ("ne", .boolean(let other)): truth != other
            case ("attributeExists", .boolean(let exists)): (truth != nil) == exists
            default: false
            }
        }
    }
}
