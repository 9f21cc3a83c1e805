import MusterKit

/// Brings what a store has to the server, and says how far it is.
func push(_ store: LocalStore, as session: Session) async throws {
    let push = Replication(from: store, to: session.peer)
    for try await progress in push.progress() { print(progress.counts.written, progress.pending ?? 0) }
}
