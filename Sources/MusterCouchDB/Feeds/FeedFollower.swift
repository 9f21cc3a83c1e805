import Hummingbird
import MusterCore
import MusterHTTP
import MusterServer
import NIOCore
import Synchronization

/// Rows of an answer that may go on: what there is, and then whatever comes.
protocol FollowedAnswer: Sendable {
    /// What is asked.
    var terms: FeedTerms { get }
    /// What wakes whoever follows: nil for any database.
    var awaited: DatabaseScope? { get }
    /// How many rows were told.
    var rows: Int { get }
    /// What stands before the rows of a list.
    static var head: [UInt8] { get }

    /// The answer after the next page of rows, that page, and whether it is the last at this moment.
    func advanced(in coordinator: StoreCoordinator) async throws -> (Self, [UInt8], isLast: Bool)
    /// What stands behind the rows.
    func ending(in coordinator: StoreCoordinator) async throws -> [UInt8]
}

extension FollowedAnswer {
    /// Whether as many rows were told as were asked for.
    var isFull: Bool { rows >= terms.limit }
}

/// Sends a feed: what there is, and then what is touched, for as long as whoever opened it may read it.
///
/// Ten thousand of these wait at a time, so a task that waits holds little: what has to be done between two waits is
/// done in another task.
final class FeedFollower<Answer: FollowedAnswer>: Sendable {
    private let endpoint: CouchEndpoint
    /// Proved anew before anything is told, so that a feed ends with the right to read.
    private let proof: any RequestProof
    private let owner: FeedOwner
    private let channel: any Channel
    /// How far it was told.
    private let answer: Mutex<Answer>
    private let terms: FeedTerms
    private let awaited: DatabaseScope?
    private let mayFollow: @Sendable (Access, Directory) -> Bool

    /// - Parameters:
    ///   - proof: proves whose feed it is.
    ///   - owner: whose feed it is.
    ///   - mayFollow: whether someone may have the feed at this moment.
    init(
        _ begun: Answer, endpoint: CouchEndpoint, proof: any RequestProof, owner: FeedOwner,
        on channel: any Channel, whereAllowed mayFollow: @escaping @Sendable (Access, Directory) -> Bool
    ) {
        self.endpoint = endpoint
        self.proof = proof
        self.owner = owner
        self.channel = channel
        self.mayFollow = mayFollow
        answer = Mutex(begun)
        terms = begun.terms
        awaited = begun.awaited
    }

    func follow(_ writer: inout any ResponseBodyWriter) async throws {
        // One task writes; nobody else touches the writer until it has ended.
        nonisolated(unsafe) var output = writer
        defer { writer = output }
        let feed = endpoint.feeds.open(
            awaited, by: owner, beatSeconds: terms.heartbeatSeconds, timeoutSeconds: terms.timeoutSeconds)
        endpoint.connections.watch(channel) { feed?.close() }
        defer {
            endpoint.connections.unwatch(channel)
            feed?.close()
        }
        var goesOn = try await inOwnTask { try await self.begin(&output) }
        while goesOn, let ring = await feed?.next() {
            goesOn = try await inOwnTask { try await self.tell(ring, &output) }
        }
        if channel.isActive { try await inOwnTask { try await self.end(&output) } }
    }

    /// Tells what there is already.
    ///
    /// - Returns: whether to wait for more; so do the others.
    private func begin(_ writer: inout any ResponseBodyWriter) async throws -> Bool {
        if terms.form == .list { try await send(Answer.head, &writer) }
        return try await sendRows(&writer)
    }

    /// Tells what a feed was woken for.
    private func tell(_ ring: DocumentFeed.Ring, _ writer: inout any ResponseBodyWriter) async throws -> Bool {
        guard await mayGoOn() else { return false }
        if ring.isTouched, try await !sendRows(&writer) { return false }
        if ring.isBeat { try await send(beat, &writer) }
        return !ring.isOver
    }

    /// Tells rows until there are none at this moment.
    private func sendRows(_ writer: inout any ResponseBodyWriter) async throws -> Bool {
        while true {
            let (advanced, bytes, isLast) = try await answer.withLock { $0 }.advanced(in: endpoint.coordinator)
            answer.withLock { $0 = advanced }
            try await send(bytes, &writer)
            if advanced.isFull { return false }
            if isLast { return terms.feed != .longpoll || advanced.rows == 0 }
        }
    }

    private func end(_ writer: inout any ResponseBodyWriter) async throws {
        let bytes = try await answer.withLock { $0 }.ending(in: endpoint.coordinator)
        try await send(bytes, &writer)
    }

    private func send(_ bytes: [UInt8], _ writer: inout any ResponseBodyWriter) async throws {
        if bytes.isEmpty { return }
        try await writer.write(ByteBuffer(bytes: bytes))
    }

    private var beat: [UInt8] {
        Array((terms.form == .events ? "event: heartbeat\ndata: \n\n" : "\n").utf8)
    }

    /// Whether whoever opened the feed still may have it.
    private func mayGoOn() async -> Bool {
        guard let principal = try? await proof.verify(by: endpoint.identity, atOpening: false) else { return false }
        let directory = endpoint.coordinator.directory
        return mayFollow(Access(principal, in: directory), directory)
    }
}
