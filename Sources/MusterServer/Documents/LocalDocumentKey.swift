package import MusterCore

/// The database and the id under which a local document (`_local/…`) is stored. Local documents are never replicated;
/// replicators store their checkpoints in them.
///
/// A user who may write a database stores local documents in that database. A user who may only read it stores them in
/// the user's own location database, under ids that begin with the name of the database read. So nobody can change
/// another user's local documents, and they are removed with the user. A CouchDB that replicates the union stores its
/// checkpoints this way.
package struct LocalDocumentKey: Hashable, Sendable {
    package let database: DatabaseNumber
    private let prefix: String

    /// Whether the key is for a user who may only read the database.
    package var isReader: Bool { !prefix.isEmpty }

    /// Creates the key for a user who may write the database.
    package init(in database: DatabaseNumber) {
        self.database = database
        prefix = ""
    }

    /// Creates the key for a user who may only read a database.
    package init(of user: UserNumber, reading other: ResolvedDatabase) {
        database = .locations(of: user)
        prefix = other.name + "/"
    }

    /// Returns the id under which a local document is stored here.
    package func name(_ name: String) -> String { prefix + name }
}

extension Access {
    /// Returns the key under which the principal's local documents of a database are stored; nil for the database of
    /// users, which stores none.
    package func locals(of database: ResolvedDatabase) -> LocalDocumentKey? {
        guard database.scope != nil else { return nil }
        if mayWrite(database), let number = database.number { return LocalDocumentKey(in: number) }
        return LocalDocumentKey(of: principal.user, reading: database)
    }
}
