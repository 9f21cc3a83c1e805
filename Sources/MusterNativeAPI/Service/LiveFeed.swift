import AsyncAlgorithms
import HTTPTypes
import Hummingbird
import MusterCore
import MusterHTTP
import MusterServer
import MusterStore
import NIOCore
import Synchronization

/// The live feed over HTTP: `text/event-stream`, resumed by `Last-Event-ID`, with heartbeats.
struct LiveFeed: Sendable {
    let live: Live
    let coordinator: StoreCoordinator
    let identity: Identity
    let connections: OpenConnections
    let heartbeatSeconds: Double

    /// Answers with every change after `cursor` that the listener may see, as it happens, until the connection closes.
    ///
    /// The feed verifies the proof again before each batch and heartbeat, so it ends when the credential does.
    ///
    /// - Throws: 429 when the limit of listeners, in total or of this owner, is reached; 503 when the server is
    ///   stopping.
    func response(
        to proof: any RequestProof, of owner: FeedOwner, since cursor: LogSequence?, on channel: any Channel
    ) throws(Problem) -> Response {
        let listener: Listener
        do throws(FeedShares.Refusal) {
            listener = try live.listen(since: cursor ?? coordinator.lastSequence, by: owner)
        } catch {
            throw error == .isStopping
                ? .unavailable(error.words, retryAfterSeconds: 30)
                : .tooManyRequests(retryAfterSeconds: 30, error.words)
        }
        let body = ResponseBody { writer in
            try await watched(listener, on: channel) { try await stream(listener, to: proof, &writer) }
            // The client may send its next request on this connection as soon as it receives this end.
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: Self.headers, body: body)
    }

    /// The answer to HEAD. It opens no feed.
    static var head: Response { Response(status: .ok, headers: headers) }

    private static var headers: HTTPFields {
        [.contentType: "text/event-stream", .cacheControl: "no-store", .init("X-Accel-Buffering")!: "no"]
    }

    private func watched(
        _ listener: Listener, on channel: any Channel, _ body: () async throws -> Void
    ) async throws {
        connections.watch(channel) { listener.leave() }
        defer {
            connections.unwatch(channel)
            listener.leave()
        }
        try await body()
    }

    private enum Beat: Sendable {
        case events([LiveEvent])
        case heartbeat
        case ended
        case trimmed
    }

    private func stream(
        _ listener: Listener, to proof: any RequestProof, _ writer: inout any ResponseBodyWriter
    ) async throws {
        // Sends a comment at once, so that the client and any proxy between see that the feed is open.
        try await writer.write(ByteBuffer(string: ": open\nretry: 2000\n\n"))
        let beats = AsyncChannel<Beat>()
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { await pump(listener, into: beats) }
            group.addTask { await beat(into: beats) }
            defer { group.cancelAll() }
            for await beat in beats {
                guard try await send(beat, to: proof, &writer) else { return }
            }
        }
    }

    private func beat(into beats: AsyncChannel<Beat>) async {
        while (try? await Task.sleep(for: .seconds(heartbeatSeconds))) != nil { await beats.send(.heartbeat) }
    }

    private func pump(_ listener: Listener, into beats: AsyncChannel<Beat>) async {
        do {
            for try await events in listener { await beats.send(.events(events)) }
            await beats.send(.ended)
        } catch StoreError.trimmed {
            await beats.send(.trimmed)
        } catch {
            // The client reconnects with its last id and then receives the store's error or its changes.
            await beats.send(.ended)
        }
    }

    /// Sends one beat.
    ///
    /// - Returns: whether the feed continues.
    private func send(
        _ beat: Beat, to proof: any RequestProof, _ writer: inout any ResponseBodyWriter
    ) async throws -> Bool {
        switch beat {
        case .ended: return false
        case .trimmed:
            try await writer.write(ByteBuffer(string: "event: resync\ndata: {}\n\n"))
            return false
        case .heartbeat:
            _ = try await proof.verify(by: identity, atOpening: false)
            try await writer.write(ByteBuffer(string: ": heartbeat\n\n"))
            return true
        case .events(let events):
            let principal = try await proof.verify(by: identity, atOpening: false)
            let access = Access(principal, in: coordinator.directory)
            var bytes: [UInt8] = []
            for event in events where access.maySee(event.change) { event.appendEventStream(to: &bytes) }
            if !bytes.isEmpty { try await writer.write(ByteBuffer(bytes: bytes)) }
            return true
        }
    }
}
