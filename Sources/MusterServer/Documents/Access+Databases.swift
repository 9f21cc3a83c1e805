import MusterCore
import MusterWire

/// What a principal may do in databases.
///
/// A user's locations are its own alone, its leader reads positions, not documents; the analyst reads the union. What
/// someone made is for those whom its `_security` names, and for admins.
extension Access {
    /// Whether documents may be read.
    package func mayRead(_ place: ResolvedDatabase) -> Bool {
        // A device reports; documents are for people and for the keys that people make.
        if principal.device != nil { return false }
        if principal.proof == .locationKey { return isOwnLocations(place) }
        // What a document there orders, the server does: nobody is named into that.
        if place.name == DatabaseName.replicator { return mayMakeDatabases }
        if principal.role == .admin { return true }
        switch place.kind {
        case .locations(let user): return principal.role != .gateway && user.number == principal.user
        case .allLocations: return principal.role == .analyst
        case .users: return false
        case .made(let database):
            if database.name == DatabaseName.places { return mayReadRegions }
            return DatabaseSecurity(database.security).admits(principal)
        }
    }

    /// All that a key to a location database opens.
    private func isOwnLocations(_ place: ResolvedDatabase) -> Bool {
        if case .locations(let user) = place.kind { user.number == principal.user } else { false }
    }

    /// Whether documents may be put and removed.
    package func mayWrite(_ place: ResolvedDatabase) -> Bool {
        switch place.kind {
        case .locations: mayRead(place)
        case .allLocations, .users: false
        case .made(let database):
            if database.name == DatabaseName.places { mayAdminister(place) } else { mayRead(place) }
        }
    }

    /// Whether design documents, `_security` and the limits may be changed, and the database compacted and purged.
    package func mayAdminister(_ place: ResolvedDatabase) -> Bool {
        switch place.kind {
        case .made(let database):
            principal.role == .admin || DatabaseSecurity(database.security).isAdmin(principal)
        case .locations: mayRead(place)
        case .allLocations, .users: false
        }
    }

    /// Whether databases may be made and removed.
    package var mayMakeDatabases: Bool { principal.role == .admin && principal.device == nil }
}

/// Whom a database's `_security` names. Roles are Muster's, and those of an
/// organization's own that users have. Nobody named means nobody but admins.
package struct DatabaseSecurity: Hashable, Sendable {
    private var admins = Party()
    private var members = Party()

    private struct Party: Hashable, Sendable {
        var names: Set<String> = []
        var roles: Set<String> = []

        init() {}

        init(_ value: JSONValue?) {
            names = Set(value?["names"]?.elements?.compactMap(\.string) ?? [])
            roles = Set(value?["roles"]?.elements?.compactMap(\.string) ?? [])
        }

        func admits(_ principal: Principal) -> Bool {
            names.contains(principal.name) || roles.contains(principal.role.rawValue)
                || principal.databaseRoles.contains { roles.contains($0) }
        }
    }

    /// What a stored `_security` says; nil is nobody.
    package init(_ json: String?) {
        guard let json, let value = try? JSONValue(parsing: Array(json.utf8)) else { return }
        admins = Party(value["admins"])
        members = Party(value["members"])
    }

    /// Whether the principal may read and write.
    package func admits(_ principal: Principal) -> Bool { members.admits(principal) || isAdmin(principal) }

    /// Whether the principal may administer the database.
    package func isAdmin(_ principal: Principal) -> Bool {
        principal.device == nil && admins.admits(principal)
    }
}
