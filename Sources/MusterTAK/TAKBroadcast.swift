import MusterCore
import MusterServer
import MusterStore
import ServiceLifecycle
import Synchronization

/// Follows the log once for all TAK clients, and wakes only those whom a change concerns. What it finds out about a
/// person is found out, and rendered, once for all who are shown it.
final class TAKBroadcast: Service {
    private let feeds: LogFeeds
    private let coordinator: StoreCoordinator
    private let picture: TAKPicture
    private let inboxes = Mutex<[ObjectIdentifier: TAKInbox]>([:])

    init(_ parts: ServerParts, _ picture: TAKPicture) {
        feeds = parts.feeds
        coordinator = parts.coordinator
        self.picture = picture
    }

    /// From now on a client is told what concerns it.
    func open(_ inbox: TAKInbox) { inboxes.withLock { $0[ObjectIdentifier(inbox)] = inbox } }

    func close(_ inbox: TAKInbox) { inboxes.withLock { $0[ObjectIdentifier(inbox)] = nil } }

    func run() async throws {
        try? await cancelWhenGracefulShutdown { [self] in
            // The server's own feed has no limit.
            let feed = try feeds.open(.changes, by: .server, beatSeconds: nil, timeoutSeconds: nil)
            defer { feed.close() }
            var place = coordinator.lastSequence
            // Whoever connected before knows nothing of what happened until now.
            send(.all)
            repeat { try await followLog(from: &place) } while await feed.next() != nil
        }
    }

    private func followLog(from place: inout LogSequence) async throws {
        while true {
            let events: [LiveEvent]
            do {
                events = try await feeds.recent.events(since: place)
            } catch {
                if case StoreError.trimmed = error {
                    // What the log no longer holds may concern anyone.
                    place = coordinator.lastSequence
                    send(.all)
                }
                // The log is read again from the same place, or from its end.
                try await Task.sleep(for: .seconds(TAKLimits.failureSeconds))
                continue
            }
            guard let last = events.last else { return }
            place = last.sequence
            await send(events)
        }
    }

    private func send(_ events: [LiveEvent]) async {
        var batch = TAKBatch(events, in: coordinator.directory)
        guard !batch.isEmpty else { return }
        let audiences = Set(inboxes.withLock { $0.values.map(\.audience) })
        let shown = Set(audiences.flatMap { batch.people(for: $0) })
        // Where the server is too busy, each client asks for itself, and tries again.
        if !shown.isEmpty { batch.sights = (try? await picture.sights(of: Array(shown))) ?? [:] }
        send(batch)
    }

    private func send(_ batch: TAKBatch) {
        let concerned = inboxes.withLock { Array($0.values) }.filter { $0.add(batch) }
        feeds.touch(concerned.map(\.feed))
    }
}
