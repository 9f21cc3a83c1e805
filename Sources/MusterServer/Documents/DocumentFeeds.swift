import AsyncAlgorithms
package import MusterCore
import MusterStore
import ServiceLifecycle
import Synchronization

/// Wakes whoever waits for documents to be touched: once for each commit that concerns what they wait for.
///
/// Nothing is carried but the wake: a feed reads the documents itself. The log is read once for all feeds, and only
/// while there is one; heartbeats and timeouts of all of them hang on one timer.
package final class DocumentFeeds: Service {
    /// The number of feeds that may be open; of these `FeedShares` gives each user a share.
    private static let capacity = 20_000

    private let coordinator: StoreCoordinator
    private let state = Mutex(State())
    private let (newest, announcement) = AsyncStream.makeStream(
        of: LogSequence.self, bufferingPolicy: .bufferingNewest(1))

    private struct State {
        var feeds: [Int: Entry] = [:]
        /// The feeds of each scope, and under nil those of any.
        var listening: [DatabaseScope?: Set<Int>] = [:]
        var shares = FeedShares(capacity: DocumentFeeds.capacity)
        var nextID = 0
        /// The log is read up to here.
        var cursor = LogSequence.zero
        var isClosed = false

        /// Notes why a feed is woken, and wakes it.
        mutating func ring(_ id: Int, _ reason: WritableKeyPath<DocumentFeed.Ring, Bool>) {
            feeds[id]?.ring[keyPath: reason] = true
            feeds[id]?.wake()
        }
    }

    private struct Entry {
        let scope: DatabaseScope?
        let owner: FeedOwner
        let beatSeconds: Double?
        var nextBeat: ContinuousClock.Instant?
        var deadline: ContinuousClock.Instant?
        var ring = DocumentFeed.Ring()
        /// Who waits. A stream would be easier, and half a kilobyte more for each of ten thousand.
        private var waiter: CheckedContinuation<Void, Never>?

        init(
            scope: DatabaseScope?, owner: FeedOwner, beatSeconds: Double?, timeoutSeconds: Double?,
            now: ContinuousClock.Instant
        ) {
            self.scope = scope
            self.owner = owner
            self.beatSeconds = beatSeconds
            nextBeat = beatSeconds.map { now + .seconds($0) }
            deadline = timeoutSeconds.map { now + .seconds($0) }
        }

        /// Takes whoever waits, unless there is something for it already.
        mutating func wait(_ continuation: CheckedContinuation<Void, Never>) {
            waiter = continuation
            if ring != DocumentFeed.Ring() { wake() }
        }

        /// Wakes whoever waits.
        mutating func wake() {
            waiter?.resume()
            waiter = nil
        }
    }

    /// Seconds between two looks at whose heartbeat or timeout is due.
    package static let tickSeconds: Double = 0.1

    /// Feeds over what this coordinator appends; `run` makes them live.
    package init(coordinator: StoreCoordinator) { self.coordinator = coordinator }

    /// Notes that the log has grown. Never blocks.
    package func announce(_ sequence: LogSequence) { announcement.yield(sequence) }

    /// Wakes feeds until graceful shutdown, and ends them with it.
    package func run() async throws {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                for await _ in newest.cancelOnGracefulShutdown() { await followLog() }
            }
            group.addTask { [self] in await keepTime() }
            await group.next()
            group.cancelAll()
        }
        state.withLock { state in
            state.isClosed = true
            for id in state.feeds.keys { state.feeds[id]?.wake() }
            state.feeds.removeAll()
            state.listening.removeAll()
        }
    }

    /// Opens a feed. Whoever opens it reads what there is after that, and then waits: nothing falls between.
    ///
    /// - Parameters:
    ///   - scope: what is waited for; nil: any database.
    ///   - beatSeconds: how often it is to be woken whatever happens; nil: never.
    ///   - timeoutSeconds: when it is to be told that its time is over; nil: never.
    /// - Returns: nil when as many are open as may be, or the server is shutting down.
    package func open(
        _ scope: DatabaseScope?, by owner: FeedOwner, beatSeconds: Double?, timeoutSeconds: Double?
    ) -> DocumentFeed? {
        let now = ContinuousClock.now
        let id = state.withLock { state -> Int? in
            guard !state.isClosed, (try? state.shares.open(owner)) != nil else { return nil }
            if state.feeds.isEmpty { state.cursor = coordinator.lastSequence }
            state.nextID += 1
            state.feeds[state.nextID] = Entry(
                scope: scope, owner: owner, beatSeconds: beatSeconds, timeoutSeconds: timeoutSeconds, now: now)
            state.listening[scope, default: []].insert(state.nextID)
            return state.nextID
        }
        return id.map { DocumentFeed(feeds: self, id: $0) }
    }

    /// Why one more may not be opened at this moment; nil when it may.
    package func refusal(of owner: FeedOwner) -> FeedShares.Refusal? {
        state.withLock { state in
            if state.isClosed { return .isStopping }
            do throws(FeedShares.Refusal) { try state.shares.check(owner) } catch { return error }
            return nil
        }
    }

    /// How many feeds are open.
    package var count: Int { state.withLock { $0.feeds.count } }

    /// How many feeds were refused since the start.
    var refusedCount: Int { state.withLock { $0.shares.refused } }

    fileprivate func close(_ id: Int) {
        state.withLock { state in
            guard var entry = state.feeds.removeValue(forKey: id) else { return }
            entry.wake()
            state.listening[entry.scope]?.remove(id)
            if state.listening[entry.scope]?.isEmpty == true { state.listening[entry.scope] = nil }
            state.shares.close(entry.owner)
        }
    }

    /// Waits until a feed is woken, and takes what for; nil when it is closed.
    fileprivate func ring(of id: Int) async -> DocumentFeed.Ring? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isThere = state.withLock { $0.feeds[id]?.wait(continuation) != nil }
                if !isThere { continuation.resume() }
            }
        } onCancel: {
            close(id)
        }
        return state.withLock { state in
            defer { state.feeds[id]?.ring = DocumentFeed.Ring() }
            return state.feeds[id]?.ring
        }
    }

    // MARK: Waking

    private func followLog() async {
        while true {
            let (since, isIdle) = state.withLock { ($0.cursor, $0.feeds.isEmpty) }
            if isIdle { return }
            do {
                let changes = try await coordinator.read { try $0.changes(since: since, limit: 2_000) }
                guard let last = changes.last?.sequence else { return }
                let directory = coordinator.directory
                var touched: Set<DatabaseScope?> = Set(changes.flatMap { $0.change.touchedScopes(in: directory) })
                if !touched.isEmpty { touched.insert(nil) }
                state.withLock { state in
                    state.cursor = last
                    for scope in touched { for id in state.listening[scope] ?? [] { state.ring(id, \.isTouched) } }
                }
            } catch {
                // What cannot be read may concern anyone: each feed looks for itself.
                let last = coordinator.lastSequence
                state.withLock { state in
                    state.cursor = last
                    for id in state.feeds.keys { state.ring(id, \.isTouched) }
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
            state.withLock { state in
                for (id, entry) in state.feeds {
                    if let deadline = entry.deadline, deadline <= now {
                        state.feeds[id]?.deadline = nil
                        state.ring(id, \.isOver)
                    }
                    if let beat = entry.nextBeat, beat <= now {
                        state.feeds[id]?.nextBeat = entry.beatSeconds.map { now + .seconds($0) }
                        state.ring(id, \.isBeat)
                    }
                }
            }
        }
    }
}

/// One who waits for documents to be touched.
package struct DocumentFeed: Sendable {
    fileprivate let feeds: DocumentFeeds
    fileprivate let id: Int

    /// Why a feed was woken: for all of these that are true.
    package struct Ring: Hashable, Sendable {
        /// Documents may have been touched.
        package var isTouched = false
        /// A heartbeat is due.
        package var isBeat = false
        /// Its time is over.
        package var isOver = false
    }

    /// Must be called when nobody waits any more; whoever still does is woken.
    package func close() { feeds.close(id) }

    /// Waits. One task at a time waits for a feed.
    ///
    /// - Returns: nil when it is closed, as it is when the task is cancelled or the server shuts down.
    package func next() async -> Ring? { await feeds.ring(of: id) }
}

extension Change {
    /// What is read together, in which this change touched a document or a database came or went.
    fileprivate func touchedScopes(in directory: Directory) -> [DatabaseScope] {
        switch self {
        case .directory(.database(let database), removed: _): [.database(database)]
        case .directory(.user(let user), removed: _): [.database(.locations(of: user)), .locations]
        default: documentScopes(in: directory)
        }
    }

    /// What is read together, in which this change touched a document.
    package func documentScopes(in directory: Directory) -> [DatabaseScope] {
        switch self {
        case .document(let touch):
            // A design document is in no union.
            touch.database.user == nil || touch.id.utf8.starts(with: "_design/".utf8)
                ? [.database(touch.database)] : [.database(touch.database), .locations]
        case .position(_, of: let device, isCurrent: _):
            directory.devices[device].map { [.database(.locations(of: $0.user)), .locations] } ?? [.locations]
        default: []
        }
    }
}
