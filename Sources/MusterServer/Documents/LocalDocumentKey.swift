package import MusterCore

/// Where someone's documents that are never replicated are kept, such as how far a replication has come.
///
/// Who may write a database keeps them in it. Who may only read it keeps them beside its own locations, under the
/// database's name: nobody changes another's, and they go with the user. A CouchDB that replicates the union of all
/// locations keeps its checkpoints so.
package struct LocalDocumentKey: Hashable, Sendable {
    package let database: DatabaseNumber
    private let prefix: String

    /// Whether it is where a reader keeps them.
    package var isReader: Bool { !prefix.isEmpty }

    /// Where those are kept that belong to a database that may be written.
    package init(in database: DatabaseNumber) {
        self.database = database
        prefix = ""
    }

    /// Where a reader keeps what belongs to a database.
    package init(of user: UserNumber, reading place: ResolvedDatabase) {
        database = .locations(of: user)
        prefix = place.name + "/"
    }

    /// What a document is called where it is kept.
    package func name(_ name: String) -> String { prefix + name }
}

extension Access {
    /// Where whoever asks keeps what belongs to a database and is never replicated; nil for the users, which nobody
    /// replicates.
    package func locals(of place: ResolvedDatabase) -> LocalDocumentKey? {
        guard place.scope != nil else { return nil }
        if mayWrite(place), let number = place.number { return LocalDocumentKey(in: number) }
        return LocalDocumentKey(of: principal.user, reading: place)
    }
}
