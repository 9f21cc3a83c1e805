/// Runs work in a task of its own and waits for it.
///
/// A task keeps the memory of its deepest call until the task ends. Without this function, a waiting feed would hold
/// the ten kilobytes that sending needs for as long as it is open.
///
/// The task is not a child task, because a parent task keeps memory of its children. The function is not inlined, so
/// that none of its memory stays with the caller.
@inline(never)
package func inOwnTask<Result: Sendable>(_ work: @escaping @Sendable () async throws -> Result) async throws -> Result {
    let task = Task { try await work() }
    return try await withTaskCancellationHandler {
        try await task.value
    } onCancel: {
        task.cancel()
    }
}
