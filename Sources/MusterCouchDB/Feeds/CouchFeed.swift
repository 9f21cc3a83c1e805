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
    /// What wakes whoever follows.
    var topic: LogFeeds.Topic { get }
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

/// A feed of an answer's rows, for as long as whoever opened it may read them.
final class CouchFeed<Answer: FollowedAnswer>: FeedContent {
    private let coordinator: StoreCoordinator
    private let identity: Identity
    /// Verified again before anything is sent, so that a feed ends with the right to read.
    private let proof: any RequestProof
    /// How far it was sent.
    private let answer: Mutex<Answer>
    private let terms: FeedTerms
    private let mayFollow: @Sendable (Access, Directory) -> Bool
    let topic: LogFeeds.Topic

    var beatSeconds: Double? { terms.heartbeatSeconds }
    var timeoutSeconds: Double? { terms.timeoutSeconds }

    /// - Parameters:
    ///   - proof: proves whose feed it is.
    ///   - mayFollow: whether someone may have the feed at this moment.
    init(
        _ begun: Answer, _ endpoint: CouchEndpoint, proof: any RequestProof,
        whereAllowed mayFollow: @escaping @Sendable (Access, Directory) -> Bool
    ) {
        coordinator = endpoint.coordinator
        identity = endpoint.identity
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

    func send(_ ring: LogFeed.Ring, _ writer: inout any ResponseBodyWriter) async throws -> Bool {
        guard await mayGoOn() else { return false }
        if ring.isTouched, try await !sendRows(&writer) { return false }
        if ring.isBeat { try await send(beat, &writer) }
        return !ring.isOver
    }

    func end(_ writer: inout any ResponseBodyWriter) async throws {
        let bytes = try await answer.withLock { $0 }.ending(in: coordinator)
        try await send(bytes, &writer)
    }

    /// Sends rows until there are none at this moment.
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

    /// Whether whoever opened the feed still may have it.
    private func mayGoOn() async -> Bool {
        guard let principal = try? await proof.verify(by: identity, atOpening: false) else { return false }
        let directory = coordinator.directory
        return mayFollow(Access(principal, in: directory), directory)
    }
}
