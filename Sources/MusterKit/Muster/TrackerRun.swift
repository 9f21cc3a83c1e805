/// What works for the person who is signed in: a tracker that records and sends, and what it knows of the regions.
final class TrackerRun: Sendable {
    let user: String
    let tracker: LocationTracker
    let watch: RegionWatch
    private let tasks: [Task<Void, Never>]

    /// Begins to record and send.
    ///
    /// - Parameters:
    ///   - onChange: called when what the watch knows may have changed, and at once.
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

    /// Ends all work now. What waits in memory to be recorded is lost.
    func cancel() { for task in tasks { task.cancel() } }

    /// Records what waits, stores the regions that are known, and ends all work, also where the caller was cancelled.
    func stop() async {
        await Task {
            try? await tracker.recordPending()
            cancel()
            for task in tasks { await task.value }
            try? await watch.finishStoring()
        }.value
    }
}
