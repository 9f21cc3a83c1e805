import MusterMutex

/// How an app monitors beacon regions.
extension Muster {
    /// Creates a monitor of beacons for the person who is signed in. It decides by the regions that the server sent
    /// last, and reports its sightings to the server, which decides the same. The monitor ends when the person signs
    /// out.
    ///
    /// There is one at a time: the next call ends the one before.
    ///
    /// ```
    /// let monitor = try await muster.beaconMonitor()
    /// for await event in monitor.events(from: source) { print(event) }
    /// ```
    ///
    /// - Throws: `.signedOut`, `.closed`.
    public func beaconMonitor() async throws(MusterError) -> BeaconMonitor {
        let (run, isClosed) = state.withLock { ($0.run, $0.isClosed) }
        if isClosed { throw .closed }
        guard let run else { throw .signedOut }
        let sender = SightingSender(
            LocalSightings(file: store.file), at: server, connections: options.connections,
            session: { [weak self] in
                // After the person has signed out, nothing is sent, so that it cannot be sent in another person's name.
                self?.state.withLock { $0.run === run ? $0.session : nil }
            })
        let tracker = run.tracker
        let ties = BeaconMonitor.Ties(
            sender: sender, onNews: { tracker.tell($0) },
            renew: { [weak self] in
                guard let self else { return false }
                return await self.renewSession(self.state.withLock { $0.sessionNumber })
            })
        let monitor = BeaconMonitor(run.watch, pace: options.pace, ties)
        let before = state.withLock { state in
            defer { state.beaconMonitor = monitor }
            return state.beaconMonitor
        }
        await before?.stop()
        return monitor
    }

    /// Ends the monitor of beacons, if there is one.
    func endBeaconMonitor() async {
        await state.withLock { state in
            defer { state.beaconMonitor = nil }
            return state.beaconMonitor
        }?.stop()
    }
}
