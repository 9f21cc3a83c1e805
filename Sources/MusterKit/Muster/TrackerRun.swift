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
        // Sends the documents of earlier runs, and requests regions and incidents.
        let sending = Task { _ = await tracker.emit() }
        tasks = [recording, watching, sending]
    }

    /// Cancels all tasks. Locations that wait in memory to be recorded are lost.
    func cancel() { for task in tasks { task.cancel() } }

    /// Records the waiting locations, stores the known regions, and ends all tasks and the emission that runs. It does
    /// all of this also when the caller was cancelled.
    ///
    /// - Throws: `LocalStoreError` if waiting locations could not be recorded; they are lost. All has ended then too.
    func stop() async throws {
        try await Task {
            var failure: (any Error)?
            do { try await tracker.recordPending() } catch { failure = error }
            cancel()
            await tracker.endEmissions()
            for task in tasks { await task.value }
            // Regions that are not stored are requested from the server again.
            try? await watch.finishStoring()
            if let failure { throw failure }
        }.value
    }
}
