package import MusterCore
import MusterStore
import ServiceLifecycle
import Synchronization

/// Wakes the readers of the log when it grows: feeds of changes, feeds of documents, and replications.
///
/// A wake carries no data: each reader then reads the log or the documents itself, so a slow reader costs no memory.
/// `LogFeeds` reads the log once for all feeds, and only while a feed is open. One timer serves the heartbeats and
/// timeouts of all feeds. A waiting feed has no task of its own.
package final class LogFeeds: Service {
    /// The newest changes, rendered for the feeds.
    package let recent: RecentEvents

    private let coordinator: StoreCoordinator
    private let state = Mutex(State())
    private let (newest, announcement) = AsyncStream.makeStream(
        of: LogSequence.self, bufferingPolicy: .bufferingNewest(1))

    /// The part of the log whose growth wakes a feed.
    package enum Topic: Hashable, Sendable {
        /// Any change.
        case changes
        /// Documents of one database, or of the union of all location databases.
        case documents(DatabaseScope)
        /// Documents of any database.
        case anyDocuments
        /// Nothing: the feed counts as one of changes, and is woken by `touch` alone. For many readers of whom a change
        /// concerns few, and who have one reader of the log that knows whom.
        case nothing

        fileprivate var kind: Kind {
            switch self {
            case .changes, .nothing: .changes
            case .documents, .anyDocuments: .documents
            }
        }
    }

    /// A kind of feed. Feeds of one kind share a capacity.
    package enum Kind: Hashable, Sendable, CaseIterable {
        case changes
        case documents

        /// The number of feeds that may be open. `FeedShares` limits the part of each user.
        package var capacity: Int {
            switch self {
            case .changes: 10_000
            case .documents: 20_000
            }
        }

        /// The kind's name in metrics.
        var metricLabel: String {
            switch self {
            case .changes: "live"
            case .documents: "documents"
            }
        }
    }

    private struct State {
        var feeds: [Int: Entry] = [:]
        var listening: [Topic: Set<Int>] = [:]
        var shares = Dictionary(uniqueKeysWithValues: Kind.allCases.map { ($0, FeedShares(capacity: $0.capacity)) })
        var nextID = 0
        /// The last change read for the feeds.
        var cursor = LogSequence.zero
        var isClosed = false
        /// The waiting tasks to resume once the lock is released; see `withState`.
        var woken: [CheckedContinuation<Void, Never>] = []

        /// Records a reason to wake a feed, and wakes it.
        mutating func wake(_ id: Int, _ reason: WritableKeyPath<LogFeed.WakeReasons, Bool>) {
            feeds[id]?.reasons[keyPath: reason] = true
            wake(id)
        }

        /// Wakes the task that waits for a feed, if there is one.
        mutating func wake(_ id: Int) {
            if let waiter = feeds[id]?.takeWaiter() { woken.append(waiter) }
        }

        /// Sets the task that waits for a feed. Wakes it at once if the feed has a reason already, or is closed.
        mutating func wait(for id: Int, _ continuation: CheckedContinuation<Void, Never>) {
            if feeds[id]?.reasons == LogFeed.WakeReasons() {
                feeds[id]?.waiter = continuation
            } else {
                woken.append(continuation)
            }
        }

        /// Wakes all feeds of a topic.
        mutating func wakeFeeds(of topic: Topic) {
            for id in listening[topic] ?? [] { wake(id, \.isTouched) }
        }
    }

    private struct Entry {
        let topic: Topic
        let owner: FeedOwner
        let beatSeconds: Double?
        var nextBeat: ContinuousClock.Instant?
        var deadline: ContinuousClock.Instant?
        var reasons = LogFeed.WakeReasons()
        /// The task that waits for this feed. An `AsyncStream` would be simpler, but takes half a kilobyte more for
        /// each of ten thousand feeds.
        var waiter: CheckedContinuation<Void, Never>?

        init(
            topic: Topic, owner: FeedOwner, beatSeconds: Double?, timeoutSeconds: Double?,
            now: ContinuousClock.Instant
        ) {
            self.topic = topic
            self.owner = owner
            self.beatSeconds = beatSeconds
            nextBeat = beatSeconds.map { now + .seconds($0) }
            deadline = timeoutSeconds.map { now + .seconds($0) }
        }

        /// Returns the waiting task, for the caller to resume; nil when none waits.
        mutating func takeWaiter() -> CheckedContinuation<Void, Never>? {
            defer { waiter = nil }
            return waiter
        }
    }

    /// Seconds between two checks of heartbeats and timeouts.
    package static let tickSeconds: Double = 0.1

    /// Makes feeds over a coordinator's log. Feeds are woken only while `run` runs.
    package init(coordinator: StoreCoordinator) {
        self.coordinator = coordinator
        recent = RecentEvents(coordinator: coordinator)
    }

    /// Changes the state, and resumes the tasks that this woke after the lock is released.
    ///
    /// To resume a task takes its lock in Swift's runtime, and a task that is cancelled closes its feed while it holds
    /// that lock. Resuming under the lock of the state could therefore wait for each other forever.
    private func withState<Result>(_ body: (inout sending State) -> sending Result) -> sending Result {
        let (result, woken) = state.withLock { state in
            let result = body(&state)
            defer { state.woken = [] }
            return (result, state.woken)
        }
        for task in woken { task.resume() }
        return result
    }

    /// Tells the feeds that the log has grown. Never blocks.
    package func announce(_ sequence: LogSequence) { announcement.yield(sequence) }

    /// Wakes the feeds until graceful shutdown, and then closes them.
    package func run() async throws {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                for await _ in newest.cancelOnGracefulShutdown() { await followLog() }
            }
            group.addTask { [self] in await keepTime() }
            await group.next()
            group.cancelAll()
        }
        withState { state in
            state.isClosed = true
            for id in state.feeds.keys { state.wake(id) }
            state.feeds.removeAll()
            state.listening.removeAll()
        }
    }

    // MARK: Opening and closing

    /// Opens a feed. The caller must read the existing data after this call and before the first `next`; it then misses
    /// no change.
    ///
    /// - Parameters:
    ///   - beatSeconds: the interval of heartbeats; nil for none.
    ///   - timeoutSeconds: the time after which `next` returns `isOver`; nil for never.
    /// - Throws: `FeedShares.Refusal` when the owner or the server has reached a limit, or the server is stopping.
    package func open(
        _ topic: Topic, by owner: FeedOwner, beatSeconds: Double?, timeoutSeconds: Double?
    ) throws(FeedShares.Refusal) -> LogFeed {
        let now = ContinuousClock.now
        let opened = state.withLock { state -> Result<Int, FeedShares.Refusal> in
            if state.isClosed { return .failure(.isStopping) }
            do throws(FeedShares.Refusal) {
                try state.shares[topic.kind]?.open(owner)
            } catch {
                return .failure(error)
            }
            if state.feeds.isEmpty { state.cursor = coordinator.lastSequence }
            // The window receives no changes while no feed of changes is open, so it is out of date.
            if topic == .changes, state.listening[.changes] == nil { recent.restart(after: state.cursor) }
            state.nextID += 1
            state.feeds[state.nextID] = Entry(
                topic: topic, owner: owner, beatSeconds: beatSeconds, timeoutSeconds: timeoutSeconds, now: now)
            state.listening[topic, default: []].insert(state.nextID)
            return .success(state.nextID)
        }
        return LogFeed(feeds: self, id: try opened.get())
    }

    /// Wakes feeds as if the log had grown in their topic.
    package func touch(_ touched: [LogFeed]) {
        withState { state in
            for feed in touched { state.wake(feed.id, \.isTouched) }
        }
    }

    /// The number of open feeds of a kind.
    package func count(of kind: Kind) -> Int { state.withLock { $0.shares[kind]?.count ?? 0 } }

    /// The number of feeds of a kind that were refused since the start.
    func refusedCount(of kind: Kind) -> Int { state.withLock { $0.shares[kind]?.refused ?? 0 } }

    fileprivate func close(_ id: Int) {
        withState { state in
            state.wake(id)
            guard let entry = state.feeds.removeValue(forKey: id) else { return }
            state.listening[entry.topic]?.remove(id)
            if state.listening[entry.topic]?.isEmpty == true { state.listening[entry.topic] = nil }
            state.shares[entry.topic.kind]?.close(entry.owner)
        }
    }

    // MARK: Waking

    /// Waits until a feed is woken, and returns the reasons; nil when the feed is closed.
    fileprivate func nextReasons(of id: Int) async -> LogFeed.WakeReasons? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                withState { $0.wait(for: id, continuation) }
            }
        } onCancel: {
            close(id)
        }
        return state.withLock { state in
            defer { state.feeds[id]?.reasons = LogFeed.WakeReasons() }
            return state.feeds[id]?.reasons
        }
    }

    private func followLog() async {
        while true {
            let (since, isIdle, isWatched) = state.withLock {
                ($0.cursor, $0.feeds.isEmpty, $0.listening[.changes] != nil)
            }
            if isIdle { return }
            do {
                let changes = try await coordinator.read { try $0.changes(since: since, limit: 2_000) }
                guard let last = changes.last?.sequence else { return }
                let directory = coordinator.directory
                if isWatched { recent.append(changes, after: since, directory) }
                let touched = Set(changes.flatMap { $0.change.touchedScopes(in: directory) })
                withState { state in
                    state.cursor = last
                    state.wakeFeeds(of: .changes)
                    if !touched.isEmpty { state.wakeFeeds(of: .anyDocuments) }
                    for scope in touched { state.wakeFeeds(of: .documents(scope)) }
                }
            } catch {
                // The unread changes may concern any feed. Each feed reads for itself, and receives the error.
                let last = coordinator.lastSequence
                withState { state in
                    state.cursor = last
                    // The window lacks the unread changes, so feeds must read the store.
                    recent.restart(after: last)
                    for id in state.feeds.keys { state.wake(id, \.isTouched) }
                }
                return
            }
        }
    }

    private func keepTime() async {
        while !Task.isCancelled {
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(Self.tickSeconds)) }
            if Task.isShuttingDownGracefully { return }
            let now = ContinuousClock.now
            withState { state in
                for (id, entry) in state.feeds {
                    if let deadline = entry.deadline, deadline <= now {
                        state.feeds[id]?.deadline = nil
                        state.wake(id, \.isOver)
                    }
                    if let beat = entry.nextBeat, beat <= now {
                        state.feeds[id]?.nextBeat = entry.beatSeconds.map { now + .seconds($0) }
                        state.wake(id, \.isBeat)
                    }
                }
            }
        }
    }
}

