import AsyncAlgorithms
import HTTPTypes
import Hummingbird
import MusterCore
import MusterStore
import NIOCore
import ServiceLifecycle
import Synchronization

/// The live feed over HTTP: `text/event-stream`, resumed by `Last-Event-ID`, with heartbeats.
struct LiveFeed: Sendable {
    let live: Live
    let ledger: Ledger
    let identity: Identity
    let connections: OpenConnections
    let heartbeatSeconds: Double

    /// Seconds that a reader may take for what was sent to it; then it is dropped, and may come back where it was.
    static let stallSeconds: Double = 30

    /// Seconds that a reader has at shutdown to take what is on its way to it.
    static let shutdownSeconds: Double = 1

    /// Who listens: proved anew before anything is told, so that a feed ends with the credential it was opened with.
    struct Proof: Sendable {
        /// The `Authorization` header.
        var authorization: String?
        /// Where the request came from.
        var address: String
    }

    /// Answers with everything after `cursor` that whoever proved it may see, as it happens, until the connection is
    /// closed.
    ///
    /// - Throws: 503 when as many listen as may, or the server is stopping.
    func response(to proof: Proof, since cursor: Sequence?, on channel: any Channel) throws -> Response {
        guard let listener = live.listen(since: cursor ?? ledger.lastSequence) else {
            throw HTTPError(
                .serviceUnavailable, message: "as many live feeds are open as may be, or the server is stopping")
        }
        let headers: HTTPFields = [
            .contentType: "text/event-stream", .cacheControl: "no-store", .init("X-Accel-Buffering")!: "no",
        ]
        let body = ResponseBody { writer in
            connections.watch(channel) { listener.leave() }
            defer {
                connections.unwatch(channel)
                listener.leave()
            }
            try await stream(listener, to: proof, &writer)
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: headers, body: body)
    }

    private enum Beat: Sendable {
        case events([LiveEvent])
        case heartbeat
        case ended
        case trimmed
    }

    private func stream(
        _ listener: Listener, to proof: Proof, _ writer: inout any ResponseBodyWriter
    ) async throws {
        // A comment at once tells the reader, and whatever stands between, that the feed is open.
        try await writer.write(ByteBuffer(string: ": open\nretry: 2000\n\n"))
        // One task writes; nobody else touches the writer until all have ended.
        nonisolated(unsafe) var output = writer
        let beats = AsyncChannel<Beat>()
        let progress = WriteProgress()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await pump(listener, into: beats) }
            group.addTask { try await beat(into: beats) }
            group.addTask { try await progress.watch(stallSeconds: Self.stallSeconds) }
            group.addTask {
                try await gracefulShutdown()
                try await Task.sleep(for: .seconds(Self.shutdownSeconds))
            }
            group.addTask {
                for await beat in beats {
                    progress.begin()
                    guard try await send(beat, to: proof, &output) else { return }
                    progress.end()
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func beat(into beats: AsyncChannel<Beat>) async throws {
        while true {
            try await Task.sleep(for: .seconds(heartbeatSeconds))
            await beats.send(.heartbeat)
        }
    }

    private func pump(_ listener: Listener, into beats: AsyncChannel<Beat>) async {
        do {
            for try await events in listener { await beats.send(.events(events)) }
            await beats.send(.ended)
        } catch StoreError.trimmed {
            await beats.send(.trimmed)
        } catch {
            // The reader comes back with the last id it has, and meets the store again.
            await beats.send(.ended)
        }
        // Whoever sends the last beat ends the feed.
        try? await Task.sleep(for: .seconds(Self.stallSeconds))
    }

    /// Sends one beat.
    ///
    /// - Returns: whether the feed goes on.
    private func send(
        _ beat: Beat, to proof: Proof, _ writer: inout any ResponseBodyWriter
    ) async throws -> Bool {
        switch beat {
        case .ended: return false
        case .trimmed:
            try await writer.write(ByteBuffer(string: "event: resync\ndata: {}\n\n"))
            return false
        case .heartbeat:
            _ = try await identity.authenticate(proof.authorization, from: proof.address)
            try await writer.write(ByteBuffer(string: ": heartbeat\n\n"))
            return true
        case .events(let events):
            let principal = try await identity.authenticate(proof.authorization, from: proof.address)
            let access = Access(principal, in: ledger.directory)
            var bytes: [UInt8] = []
            for event in events where access.maySee(event.change) { event.appendEventStream(to: &bytes) }
            if !bytes.isEmpty { try await writer.write(ByteBuffer(bytes: bytes)) }
            return true
        }
    }
}

/// Since when a write has been under way.
private final class WriteProgress: Sendable {
    private let began = Mutex<ContinuousClock.Instant?>(nil)

    func begin() { began.withLock { $0 = .now } }
    func end() { began.withLock { $0 = nil } }

    /// Returns never; throws once a write has taken too long.
    func watch(stallSeconds: Double) async throws {
        while true {
            try await Task.sleep(for: .seconds(stallSeconds / 4))
            if let began = began.withLock({ $0 }), began.duration(to: .now) > .seconds(stallSeconds) {
                throw StalledReader()
            }
        }
    }
}

/// A reader did not take what was sent to it.
struct StalledReader: Error {}
