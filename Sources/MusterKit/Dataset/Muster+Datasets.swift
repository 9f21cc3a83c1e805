import MusterMutex
import MusterReplication

/// Opening datasets, and following their changes on the server.
extension Muster {
    /// Opens the dataset of a name, or creates it. It needs no network, and nobody needs to be signed in. Every call
    /// with one name returns the same object.
    ///
    /// From then on, the dataset is synchronized whenever the person is signed in and the server's live feed reports a
    /// change, unless `Options.followsDatasets` is false; failures other than a missing network are events of `track`.
    ///
    /// - Parameter name: 1 to 128 of the characters `a-z A-Z 0-9 _ . : -`.
    /// - Throws: `.illegalRecord`, `.closed`.
    public func dataset(_ name: String) throws(MusterError) -> Dataset {
        if let dataset = state.withLock({ $0.isClosed ? nil : $0.datasets[name] }) { return dataset }
        let service = DatasetService(isClosed: { [weak self] in self?.isClosed ?? true }) { [weak self] in
            guard let self else { throw MusterError.closed }
            return try await self.exchange($0, $1, $2)
        }
        try service.checkOpen()
        let opened = try Dataset(name, store: store, server: service, now: options.pacing.now)
        let dataset = state.withLock { state in
            let dataset = state.datasets[name] ?? opened
            state.datasets[name] = dataset
            return dataset
        }
        if let follower = state.withLock({ $0.follower }) { follower.want(name) } else { followDatasets() }
        return dataset
    }

    /// Returns the names of the datasets that this device has, sorted.
    public func datasetNames() async throws(MusterError) -> [String] {
        if isClosed { throw .closed }
        return try await inWords { try await store.readDatasets { try $0.names() } }
    }

    // MARK: Following

    /// Begins to follow the live feed, if a person is signed in and a dataset is open.
    func followDatasets() {
        guard options.followsDatasets else { return }
        state.withLock { state in
            guard let session = state.session, !state.datasets.isEmpty, !state.isClosed, state.follower == nil else {
                return
            }
            let number = state.sessionNumber
            state.follower = DatasetFollower(
                feed: LiveFeed(
                    server: session.server, credentials: session.credentials, connections: session.connections),
                pacing: options.pacing,
                names: { [weak self] in self?.state.withLock { Array($0.datasets.keys) } ?? [] },
                synchronize: { [weak self] name, count in await self?.synchronize(name, knowing: count) ?? true },
                onQuestion: { [weak self] question in
                    guard question.user == session.user else { return }
                    self?.events.send(.askedForLocation(by: question.by, at: question.at.date))
                },
                onUnauthorized: { [weak self] in _ = await self?.renewSession(number) })
        }
    }

    /// Ends following. It does not wait for a running synchronization, because a handler of that synchronization may be
    /// the caller.
    func endFollowingDatasets() {
        state.withLock { state in
            state.follower?.cancel()
            state.follower = nil
        }
    }

    /// Synchronizes an open dataset.
    ///
    /// - Parameter count: the server's count, as the feed reported it; nil if it is unknown: then the server is asked.
    /// - Returns: false if it should be tried again.
    private func synchronize(_ name: String, knowing count: Int64?) async -> Bool {
        guard let dataset = state.withLock({ $0.datasets[name] }) else { return true }
        do {
            if let count, try await dataset.lastSyncCount >= count { return true }
            try await dataset.synchronize()
            return true
        } catch {
            switch error {
            case .away: return false
            case .datasetContended: return false
            case .cancelled, .closed, .signedOut: return true
            default:
                events.send(.failed(error))
                return true
            }
        }
    }

    // MARK: Requests

    /// Sends a request to the native API as the person who is signed in. A key that the server no longer accepts is
    /// renewed once.
    ///
    /// - Throws: `MusterError.closed`, `.signedOut`, `.signInNeeded`, `.away`; `ReplicationError.unreachable`,
    ///   `CancellationError`.
    func exchange(_ method: String, _ path: String, _ json: [UInt8]?) async throws -> (status: Int, body: [UInt8]) {
        let (session, number, isClosed) = state.withLock { ($0.session, $0.sessionNumber, $0.isClosed) }
        if isClosed { throw MusterError.closed }
        guard let session else { throw MusterError.signedOut }
        let answer = try await NativeQuestions(session).exchange(method, path, json)
        guard answer.status == 401 else { return answer }
        guard await renewSession(number), let renewed = self.session else {
            if case .signInNeeded(_, let reason) = presentAccount.value {
                throw MusterError.signInNeeded(reason: reason)
            }
            throw MusterError.away(reason: "the server does not answer a new sign-in")
        }
        return try await NativeQuestions(renewed).exchange(method, path, json)
    }
}