/// A reader's open feed: a place in `LogFeeds` that wakes the reader.
package struct LogFeed: Sendable {
    fileprivate let feeds: LogFeeds
    fileprivate let id: Int

    /// The reasons why a feed was woken. Several may be true.
    package struct WakeReasons: Hashable, Sendable {
        /// The log has grown in the feed's topic, or could not be read.
        package var isTouched = false
        /// A heartbeat is due.
        package var isBeat = false
        /// The feed's timeout has passed.
        package var isOver = false
    }

    /// Closes the feed and gives back its place. A task that waits in `next` receives nil. Further calls do nothing.
    package func close() { feeds.close(id) }

    /// Waits until the feed is woken. Only one task at a time may wait.
    ///
    /// - Returns: the reasons; nil when the feed was closed, the task was cancelled or the server shuts down.
    package func next() async -> WakeReasons? { await feeds.nextReasons(of: id) }
}

extension Change {
    /// The scopes in which this change touched a document, or added or removed a database.
    fileprivate func touchedScopes(in directory: Directory) -> [DatabaseScope] {
        switch self {
        case .directory(.database(let database), removed: _): [.database(database)]
        case .directory(.user(let user), removed: _): [.database(.locations(of: user)), .locations]
        default: documentScopes(in: directory)
        }
    }

    /// The scopes in which this change touched a document.
    package func documentScopes(in directory: Directory) -> [DatabaseScope] {
        switch self {
        case .document(let touch):
            // The union contains no design documents.
            touch.database.user == nil || touch.id.utf8.starts(with: "_design/".utf8)
                ? [.database(touch.database)] : [.database(touch.database), .locations]
        case .position(_, of: let device, isCurrent: _):
            directory.devices[device].map { [.database(.locations(of: $0.user)), .locations] } ?? [.locations]
        default: []
        }
    }
}
