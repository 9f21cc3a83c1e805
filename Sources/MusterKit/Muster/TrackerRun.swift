/// The tracker and the region watch of the person who is signed in, with the tasks that run them.
final class TrackerRun: Sendable {
    let user: String
    let tracker: LocationTracker
    let watch: RegionWatch
    private let tasks: [Task<Void, Never>]

    /// Begins to record and send.
    ///
    /// - Parameters:
    ///   - onChange: called at once, and whenever regions, incident or safety may have changed.
    ///   - onFailure: called when the store cannot be used; it is tried again after `pace.readSeconds`.
    init(
        user: String, tracker: LocationTracker, watch: RegionWatch, pace: LocationTracker.Pace,
        onChange: @escaping @Sendable () -> Void, onFailure: @escaping @Sendable (any Error) -> Void
    ) {
        self.user = user
        self.tracker = tracker
        self.watch = watch
        let recording = Task {
            while !Task.isCancelled {
                do {
                    return try await tracker.run()
                } catch {
                    if Task.isCancelled { return }
                    onFailure(error)
                    try? await pace.sleep(pace.readSeconds)
                }
            }
        }
        let changes = watch.changes.subscribe(limit: 1, beginningWith: ())
        let watching = Task { for await _ in changes { onChange() } }
        // What was recorded before this start is sent now, and regions and incidents are asked for.
        let sending = Task { _ = await tracker.emit() }
        tasks = [recording, watching, sending]
    }

    /// Cancels all tasks. Locations that wait in memory to be recorded are lost.
    func cancel() { for task in tasks { task.cancel() } }

    /// Records the waiting locations, stores the known regions, and ends all tasks, also when the caller was cancelled.
    func stop() async {
        await Task {
            try? await tracker.recordPending()
            cancel()
            for task in tasks { await task.value }
            try? await watch.finishStoring()
        }.value
    }
}
