import HTTPTypes
import Hummingbird
import MusterCore
import MusterHTTP
import MusterServer
import MusterStore
import MusterWire
import NIOCore
import Synchronization

/// The stream of server-sent events of one subscription, by the "distinct connections mode" of the graphql-sse
/// protocol: `next` with each result, and `complete`. The id of an event is the number of its change, from which a
/// client resumes by `Last-Event-ID`.
final class SubscriptionFeed: FeedContent {
    private let parts: ServerParts
    private let context: AppRequestContext
    private let operation: GraphQLOperation
    private let source: SubscriptionSource
    /// Verified again before each batch, each second of one, and each heartbeat, so that the feed ends when the
    /// credential does.
    private let proof: any RequestProof
    private let gate: OperationGate
    /// The last change that was sent, or passed over.
    private let cursor: Mutex<LogSequence>

    var topic: LogFeeds.Topic { .changes }
    var beatSeconds: Double? { parts.configuration.heartbeatSeconds }
    var timeoutSeconds: Double? { nil }

    /// Makes the feed of the changes after a cursor.
    init(
        _ parts: ServerParts, _ context: AppRequestContext, _ operation: GraphQLOperation, _ source: SubscriptionSource,
        proof: any RequestProof, gate: OperationGate, since cursor: LogSequence
    ) {
        self.parts = parts
        self.context = context
        self.operation = operation
        self.source = source
        self.proof = proof
        self.gate = gate
        self.cursor = Mutex(cursor)
    }

    static var headers: HTTPFields {
        [.contentType: "text/event-stream", .cacheControl: "no-store", .init("X-Accel-Buffering")!: "no"]
    }

    func begin(_ writer: inout any ResponseBodyWriter) async throws -> Bool {
        // The number comes before the first change, so that a client whose connection breaks meanwhile misses none.
        try await writer.write(ByteBuffer(string: ": open\nretry: 2000\n\(idLine)\n"))
        return try await sendChanges(&writer)
    }

    func send(_ reasons: LogFeed.WakeReasons, _ writer: inout any ResponseBodyWriter) async throws -> Bool {
        if reasons.isTouched, try await !sendChanges(&writer) { return false }
        guard reasons.isBeat else { return true }
        guard try await verify(&writer) != nil else { return false }
        // With the number that was passed over: after a quiet day a client resumes here, and not a day ago.
        try await writer.write(ByteBuffer(string: ": heartbeat\n\(idLine)\n"))
        return true
    }

    private var idLine: String { "id: \(cursor.withLock { $0 }.rawValue)\n" }

    /// Without `complete`, a client tries again, and goes on after the last change that it got.
    func end(_ writer: inout any ResponseBodyWriter) {}

    /// Verifies the proof; nil when the client lost its right, of which it was told.
    private func verify(_ writer: inout any ResponseBodyWriter) async throws -> Principal? {
        do {
            return try await proof.verify(by: parts.identity, atOpening: false)
        } catch let error as IdentityError where error.endsCredential {
            try await complete("The credentials are no longer valid.", "UnauthorizedException", &writer)
        } catch is UserPoolError {
            try await complete("The token is no longer valid.", "UnauthorizedException", &writer)
        } catch is SignatureError {
            try await complete("The signature is no longer valid: sign anew.", "UnauthorizedException", &writer)
        }
        return nil
    }

    /// Sends changes until there are no more.
    ///
    /// - Returns: whether the feed continues.
    private func sendChanges(_ writer: inout any ResponseBodyWriter) async throws -> Bool {
        while true {
            let events: [LiveEvent]
            do {
                events = try await parts.feeds.recent.events(since: cursor.withLock { $0 })
            } catch StoreError.trimmed {
                try await complete(
                    "The changes after this number are no longer stored: subscribe anew, and read the current state.",
                    "Gone", &writer)
                return false
            } catch {
                return false
            }
            guard let last = events.last else { return true }
            var verified: (principal: Principal, at: ContinuousClock.Instant)?
            for event in events where source.reports(event.change) {
                // A client that reads slowly makes a batch last, and the fields show what is so now.
                if verified.map({ ContinuousClock.now - $0.at > .seconds(1) }) ?? true {
                    guard let principal = try await verify(&writer) else { return false }
                    verified = (principal, ContinuousClock.now)
                }
                guard let principal = verified?.principal else { return false }
                let access = Access(principal, in: parts.coordinator.directory)
                guard let object = source.object(for: event, to: access) else { continue }
                let answer = try await gate.run(principal.user) { await self.answer(object, access) }
                try await writer.write(Self.event("next", id: event.sequence, answer))
                cursor.withLock { $0 = event.sequence }
            }
            cursor.withLock { $0 = last.sequence }
        }
    }

    /// Executes the operation for one change.
    private func answer(_ object: ServedObject, _ access: Access) async -> JSONValue {
        let resolver = ServedResolver(
            operation: OperationContext(parts, context, access, room: OperationContext.changeLimit))
        if case .personChange(let change) = object { resolver.operation.assume(change.safety, of: change.person) }
        return await GraphQLExecutor(resolver).execute(operation, root: object).withCodes.json
    }

    /// Tells the client why the subscription ends, and ends it.
    private func complete(
        _ words: String, _ code: String, _ writer: inout any ResponseBodyWriter
    ) async throws {
        let answer = GraphQLResponse(data: nil, errors: [GraphQLError(.request, words, code: code)])
        try await writer.write(Self.event("next", id: nil, answer.json))
        try await writer.write(ByteBuffer(string: "event: complete\ndata:\n\n"))
    }

    private static func event(_ name: String, id: LogSequence?, _ json: JSONValue) -> ByteBuffer {
        var buffer = ByteBuffer()
        if let id { buffer.writeString("id: \(id.rawValue)\n") }
        buffer.writeString("event: \(name)\ndata: ")
        buffer.writeBytes(json.bytes)
        buffer.writeString("\n\n")
        return buffer
    }
}
