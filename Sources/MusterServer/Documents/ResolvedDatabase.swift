package import MusterCore
import MusterWire

/// A database that a client named: its kind, and where its documents are stored.
package struct ResolvedDatabase: Hashable, Sendable {
    /// The name that the client used.
    package let name: String
    package let kind: Kind

    /// The kind of database that a name stands for.
    package enum Kind: Hashable, Sendable {
        /// A database that a person or the server created.
        case made(StoredDatabase)
        /// The location database of one user.
        case locations(of: User)
        /// The union of all location databases; read-only.
        case allLocations
        /// The users as documents (`lt_users`, `_users`). Writing such a document edits the directory.
        case users
    }

    /// The scope of its stored documents; nil for the database of users, which has none.
    package var scope: DatabaseScope? { number.map { .database($0) } ?? (kind == .allLocations ? .locations : nil) }

    /// The number of the stored database that writes go to; nil where documents cannot be written.
    package var number: DatabaseNumber? {
        switch kind {
        case .made(let database): database.number
        case .locations(let user): .locations(of: user.number)
        case .allLocations, .users: nil
        }
    }

    /// Whether each document's id begins with the name of its partition.
    package var isPartitioned: Bool { if case .made(let database) = kind { database.isPartitioned } else { false } }

    /// The number of ancestors that each leaf revision keeps.
    package var revisionLimit: Int {
        if case .made(let database) = kind { return database.revisionLimit }
        return StoredDatabase.defaultRevisionLimit
    }
}

extension Directory {
    /// The database that has this name; nil where there is none.
    package func database(named name: String) -> ResolvedDatabase? {
        switch name {
        case DatabaseName.allLocations: return ResolvedDatabase(name: name, kind: .allLocations)
        case DatabaseName.users, DatabaseName.couchUsers: return ResolvedDatabase(name: name, kind: .users)
        default: break
        }
        if let user = DatabaseName.user(ofLocations: name) {
            return users[user].map { ResolvedDatabase(name: name, kind: .locations(of: $0)) }
        }
        return databases[name].map { ResolvedDatabase(name: name, kind: .made($0)) }
    }
}
