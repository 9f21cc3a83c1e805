import Crypto
import Hummingbird
import MusterCoding
import MusterCore
import MusterDocuments
import MusterServer
import MusterStore
import MusterWire
import NIOCore

/// The users as documents: `_users` in the form that CouchDB's clients expect, and `lt_users`, which can only be read.
/// The documents are derived from the directory; nothing is stored for them.
struct CouchUserDocuments: Sendable {
    let identity: Identity

    fileprivate static let idPrefix = "org.couchdb.user:"

    /// The id of a user's document.
    static func id(of name: String) -> String { idPrefix + name }

    static func show(_ call: CouchCall, _ id: String) throws -> Response {
        guard let user = call.coordinator.directory.user(ofDocument: id) else { throw CouchError.missing }
        var response = Response.json { $0.document(user) }
        response.headers[.eTag] = "\"\(user.documentRevision)\""
        return response
    }

    static func list(_ call: CouchCall, _ listing: CouchListing) -> Response {
        let users = call.coordinator.directory.users.all.map { (id: id(of: $0.name), user: $0) }
            .sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
        let wanted = users.filter { listing.keys?.contains($0.id) ?? listing.range.holds($0.id) && !listing.isEmpty }
        let ordered = listing.range.isDescending ? wanted.reversed() : wanted
        return .json { writer in
            writer.beginObject()
            writer.member("total_rows", users.count)
            writer.member("offset", listing.skip)
            writer.member("rows", listing: ordered.dropFirst(listing.skip).prefix(listing.limit)) { writer, row in
                writer.beginObject()
                writer.member("id", row.id)
                writer.member("key", row.id)
                writer.key("value")
                writer.beginObject()
                writer.member("rev", row.user.documentRevision)
                writer.endObject()
                if listing.includesDocuments {
                    writer.key("doc")
                    writer.document(row.user)
                }
                writer.endObject()
            }
            writer.endObject()
        }
    }

    /// Creates a user, or changes the role, the other roles and the password of one.
    func put(_ call: CouchCall, _ id: String) async throws -> Response {
        guard try call.parameter("db") == DatabaseName.couchUsers, id.hasPrefix(Self.idPrefix) else {
            throw CouchError.forbidden("Users can only be stored in _users, as org.couchdb.user:NAME.")
        }
        let name = String(id.dropFirst(Self.idPrefix.count))
        let fields = try await call.tree(limit: CouchLimits.settingBytes)
        guard (fields["name"]?.string ?? name) == name, EntityName.isValid(name) else {
            throw CouchError(.badRequest, "doc_validation", "`name` must be the end of the id, and a valid name.")
        }
        let said = fields["_rev"]?.string ?? call.query.text("rev")
        let roles = try fields["roles"].map { try Self.roles($0) }
        var password: StoredPassword?
        if let text = fields["password"]?.string { password = try await identity.prepare(text, ofUserNamed: name) }
        let (secret, now) = (password, call.configuration.now())
        let user = try await call.coordinator.edit(by: call.author) { directory, draft in
            var before = directory.users[name]
            // Without a revision the client means a new user. The name may belong to an implicit user, who is released.
            if said == nil, before?.isImplicit == true, let released = directory.releasing(name) {
                draft.edits += released
                before = nil
            }
            guard said == before?.documentRevision else { throw CouchError.conflict }
            var user: User
            if let before {
                user = before
            } else {
                guard EntityName.isFreeForUsers(name) else {
                    throw CouchError(.badRequest, "doc_validation", "`name` \(EntityName.userNameRule).")
                }
                let number = try draft.transaction.nextUserNumber()
                user = User(number: number, name: name, role: roles?.role ?? .member, team: nil)
            }
            if let role = roles?.role, role != user.role {
                try directory.requireAnotherAdmin(than: user)
                user.role = role
            }
            if let roles { user.databaseRoles = roles.own }
            user.isImplicit = false
            draft.edits.append(.putUser(user))
            if let secret {
                draft.credentials += identity.credentials(for: secret, of: user.number, at: now)
                try draft.endIdentityKeys(of: user.number)
                if before != nil, user.number != call.author?.user {
                    try draft.end(Set(EndedCredentials.allCases), of: user.number)
                }
            }
            return user
        }
        identity.forget(user.number)
        return call.ok(.created) { writer in
            writer.member("id", id)
            writer.member("rev", user.documentRevision)
        }
    }

