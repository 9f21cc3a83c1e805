import Hummingbird
import MusterCore
import MusterServer
import NIOCore
import Synchronization

// How `_changes` and `_db_updates` go on after the existing rows.

/// A response with rows that may continue: the existing rows first, and then new ones as they appear.
protocol FollowedAnswer: Sendable {
    /// The parameters of the feed.
    var terms: FeedTerms { get }
    /// The changes of the log that wake the feed.
    var topic: LogFeeds.Topic { get }
    /// The number of rows sent so far.
    var rows: Int { get }
    /// The bytes before the rows of a list.
    static var head: [UInt8] { get }

    /// Reads the next page. Returns the state after it, the page's rows, and whether there are no more rows for now.
    func advanced(in coordinator: StoreCoordinator) async throws -> (Self, [UInt8], isLast: Bool)
    /// Returns the bytes after the last row.
    func ending(in coordinator: StoreCoordinator) async throws -> [UInt8]
}

extension FollowedAnswer {
    /// Whether the feed has sent as many rows as the client asked for.
    var isFull: Bool { rows >= terms.limit }
}

/// Sends the rows of a response to a client for as long as the client may read them.
final class CouchFeed<Answer: FollowedAnswer>: FeedContent {
    private let coordinator: StoreCoordinator
    private let identity: Identity
    /// The proof of the client's identity. It is verified again before anything is sent, so that the feed ends when the
    /// right to read does.
    private let proof: any RequestProof
    /// The state up to which rows were sent.
    private let answer: Mutex<Answer>
    private let terms: FeedTerms
    private let mayFollow: @Sendable (Access, Directory) -> Bool
    let topic: LogFeeds.Topic

    var beatSeconds: Double? { terms.heartbeatSeconds }
    var timeoutSeconds: Double? { terms.timeoutSeconds }

    /// - Parameters:
    ///   - begun: the state up to which rows were sent.
    ///   - proof: proves the identity of the client that opened the feed.
    ///   - mayFollow: whether a principal may have the feed now.
    init(
        _ begun: Answer, coordinator: StoreCoordinator, identity: Identity, proof: any RequestProof,
        whereAllowed mayFollow: @escaping @Sendable (Access, Directory) -> Bool
    ) {
        self.coordinator = coordinator
        self.identity = identity
        self.proof = proof
        self.mayFollow = mayFollow
        answer = Mutex(begun)
        terms = begun.terms
        topic = begun.topic
    }

    func begin(_ writer: inout any ResponseBodyWriter) async throws -> Bool {
        if terms.form == .list { try await send(Answer.head, &writer) }
        return try await sendRows(&writer)
    }

    func send(_ reasons: LogFeed.WakeReasons, _ writer: inout any ResponseBodyWriter) async throws -> Bool {
        guard await mayGoOn() else { return false }
        if reasons.isTouched, try await !sendRows(&writer) { return false }
        if reasons.isBeat { try await send(beat, &writer) }
        return !reasons.isOver
    }

    func end(_ writer: inout any ResponseBodyWriter) async throws {
        let bytes = try await answer.withLock { $0 }.ending(in: coordinator)
        try await send(bytes, &writer)
    }

    /// Sends rows until there are no more for now.
    ///
    /// - Returns: whether the feed continues.
    private func sendRows(_ writer: inout any ResponseBodyWriter) async throws -> Bool {
        while true {
            let (advanced, bytes, isLast) = try await answer.withLock { $0 }.advanced(in: coordinator)
            answer.withLock { $0 = advanced }
            try await send(bytes, &writer)
            if advanced.isFull { return false }
            if isLast { return terms.feed != .longpoll || advanced.rows == 0 }
        }
    }

    private func send(_ bytes: [UInt8], _ writer: inout any ResponseBodyWriter) async throws {
        if bytes.isEmpty { return }
        try await writer.write(ByteBuffer(bytes: bytes))
    }

    private var beat: [UInt8] {
        Array((terms.form == .events ? "event: heartbeat\ndata: \n\n" : "\n").utf8)
    }

    /// Whether the client that opened the feed may still have it.
    private func mayGoOn() async -> Bool {
        guard let principal = try? await proof.verify(by: identity, atOpening: false) else { return false }
        let directory = coordinator.directory
        return mayFollow(Access(principal, in: directory), directory)
    }
}
