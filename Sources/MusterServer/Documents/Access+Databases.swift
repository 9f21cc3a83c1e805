import MusterCore
import MusterWire

/// The rights of a principal in databases.
///
/// A user other than a gateway may read and write the user's own location database, and may read the places. The user's
/// leader may read positions, but not documents. An analyst may read the union of all location databases. The names and
/// roles in a database's `_security` may use a database that a person made. An admin may use every database.
extension Access {
    /// Whether the principal may read the database's documents.
    package func mayRead(_ database: ResolvedDatabase) -> Bool {
        // A device token only reports. Documents are for people, and for the keys that people make.
        if principal.device != nil { return false }
        if principal.proof == .locationKey { return isOwnLocations(database) }
        // The server carries out the documents of this database, so `_security` cannot give anyone access to it.
        if database.name == DatabaseName.replicator { return mayAdministerDatabases }
        if principal.role == .admin { return true }
        switch database.kind {
        case .locations(let user): return principal.role != .gateway && user.number == principal.user
        case .allLocations: return principal.role == .analyst
        case .users: return false
        case .made(let stored):
            if stored.name == DatabaseName.places { return mayReadRegions }
            return DatabaseSecurity(stored.security).admits(principal)
        }
    }

    /// Whether the database is the principal's own location database, the only one that a location key opens.
    private func isOwnLocations(_ database: ResolvedDatabase) -> Bool {
        if case .locations(let user) = database.kind { user.number == principal.user } else { false }
    }

    /// Whether the principal may write and delete the database's documents.
    package func mayWrite(_ database: ResolvedDatabase) -> Bool {
        switch database.kind {
        case .locations: mayRead(database)
        case .allLocations, .users: false
        case .made(let stored):
            if stored.name == DatabaseName.places { mayAdminister(database) } else { mayRead(database) }
        }
    }

    /// Whether the principal may write design documents, `_security` and the limits, and compact and purge the
    /// database.
    package func mayAdminister(_ database: ResolvedDatabase) -> Bool {
        switch database.kind {
        case .made(let stored):
            principal.role == .admin || DatabaseSecurity(stored.security).isAdmin(principal)
        case .locations: mayRead(database)
        case .allLocations, .users: false
        }
    }

    /// Whether the principal is what CouchDB calls a server admin: may create and remove databases, administer the
    /// replications, and see the node's state.
    package var mayAdministerDatabases: Bool { principal.role == .admin && principal.device == nil }
}

/// The names and roles that a database's `_security` admits. A role is one of Muster's, or one of the database roles
/// that an organization gives its users. Where `_security` names nobody, only admins have access.
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

    /// Parses a stored `_security`. A nil or malformed text admits nobody.
    package init(_ json: String?) {
        guard let json, let value = try? JSONValue(parsing: Array(json.utf8)) else { return }
        admins = Party(value["admins"])
        members = Party(value["members"])
    }

    /// Whether the principal may read and write documents.
    package func admits(_ principal: Principal) -> Bool { members.admits(principal) || isAdmin(principal) }

    /// Whether the principal may administer the database.
    package func isAdmin(_ principal: Principal) -> Bool {
        principal.device == nil && admins.admits(principal)
    }
}
