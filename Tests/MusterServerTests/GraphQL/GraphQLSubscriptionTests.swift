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
        var end: GraphQLError?

        mutating func send(at sequence: LogSequence, _ answer: () async throws -> JSONValue?) async throws {
            try await pause(answers.count)
            if let answer = try await answer() { answers.append(answer) }
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
        of user: User, proof: any RequestProof, _ office: Office, _ time: Time
    ) async throws -> Subscription {
        var context = AppRequestContext(
            source: ApplicationRequestContextSource(channel: EmbeddedChannel(), logger: Logger(label: "test")))
        context.proof = proof
        context.principal = Principal(user, proof: .apiKey)
        let request = try GraphQLRequest(
            "subscription { safetyChanged { person { name } } }", schema: ServedSchema.schema,
            limits: ServedSchema.limits)
        let operation = try GraphQLOperation(request)
        let source = try SubscriptionSource(operation, OperationContext(office.parts, context))
        return Subscription(
            office.parts, context, operation, source, proof: proof,
            gate: OperationGate(running: 2, waiting: .max), since: .zero, time: { time.now })
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
}
