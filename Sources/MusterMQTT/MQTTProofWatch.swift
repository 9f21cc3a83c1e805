import MusterCore
import MusterServer
import MusterStore
import ServiceLifecycle

/// Disconnects clients whose credentials have ended, as soon as one ends or the log tells of a change that may end one.
struct MQTTProofWatch: Service {
    let feeds: LogFeeds
    let identity: Identity
    let coordinator: StoreCoordinator
    let sessions: MQTTSessions

    func run() async throws {
        let (reasons, reason) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        identity.whenCredentialsEnd { reason.yield() }
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { tasks in
                // The server's own feed has no limit; without it, credentials that end are told all the same.
                tasks.addTask { try? await followLog(reason) }
                for await _ in reasons { await verifyAll() }
                tasks.cancelAll()
            }
        }
    }

    /// Gives a reason to verify with each change that may end a right.
    private func followLog(_ reason: AsyncStream<Void>.Continuation) async throws {
        let feed = try feeds.open(
            .changes, by: .server, beatSeconds: MQTTLimits.proofSeconds, timeoutSeconds: nil)
        defer { feed.close() }
        var place = coordinator.lastSequence
        while let ring = await feed.next() {
            // A beat finds tokens that have expired.
            if await mayEndCredentials(after: &place) || ring.isBeat { reason.yield() }
        }
    }

    /// Whether a change since a place may have ended a credential.
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

    private func verifyAll() async {
        for connection in sessions.connections { await connection.verifyStill() }
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
