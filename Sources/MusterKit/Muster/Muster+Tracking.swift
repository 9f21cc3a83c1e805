import MusterCore
import MusterMutex

/// Recording locations, and sending them.
extension Muster {
    /// Records the locations of a source and delivers events, until the source ends or the caller stops reading them.
    ///
    /// The first event is the present account. While nobody is signed in, the source is not read. Without a network,
    /// locations are recorded and crossings are decided as with one. At the end of the source, every admitted location
    /// is recorded, and one attempt is made to send them.
    ///
    /// One source is tracked at a time: the next call ends the one before.
    public func track(_ source: any LocationSource) -> AsyncStream<Event> {
        if let source = source as? any LocationUpdateSource { return track(.updates(source)) }
        return track(.fixes(source))
    }

    /// Records locations that the app obtains itself. An invalid location is left out, and a `.failed` event reports
    /// it.
    public func track(_ locations: AsyncStream<Location>) -> AsyncStream<Event> { track(.locations(locations)) }

    /// Records one location without the filters, for example a position that the person entered.
    ///
    /// It is on this device's disk when this returns, and is sent with the next attempt, or by `send()`.
    ///
    /// - Throws: `.signedOut`, `.illegalLocation`, `.deviceFull`, `.storeUnavailable`; on a full disk the location
    ///   still waits in memory; `.closed`.
    public func report(_ location: Location) async throws(MusterError) {
        let fix = try location.fix()
        let tracker = try tracker()
        try await unlessClosed {
            try await tracker.append(.init(fix: fix, isInBackground: isInBackground))
            try await tracker.recordPending()
        }
    }

    /// Sends every recorded document that the server does not have yet.
    ///
    /// - Throws: `.away`, `.signInNeeded`, `.documentsRefused`, `.deviceFull`, `.signedOut`, `.cancelled`, `.closed`.
    ///   After each of these, recorded documents stay on this device.
    public func send() async throws(MusterError) {
        let tracker = try tracker()
        let number = state.withLock { $0.sessionNumber }
        try await unlessClosed {
            try await tracker.recordPending()
            guard let failure = await tracker.emit() else { return }
            guard case .unauthorized = failure, await renewSession(number) else { throw failure }
            if let failure = await tracker.emit() { throw failure }
        }
    }

    /// Asks the server how many recorded documents it does not have.
    ///
    /// - Throws: as `send`.
    public func unsentCount() async throws(MusterError) -> Int {
        let tracker = try tracker()
        return try await unlessClosed { try await tracker.missing() }
    }

    // MARK: Pieces

    private enum Feed: Sendable {
        case fixes(any LocationSource)
        case updates(any LocationUpdateSource)
        case locations(AsyncStream<Location>)
    }

    private func tracker() throws(MusterError) -> LocationTracker {
        let (run, isClosed) = state.withLock { ($0.run, $0.isClosed) }
        if isClosed { throw .closed }
        guard let run else { throw .signedOut }
        return run.tracker
    }

    private func track(_ feed: Feed) -> AsyncStream<Event> {
        AsyncStream(bufferingPolicy: .bufferingNewest(Self.waitingLimit)) { continuation in
            // Subscribes before this call returns: the caller receives every event after it.
            let now = presentAccount.value
            continuation.yield(.account(now))
            guard let subscription = events.add(continuation) else { return continuation.finish() }
            if presentAccount.value != now { continuation.yield(.account(presentAccount.value)) }
            let task = state.withLock { state -> Task<Void, Never>? in
                guard !state.isClosed else { return nil }
                let before = state.tracking
                before?.cancel()
                let task = Task {
                    await before?.value
                    await self.follow(feed, continuation)
                    self.events.remove(subscription)
                    continuation.finish()
                }
                state.tracking = task
                return task
            }
            guard let task else { return continuation.finish() }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Waits until a person is signed in, and then records the locations of a source until it ends.
    private func follow(_ feed: Feed, _ continuation: Broadcast<Event>.Continuation) async {
        for await _ in account where state.withLock({ $0.run != nil }) { break }
        if Task.isCancelled { return }
        presentAvailability.value = .available
        switch feed {
        case .fixes(let source):
            for await fix in source.fixes() { await record(fix) }
        case .updates(let source):
            for await update in source.updates() {
                switch update {
                case .fix(let fix): await record(fix)
                case .availability(let availability):
                    presentAvailability.value = availability
                    continuation.yield(.availability(availability))
                }
            }
        case .locations(let locations):
            for await location in locations {
                do {
                    await record(try location.fix())
                } catch {
                    continuation.yield(.failed(error))
                }
            }
        }
        guard let tracker = try? tracker() else { return }
        do {
            // Runs in a task of its own, because the caller may have stopped reading events, which cancels this one.
            try await Task { try await tracker.recordPending() }.value
            if !Task.isCancelled { await tracker.emit() }
        } catch {
            continuation.yield(.failed(MusterError(error)))
        }
    }

    /// Passes a fix to the tracker if the filter admits it. While nobody is signed in, the fix is dropped.
    private func record(_ fix: Position) async {
        let (monitor, run) = state.withLock { ($0.monitor, $0.run) }
        guard let run, let location = monitor.admit(fix) else { return }
        // Only the wait for a slow disk throws, when it is cancelled; the location is queued already.
        try? await run.tracker.append(location)
    }

    /// Translates an event of a tracker for the app.
    ///
    /// - Parameter watch: the watch of that tracker.
    func receive(_ event: LocationTracker.Event, of watch: RegionWatch) {
        switch event {
        case .started: break
        case .recorded(let fix): events.send(.recorded(Location(fix)))
        case .crossed(let told):
            let crossing = Crossing(told)
            crossingEvents.send(crossing)
            events.send(.crossed(crossing))
        case .incident(let incident): events.send(.incident(incident))
        case .safety(let safety): events.send(.safety(Safety(safety)))
        case .emitted(let count):
            changeAccount { state in
                guard state.run?.watch === watch else { return }
                state.isRenewed = false
                // The server accepts the key again, for example because a proxy in between had refused it.
                guard case .signInNeeded(let user, _) = state.settledAccount else { return }
                state.settledAccount = .signedIn(user: user)
            }
            events.send(.sent(count: count))
        case .failed(let failure):
            events.send(.failed(MusterError(failure)))
            guard case .unauthorized = failure else { return }
            let number = state.withLock { $0.run?.watch === watch ? $0.sessionNumber : nil }
            if let number { Task { [weak self] in await self?.renewSession(number) } }
        case .reconciled(let difference):
            events.send(.corrected(inside: difference.inside.sorted(), outside: difference.outside.sorted()))
        }
    }
}
