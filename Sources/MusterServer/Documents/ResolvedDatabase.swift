package import MusterCore
import MusterWire

/// A database as clients name it: where its documents are and what kind it is.
package struct ResolvedDatabase: Hashable, Sendable {
    /// What the client calls it.
    package let name: String
    /// What kind of database it is.
    package let kind: Kind

    /// The kinds of database.
    package enum Kind: Hashable, Sendable {
        /// Someone made it.
        case made(StoredDatabase)
        /// The locations of a user.
        case locations(of: User)
        /// The locations of all users, read-only.
        case allLocations
        /// The users as documents (`lt_users`, `_users`); what may be changed in it is a change of the directory.
        case users
    }

    /// Where its documents are; nil for the users, which are no stored documents.
    package var scope: DatabaseScope? { number.map { .database($0) } ?? (kind == .allLocations ? .locations : nil) }

    /// The one database that may be written to; nil for what is only read.
    package var number: DatabaseNumber? {
        switch kind {
        case .made(let database): database.number
        case .locations(let user): .locations(of: user.number)
        case .allLocations, .users: nil
        }
    }

    /// Whether each document's id begins with the name of its partition.
    package var isPartitioned: Bool { if case .made(let database) = kind { database.isPartitioned } else { false } }

    /// How many ancestors of a leaf are remembered.
    package var revisionLimit: Int {
        if case .made(let database) = kind { return database.revisionLimit }
        return StoredDatabase.defaultRevisionLimit
    }
}

extension Directory {
    /// The database of a name; nil where there is none.
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