    /// Parses the roles of a user's document: Muster's role, nil if there is none, and the organization's own roles.
    ///
    /// - Throws: `CouchError`; the reasons are CouchDB's if CouchDB refuses the same.
    private static func roles(_ value: JSONValue) throws(CouchError) -> (role: Role?, own: [String]) {
        guard let elements = value.elements else { throw .forbidden("doc.roles must be an array") }
        let names = elements.compactMap(\.string)
        guard names.count == elements.count else { throw .forbidden("doc.roles can only contain strings") }
        let ours = names.compactMap { Role(rawValue: $0) }
        guard Set(ours).count <= 1 else {
            throw .forbidden("A user has one of the roles \(Role.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        var own: [String] = []
        for name in names where Role(rawValue: name) == nil && !own.contains(name) {
            guard !name.hasPrefix("_") else {
                throw .forbidden("No system roles (starting with underscore) in users db.")
            }
            guard User.isDatabaseRole(name) else {
                throw .forbidden(
                    "A role has 1 to \(User.databaseRoleBytes) bytes and no control characters.")
            }
            own.append(name)
        }
        guard own.count <= User.databaseRoleLimit else {
            throw .forbidden("A user has at most \(User.databaseRoleLimit) roles besides Muster's.")
        }
        return (ours.first, own)
    }

    /// Removes a user. The last admin and the sender cannot be removed.
    func delete(_ call: CouchCall, _ id: String) async throws -> Response {
        let said = try call.revision()?.text
        let access = try call.access()
        let user = try await call.coordinator.edit(by: call.author) { directory, draft in
            guard let user = directory.user(ofDocument: id) else { throw CouchError.missing }
            guard said == user.documentRevision else { throw CouchError.conflict }
            guard user.number != access.principal.user else {
                throw CouchError.forbidden("You cannot remove yourself. Another admin can.")
            }
            try directory.requireAnotherAdmin(than: user)
            draft.edits = directory.removal(of: user.number)
            return user
        }
        identity.forget(user.number)
        return call.ok { writer in
            writer.member("id", id)
            writer.member("rev", user.documentRevision)
        }
    }
}

extension Directory {
    /// Returns the user whose document has this id.
    fileprivate func user(ofDocument id: String) -> User? {
        let prefix = CouchUserDocuments.idPrefix
        return id.hasPrefix(prefix) ? users[String(id.dropFirst(prefix.count))] : nil
    }

    /// Checks that another admin exists if this user is one.
    fileprivate func requireAnotherAdmin(than user: User) throws(CouchError) {
        guard hasAnotherAdmin(than: user.number) else { throw .forbidden("This user is the last admin.") }
    }
}

extension User {
    /// The revision of the user's document, which changes whenever the document does.
    fileprivate var documentRevision: String {
        let text = (["\(number.rawValue) \(name) \(role.rawValue)"] + databaseRoles).joined(separator: "\n")
        return "1-" + Insecure.MD5.hash(data: Array(text.utf8)).hexadecimal
    }
}

extension JSONWriter {
    /// Writes a user as a document. It contains no secret.
    fileprivate mutating func document(_ user: User) {
        beginObject()
        member("_id", CouchUserDocuments.id(of: user.name))
        member("_rev", user.documentRevision)
        member("name", user.name)
        member("type", "user")
        member("roles", listing: [user.role.rawValue] + user.databaseRoles) { $0.value($1) }
        endObject()
    }
}
