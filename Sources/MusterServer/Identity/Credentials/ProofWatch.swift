import MusterCore
import ServiceLifecycle

/// Verifies the connections that stay open when a credential ends, when a change in the log may have ended one, and at
/// a beat, which finds tokens that have expired.
package struct ProofWatch: Service {
    private let feeds: LogFeeds
    private let identity: Identity
    private let coordinator: StoreCoordinator
    private let beatSeconds: Double
    private let demand: AsyncStream<Bool>?
    private let verifyAll: @Sendable () async -> Void

    /// - Parameters:
    ///   - beatSeconds: the seconds between two beats.
    ///   - demand: whether any connection is open, each time that this changes. The log is read only meanwhile. Nil
    ///     where it is always to be read.
    ///   - verifyAll: verifies the proof of every connection, and ends those whose proof is no longer valid.
    package init(
        _ parts: ServerParts, beatSeconds: Double, demand: AsyncStream<Bool>? = nil,
        verifyAll: @escaping @Sendable () async -> Void
    ) {
        feeds = parts.feeds
        identity = parts.identity
        coordinator = parts.coordinator
        self.beatSeconds = beatSeconds
        self.demand = demand
        self.verifyAll = verifyAll
    }

    package func run() async throws {
        let (reasons, reason) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        identity.whenCredentialsEnd { reason.yield() }
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { tasks in
                // The server's own feed has no limit. If the feed fails, `whenCredentialsEnd` still reports credentials
                // that end.
                tasks.addTask { await followLogOnDemand(reason) }
                for await _ in reasons { await verifyAll() }
                tasks.cancelAll()
            }
        }
    }

    private func followLogOnDemand(_ reason: AsyncStream<Void>.Continuation) async {
        guard let demand else {
            try? await followLog(reason)
            return
        }
        var following: Task<Void, Never>?
        for await isNeeded in demand {
            if isNeeded, following == nil {
                following = Task { try? await followLog(reason) }
            } else if !isNeeded {
                following?.cancel()
                following = nil
            }
        }
        following?.cancel()
    }

    /// Requests a check of all connections after each change that may end a credential or a right, and at each beat.
    private func followLog(_ reason: AsyncStream<Void>.Continuation) async throws {
        let feed = try feeds.open(
            .changes, by: .server, beatSeconds: beatSeconds, timeoutSeconds: nil)
        defer { feed.close() }
        var place = coordinator.lastSequence
        // This check covers the changes between the first connection and the feed.
        reason.yield()
        while let reasons = await feed.next() {
            // The check at a beat finds tokens that have expired.
            if await mayEndCredentials(after: &place) || reasons.isBeat { reason.yield() }
        }
    }

    /// Returns whether a change after `place` may have ended a credential, and advances `place`.
    private func mayEndCredentials(after place: inout LogSequence) async -> Bool {
        var mayEnd = false
        while true {
            do {
                let events = try await feeds.recent.events(since: place)
                guard let last = events.last else { return mayEnd }
                place = last.sequence
                mayEnd = mayEnd || events.contains { $0.change.mayEndCredentials }
            } catch {
                place = coordinator.lastSequence
                return true
            }
        }
    }
}

extension Change {
    /// Whether the change may have ended someone's credential or right.
    fileprivate var mayEndCredentials: Bool {
        switch self {
        case .action, .directory: true
        default: false
        }
    }
}
