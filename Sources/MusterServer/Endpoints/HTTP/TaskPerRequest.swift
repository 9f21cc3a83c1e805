import Hummingbird

/// Answers every request in a task of its own, so that a connection that waits for the next one holds little.
struct TaskPerRequest<Answering: HTTPResponder>: HTTPResponder where Answering.Context: Sendable {
    /// What answers.
    let answering: Answering

    func respond(to request: Request, context: Answering.Context) async throws -> Response {
        try await inOwnTask { [answering] in try await answering.respond(to: request, context: context) }
    }
}

/// Does some work in a task of its own, and waits for it.
///
/// A task keeps the memory that its deepest call has needed until it ends, and a connection is one task for as long as
/// it is open. So a phone that keeps its connection, or a feed that waits, would hold what authentication and a handler
/// needed once: some 18 kB each, which is most of what an idle connection costs.
///
/// Neither a child task, whose beginnings are kept with its parent, nor inlined, so that nothing of it is left.
@inline(never)
func inOwnTask<Result: Sendable>(_ work: @escaping @Sendable () async throws -> Result) async throws -> Result {
    let task = Task { try await work() }
    return try await withTaskCancellationHandler {
        try await task.value
    } onCancel: {
        task.cancel()
    }
}
