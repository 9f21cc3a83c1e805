/// Does some work in a task of its own, and waits for it.
///
/// A task keeps the memory that its deepest call has needed until it ends, so a feed that waits would hold what its
/// telling needed once: ten kilobytes, for as long as it is open.
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
