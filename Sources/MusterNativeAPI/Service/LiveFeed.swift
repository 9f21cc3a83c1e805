import HTTPTypes
import Hummingbird
import MusterCore
import MusterServer
import MusterStore
import NIOCore
import Synchronization

/// The live feed of the changes that a reader may see: server-sent events (SSE, `text/event-stream`) with heartbeats.
/// A client resumes it by `Last-Event-ID`.
final class LiveFeed: FeedContent {
    private let recent: RecentEvents
    private let coordinator: StoreCoordinator
    private let identity: Identity
    private let locationRequests: LocationRequests
    /// Verified again before each batch and heartbeat, so that the feed ends when the credential does.
    private let proof: any RequestProof
    /// The last change that was sent, or passed over because the reader may not see it.
    private let cursor: Mutex<LogSequence>
    let beatSeconds: Double?

    var topic: LogFeeds.Topic { .changes }
    var timeoutSeconds: Double? { nil }

    /// Makes the feed of the changes after a cursor.
    init(_ server: ServerParts, proof: any RequestProof, since cursor: LogSequence) {
        recent = server.feeds.recent
        coordinator = server.coordinator
        identity = server.identity
        locationRequests = server.pushes.locationRequests
        beatSeconds = server.configuration.heartbeatSeconds
        self.proof = proof
        self.cursor = Mutex(cursor)
    }

    static var headers: HTTPFields {
        [.contentType: "text/event-stream", .cacheControl: "no-store", .init("X-Accel-Buffering")!: "no"]
    }

    func begin(_ writer: inout any ResponseBodyWriter) async throws -> Bool {
        // The server sends a comment at once, by which the client and any proxy see that the feed is open.
        try await writer.write(ByteBuffer(string: ": open\nretry: 2000\n\n"))
        return try await sendEvents(&writer)
    }

    func send(_ reasons: LogFeed.WakeReasons, _ writer: inout any ResponseBodyWriter) async throws -> Bool {
        if reasons.isTouched, try await !sendEvents(&writer) { return false }
        if reasons.isBeat {
            _ = try await proof.verify(by: identity, atOpening: false)
            try await writer.write(ByteBuffer(string: ": heartbeat\n\n"))
        }
        return true
    }

    func end(_ writer: inout any ResponseBodyWriter) {}

    /// Sends changes until there are no more.
    ///
    /// - Returns: whether the feed continues; false when the log cannot be read. The client then reconnects with its
    ///   last id, and receives the changes or an error.
    private func sendEvents(_ writer: inout any ResponseBodyWriter) async throws -> Bool {
        while true {
            let events: [LiveEvent]
            do {
                events = try await recent.events(since: cursor.withLock { $0 })
            } catch StoreError.trimmed {
                try await writer.write(ByteBuffer(string: "event: resync\ndata: {}\n\n"))
                return false
            } catch {
                return false
            }
            guard let last = events.last else { return true }
            let principal = try await proof.verify(by: identity, atOpening: false)
            let access = Access(principal, in: coordinator.directory)
            var bytes: [UInt8] = []
            for event in events where access.maySee(event.change) { event.appendEventStream(to: &bytes) }
            if !bytes.isEmpty { try await writer.write(ByteBuffer(bytes: bytes)) }
            noteQuestions(among: events, to: principal.user)
            cursor.withLock { $0 = last.sequence }
        }
    }
    /// Records that the live feed delivered the question "where are you now?" to the reader.
    private func noteQuestions(among events: [LiveEvent], to reader: UserNumber) {
        for event in events {
            guard case .action(let action) = event.change, action.kind == .locationAsked, action.user == reader else {
                continue
            }
            locationRequests.recordOutcome(
                through: .liveFeed, to: reader, asked: event.committedAt, at: coordinator.now())
        }
    }
}
