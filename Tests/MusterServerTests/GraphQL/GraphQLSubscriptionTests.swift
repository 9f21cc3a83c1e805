import Hummingbird
import Logging
import MusterCore
import MusterWire
import NIOEmbedded
import Synchronization
import Testing

@testable import MusterGraphQL
@testable import MusterServer

/// A subscription whose client reads slowly.
@Suite struct GraphQLSubscriptionTests {
    /// Keeps the answers, and lets something happen while the client takes no more.
    private struct SlowOutput: SubscriptionOutput {
        /// Called before each answer is made, with the number of the answers before it.
        let pause: @Sendable (Int) async throws -> Void
        var answers: [JSONValue] = []
        var sequences: [LogSequence] = []
        var end: GraphQLError?

        mutating func send(at sequence: LogSequence, _ answer: () async throws -> JSONValue?) async throws {
            try await pause(answers.count)
            guard let answer = try await answer() else { return }
            answers.append(answer)
            sequences.append(sequence)
        }

        mutating func beat(at sequence: LogSequence) {}

        mutating func end(_ error: GraphQLError) { end = error }

        mutating func breakOff() {}
    }

    /// A clock that is moved by hand.
    private final class Time: Sendable {
        private let begin = ContinuousClock.now
        private let passed = Mutex(Duration.zero)

        var now: ContinuousClock.Instant { begin + passed.withLock { $0 } }

        func pass(_ time: Duration) { passed.withLock { $0 += time } }
    }

    /// Subscribes as a user to all changes of safety since the log's begin.
    private func subscription(
        of user: User, proof: any RequestProof, _ office: Office, _ time: Time, sharing shared: SharedAnswers? = nil
    ) async throws -> Subscription {
        var context = AppRequestContext(
            source: ApplicationRequestContextSource(channel: EmbeddedChannel(), logger: Logger(label: "test")))
        context.proof = proof
        context.principal = Principal(user, proof: .apiKey)
        let request = try GraphQLRequest(
            Self.safetyChanges, schema: ServedSchema.schema, limits: ServedSchema.limits)
        let operation = try GraphQLOperation(request)
        let source = try SubscriptionSource(operation, OperationContext(office.parts, context))
        return Subscription(
            office.parts, context, operation, source, proof: proof,
            gate: OperationGate(running: 2, waiting: .max), since: .zero,
            as: try shared.map { _ in try Self.document }, sharing: shared ?? SharedAnswers(), time: { time.now })
    }

    private static let safetyChanges = "subscription { safetyChanged { person { name } } }"

    private static var document: SharedAnswers.Document {
        get throws {
            try #require(
                SharedAnswers.Document(try GraphQLCall(.object([.init("query", .string(safetyChanges))]))))
        }
    }

    /// Makes three changes of mia's safety.
    private func change(at desk: Desk) async throws {
        for kind in ["needsHelp", "clear", "sos"] {
            let body = #"{"kind":"\#(kind)"}"#
            let reply = try await desk.send(.post, "/users/mia/declarations", as: "admin", body)
            #expect(reply.status < 300)
        }
    }

    @Test func `a key that is revoked while a slow client reads ends the subscription before more is shown`()
        async throws
    {
        let office = try await Office()
        try await office.open { desk in
            try await change(at: desk)
            let lena = try office.user("lena")
            let (key, secret) = try await office.identity.makeKey(label: "short", for: lena.number, by: nil)
            let time = Time()
            let proof = HeaderProof("Bearer \(secret)", from: "1.2.3.4")
            let subscription = try await subscription(of: lena, proof: proof, office, time)
            var output = SlowOutput(pause: { count in
                guard count == 1 else { return }
                time.pass(.seconds(40))
                try await office.identity.removeKey(key, by: nil)
            })
            let continues = try await subscription.begin(to: &output)
            #expect(!continues)
            #expect(output.answers.count == 1)
            #expect(output.end?.code == "UnauthorizedException")
        }
    }

    @Test func `a leader who leaves the team while a slow client reads sees nothing more of it`() async throws {
        let office = try await Office()
        try await office.open { desk in
            try await change(at: desk)
            let time = Time()
            let proof = HeaderProof("Bearer \(office.keys["lena"] ?? "")", from: "1.2.3.4")
            let subscription = try await subscription(of: try office.user("lena"), proof: proof, office, time)
            var output = SlowOutput(pause: { count in
                guard count == 1 else { return }
                time.pass(.seconds(40))
                try await office.coordinator.edit(by: nil) { directory, draft in
                    guard var lena = directory.users["lena"] else { return }
                    lena.team = directory.teams["south"]?.number
                    draft.edits = [.putUser(lena)]
                }
            })
            let continues = try await subscription.begin(to: &output)
            #expect(continues)
            #expect(output.answers.count == 1)
            #expect(output.end == nil)
        }
    }

    @Test func `an answer to the newest change is taken from another subscription of the same caller alone`()
        async throws
    {
        let office = try await Office()
        try await office.open { desk in
            try await change(at: desk)
            let time = Time()
            /// The answers and their changes, as a user gets them beside what is shared.
            func output(as name: String, sharing shared: SharedAnswers) async throws -> SlowOutput {
                let proof = HeaderProof("Bearer \(office.keys[name] ?? "")", from: "1.2.3.4")
                let subscription = try await subscription(
                    of: try office.user(name), proof: proof, office, time, sharing: shared)
                var output = SlowOutput(pause: { _ in })
                #expect(try await subscription.begin(to: &output))
                return output
            }
            let alone = try await output(as: "lena", sharing: SharedAnswers())
            let last = try #require(alone.sequences.last)
            let principal = try await HeaderProof("Bearer \(office.keys["lena"] ?? "")", from: "1.2.3.4")
                .verify(by: office.identity, atOpening: false)
            let shared = SharedAnswers()
            func key(newest: LogSequence) throws -> SharedAnswers.Key {
                SharedAnswers.Key(document: try Self.document, principal: principal, change: last, newest: newest)
            }
            shared.store(.string("shared"), for: try key(newest: office.coordinator.lastSequence), at: time.now)
            let taken = try await output(as: "lena", sharing: shared)
            #expect(taken.answers == alone.answers.dropLast() + [.string("shared")])
            #expect(try await !output(as: "admin", sharing: shared).answers.contains(.string("shared")))
            // An answer of before the log grew is nobody's.
            try await office.coordinator.edit(by: nil) { directory, draft in
                draft.edits = directory.users["lena"].map { [.putUser($0)] } ?? []
            }
            #expect(try await output(as: "lena", sharing: shared).answers == alone.answers)
        }
    }
}
