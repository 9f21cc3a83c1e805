package import MusterCore
package import MusterStore

/// The one road into the log. Observations and edits queue here; one thread of its own gathers what is waiting into
/// one transaction and answers the senders when it is on disk.
///
/// FACE ONLY, the body is on its way.
package final class Ledger: Sendable {
    /// The directory as of the last commit.
    package var directory: Directory { fatalError() }

    /// Takes observations of one request: all of them or, when it throws, none.
    ///
    /// - Returns: once they are on disk.
    /// - Throws: `LedgerError.full` (answer 503 with Retry-After), `.unavailable` (disk; 503), `.closed` (503).
    package func ingest(_ observations: [Observation]) async throws(LedgerError) -> Receipt { fatalError() }

    /// Changes the directory, regions or credentials. `body` runs on the writer's thread, sees the directory as it then
    /// is, and fills a draft; nothing happens when it throws. Returns once it is on disk.
    package func edit<Result: Sendable>(
        _ body: @escaping @Sendable (Directory, inout Draft) throws -> Result
    ) async throws -> Result { fatalError() }

    /// Looks at the engine's state (latest positions, presences, safety) at one moment between two commits.
    package func inspect<Result: Sendable>(
        _ body: @escaping @Sendable (Engine, Directory, Sequence) -> Result
    ) async throws(LedgerError) -> Result { fatalError() }

    /// Reads the store on a thread where it may block.
    package func read<Result: Sendable>(
        _ body: @escaping @Sendable (any Store) throws -> Result
    ) async throws -> Result { fatalError() }

    init() {}
}

/// What became of a request's observations; the four counts add up to what was sent.
package struct Receipt: Equatable, Sendable {
    /// Moved a device's state.
    package var accepted = 0
    /// Older than what is known: kept as history.
    package var late = 0
    /// Already stored.
    package var repeated = 0
    /// Left out by the tracker's filter.
    package var filtered = 0
    /// The log's number after the commit that holds them.
    package var sequence = Sequence.zero
}

/// Why the ledger did not take something. All of these pass: the sender should try again.
package enum LedgerError: Error, Equatable, Sendable {
    /// As much is waiting as may wait.
    case full
    /// The disk or the database refused; nothing of it was stored.
    case unavailable(reason: String)
    /// The server is shutting down.
    case closed
}

/// What an edit will do once it is committed.
package struct Draft {
    /// Carried out in order.
    package var edits: [Edit] = []
    /// Stored after the edits.
    package var credentials: [Credential] = []
    /// Removed after the edits and before `credentials` are stored.
    package var removedCredentials: [(kind: Credential.Kind, key: [UInt8])] = []
    /// The transaction it runs in, for fresh numbers and for reading credentials.
    package let transaction: any StoreTransaction
}
