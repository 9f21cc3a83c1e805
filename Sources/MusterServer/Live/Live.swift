import AsyncAlgorithms
package import MusterCore
import MusterStore
import ServiceLifecycle
import Synchronization

/// Delivers the changes of the log to listeners, in order, without gaps or repeats.
///
/// Listeners pull: each has a cursor, waits until the log is past it, and reads on. So a slow listener costs no memory,
/// and a resumed one is not special. The newest changes, which many listeners want at once, are read and rendered once,
/// into a bounded window. A listener behind the window reads the log itself.
package final class Live: Service {
    private let coordinator: StoreCoordinator
    private let window = Mutex(LiveWindow())
    private let listeners = Mutex(Listeners())
    private let (newest, announcement) = AsyncStream.makeStream(
        of: LogSequence.self, bufferingPolicy: .bufferingNewest(1))

    private struct Listeners {
        var wakes: [Int: AsyncStream<Void>.Continuation] = [:]
        var owners: [Int: FeedOwner] = [:]
        var shares = FeedShares(capacity: Live.listenerLimit)
        var nextID = 0
        var isClosed = false
    }

    /// The largest number of simultaneous listeners.
    package static let listenerLimit = 10_000

    /// Makes a feed of what this coordinator appends. The feed delivers while `run` runs.
    package init(coordinator: StoreCoordinator) { self.coordinator = coordinator }

    /// Tells the feed that the log has grown. Never blocks.
    package func announce(_ sequence: LogSequence) { announcement.yield(sequence) }

    /// Fills the window while there are listeners. Ends at graceful shutdown, and ends the listeners with it.
    package func run() async throws {
        for await _ in newest.cancelOnGracefulShutdown() {
            guard listeners.withLock({ !$0.wakes.isEmpty }) else { continue }
            await fillWindow()
            wakeAll()
        }
        listeners.withLock { listeners in
            listeners.isClosed = true
            for wake in listeners.wakes.values { wake.finish() }
            listeners.wakes.removeAll()
            listeners.owners.removeAll()
        }
    }

    /// Adds a listener.
    ///
    /// - Throws: `FeedShares.Refusal` when the limit of all listeners or of this owner's is reached, or the server is
    ///   stopping.
    package func listen(since cursor: LogSequence, by owner: FeedOwner) throws(FeedShares.Refusal) -> Listener {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let opened = listeners.withLock { listeners -> Result<Int, FeedShares.Refusal> in
            if listeners.isClosed { return .failure(.isStopping) }
            do throws(FeedShares.Refusal) { try listeners.shares.open(owner) } catch { return .failure(error) }
            listeners.nextID += 1
            listeners.wakes[listeners.nextID] = wake
            listeners.owners[listeners.nextID] = owner
            return .success(listeners.nextID)
        }
        let id = try opened.get()
        wake.yield()
        return Listener(
            live: self, id: id, cursor: cursor, isFromAnotherLog: cursor > coordinator.lastSequence, wakes: wakes)
    }

    /// The number of listeners now.
    package var listenerCount: Int { listeners.withLock { $0.wakes.count } }

    /// How many listeners were refused since the start.
    var refusedCount: Int { listeners.withLock { $0.shares.refused } }

    fileprivate func leave(_ id: Int) {
        let wake = listeners.withLock { listeners in
            if let owner = listeners.owners.removeValue(forKey: id) { listeners.shares.close(owner) }
            return listeners.wakes.removeValue(forKey: id)
        }
        wake?.finish()
    }

    private func wakeAll() {
        listeners.withLock { listeners in
            for wake in listeners.wakes.values { wake.yield() }
        }
    }

    /// Reads what the window lacks. Starts a new window when the old one has fallen far behind.
    private func fillWindow() async {
        let last = coordinator.lastSequence
        let start = window.withLock { window in
            if last.rawValue - window.last.rawValue > Int64(LiveWindow.changeLimit) || window.isEmpty {
                window.restart(after: LogSequence(max(window.last.rawValue, last.rawValue - 64)))
            }
            return window.last
        }
        var cursor = start
        while cursor < last {
            let since = cursor
            // When the read fails, the window stays short. Listeners then read the log themselves and receive the
            // error.
            guard let changes = try? await coordinator.read({ try $0.changes(since: since, limit: 2_000) }),
                let end = changes.last?.sequence
            else { return }
            let directory = coordinator.directory
            let rendered = changes.map { LiveEvent($0, directory: directory) }
            window.withLock { $0.append(rendered) }
            cursor = end
        }
    }

    /// The changes after a cursor: from the window, or from the log when the window no longer holds them.
    fileprivate func events(since cursor: LogSequence) async throws -> [LiveEvent] {
        if let events = window.withLock({ $0.events(since: cursor) }) { return events }
        let changes = try await coordinator.read { try $0.changes(since: cursor, limit: 500) }
        let directory = coordinator.directory
        return changes.map { LiveEvent($0, directory: directory) }
    }
}

/// A listener: an endless asynchronous sequence of batches of events.
package struct Listener: AsyncSequence, Sendable {
    package let live: Live
    package let id: Int
    package let cursor: LogSequence
    /// Whether the cursor lies beyond the log's end. It then comes from before a backup was restored, and a listener
    /// that waited for the log to reach it would miss the changes in between.
    let isFromAnotherLog: Bool
    let wakes: AsyncStream<Void>

    /// Removes the listener. Call this when the sequence is no longer read.
    package func leave() { live.leave(id) }

    /// Makes an iterator that begins after the cursor.
    package func makeAsyncIterator() -> Iterator {
        Iterator(listener: self, cursor: cursor, wakes: wakes.makeAsyncIterator())
    }

    /// The position of a listener in the log.
    package struct Iterator: AsyncIteratorProtocol {
        package let listener: Listener
        package var cursor: LogSequence
        var wakes: AsyncStream<Void>.Iterator

        /// Returns the next events; nil when the server shuts down.
        ///
        /// - Throws: `StoreError.trimmed` when the log no longer holds the next changes.
        package mutating func next() async throws -> [LiveEvent]? {
            if listener.isFromAnotherLog { throw StoreError.trimmed(oldest: .zero) }
            while true {
                let events = try await listener.live.events(since: cursor)
                if let last = events.last {
                    cursor = last.sequence
                    return events
                }
                if await wakes.next() == nil { return nil }
            }
        }
    }
}
