import MusterMutex

/// Closing, with all that runs.
extension Muster {
    /// Ends tracking and sending, records the waiting locations, and closes the store. Streams end, `session` is nil,
    /// and later calls throw `.closed`. The person stays signed in for the next `open`. A sign-in that waits for the
    /// server ends with `.closed`, and so does a `send()`.
    ///
    /// Several callers may close at once: each waits for the end. Closing again does nothing.
    ///
    /// If the waiting locations cannot be recorded, for example on a full disk, it throws and this object stays open:
    /// the locations still wait, and closing again, once there is room, records them. Only the tracking of a source and
    /// a sign-in that was under way have ended.
    ///
    /// - Throws: `.deviceFull`, `.storeUnavailable`.
    public func close() async throws(MusterError) {
        let closing = try endSignIn { state throws(MusterError) -> Task<Void, any Error>? in
            if state.isClosed { return state.closing }
            state.isClosed = true
            let (tracking, others) = (state.tracking, [state.signIn?.task, state.signingOut].compactMap(\.self))
            let renewal = state.renewal
            tracking?.cancel()
            renewal?.cancel()
            let task = Task {
                await tracking?.value
                for task in others { _ = await task.result }
                _ = await renewal?.value
                try await self.recordBeforeEnd()
                try await self.end()
            }
            state.closing = task
            return task
        }
        try await inWords { try await closing?.value }
    }

    /// Records the locations that wait; if that fails, this object is open again.
    private func recordBeforeEnd() async throws {
        do {
            try await state.withLock { $0.run }?.tracker.recordPending()
        } catch {
            state.withLock { state in
                state.isClosed = false
                state.closing = nil
            }
            throw error
        }
    }

    private func end() async throws {
        defer { state.withLock { $0.closing = nil } }
        endFollowingDatasets()
        let (run, datasets, rangeReporter) = state.withLock { state in
            defer { (state.run, state.session, state.places, state.rangeReporter) = (nil, nil, nil, nil) }
            return (state.run, state.datasets.values, state.rangeReporter)
        }
        for dataset in datasets { dataset.finish() }
        await endBeaconMonitor()
        // Every call that adds a location has ended, or records it itself.
        try? await run?.stop()
        events.finish()
        crossingEvents.finish()
        presentAccount.finish()
        presentSafety.finish()
        presentRegions.finish()
        presentIncident.finish()
        presentAvailability.finish()
        do {
            try await rangeReporter?.close()
        } catch {
            try store.close()
            throw error
        }
        try store.close()
    }
}
