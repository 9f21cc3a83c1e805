import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// Where the answers of a subscription go, in the form of one transport.
protocol SubscriptionOutput {
    /// Sends the answer to one change, as soon as the client takes more.
    ///
    /// - Parameter answer: executes the operation for the change; nil when the client may no longer see it. It is
    ///   called once the client takes more, so that no answer waits in memory, and shows what is so then.
    mutating func send(at sequence: LogSequence, _ answer: () async throws -> JSONValue?) async throws

    /// Tells the client that the subscription is open, and up to which change it has been told of everything.
    mutating func beat(at sequence: LogSequence) async throws

    /// Tells the client why the subscription ends, and ends it.
    mutating func end(_ error: GraphQLError) async throws

    /// Ends the subscription so that the client subscribes anew: the server cannot go on now.
    mutating func breakOff() async throws
}

/// One subscription, from the change after which it begins: the core of every transport.
final class Subscription: Sendable {
    private let parts: ServerParts
    private let context: AppRequestContext
    private let operation: GraphQLOperation
    private let source: SubscriptionSource
    /// Verified again before each batch, each second of one, and each heartbeat, so that the subscription ends when the
    /// credential does.
    private let proof: any RequestProof
    private let gate: OperationGate
    /// What is asked, by which answers are shared; nil for a subscription that makes each of its own.
    private let document: SharedAnswers.Document?
    private let shared: SharedAnswers
    private let time: @Sendable () -> ContinuousClock.Instant
    /// The last change that was sent, or passed over.
    private let cursor: NumberCell

    /// How long a verified proof counts within a batch.
    private static let verifiedSeconds = Duration.seconds(1)

    /// Makes the subscription to the changes after a cursor.
    init(
        _ parts: ServerParts, _ context: AppRequestContext, _ operation: GraphQLOperation, _ source: SubscriptionSource,
        proof: any RequestProof, gate: OperationGate, since cursor: LogSequence,
        as document: SharedAnswers.Document? = nil, sharing shared: SharedAnswers = SharedAnswers(),
        time: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.parts = parts
        self.context = context
        self.operation = operation
        self.source = source
        self.proof = proof
        self.gate = gate
        self.document = document
        self.shared = shared
        self.time = time
        self.cursor = NumberCell(cursor.rawValue)
    }

    /// The last change that was sent, or passed over.
    var sequence: LogSequence { LogSequence(cursor.value) }

    /// Why a subscription ends.
    private struct End: Error {
        /// What the client is told; nil when the server cannot go on now, and the client subscribes anew.
        let error: GraphQLError?

        init(_ words: String, _ code: String) { error = GraphQLError(.request, words, code: code) }

        init() { error = nil }
    }

    /// Sends the changes since the subscription's begin.
    ///
    /// - Returns: whether the subscription continues.
    /// - Throws: the errors of the output; those of verifying, when the server cannot verify now.
    func begin(to output: inout some SubscriptionOutput) async throws -> Bool {
        try await send(changes: true, beat: false, &output)
    }

    /// Sends what the subscription was woken for, as `begin` does.
    func send(_ reasons: LogFeed.WakeReasons, to output: inout some SubscriptionOutput) async throws -> Bool {
        try await send(changes: reasons.isTouched, beat: reasons.isBeat, &output)
    }

    private func send(changes: Bool, beat: Bool, _ output: inout some SubscriptionOutput) async throws -> Bool {
        do {
            if changes { try await sendChanges(&output) }
            guard beat else { return true }
            _ = try await verify()
            // With the number that was passed over: after a quiet day a client resumes here, and not a day ago.
            try await output.beat(at: sequence)
            return true
        } catch let end as End {
            if let error = end.error { try await output.end(error) } else { try await output.breakOff() }
            return false
        }
    }

    /// Verifies the proof.
    private func verify() async throws -> Principal {
        do {
            return try await proof.verify(by: parts.identity, atOpening: false)
        } catch {
            guard let fault = GraphQLFieldFault(endOfCredential: error) else { throw error }
            throw End(fault.message, fault.code ?? "UnauthorizedException")
        }
    }

    /// A principal, and when they were last verified.
    private struct Verified {
        var access: Access
        var at: ContinuousClock.Instant
    }

    private func verified(_ former: Verified?) async throws -> Verified {
        if let former, time() - former.at <= Self.verifiedSeconds {
            return Verified(access: Access(former.access.principal, in: parts.coordinator.directory), at: former.at)
        }
        return Verified(access: Access(try await verify(), in: parts.coordinator.directory), at: time())
    }

    /// Sends changes until there are no more.
    private func sendChanges(_ output: inout some SubscriptionOutput) async throws {
        while true {
            let events = try await nextEvents()
            guard let last = events.last else { return }
            var proven: Verified?
            for event in events where source.reports(event.change) {
                // A client that reads slowly makes a batch last, and the fields show what is so now.
                let before = try await verified(proven)
                proven = before
                guard source.object(for: event, to: before.access) != nil else { continue }
                try await output.send(at: event.sequence) {
                    // The rights are those of when it is this subscription's turn.
                    try await gate.run(before.access.principal.user) { () -> JSONValue? in
                        // Read before the rights are: an answer is kept only for a log that did not grow meanwhile.
                        let newest = parts.coordinator.adoptedSequence
                        let now = try await verified(before)
                        proven = now
                        guard let object = source.object(for: event, to: now.access) else { return nil }
                        return try await answer(object, to: event.sequence, newest, now.access)
                    }
                }
                cursor.value = event.sequence.rawValue
            }
            cursor.value = last.sequence.rawValue
        }
    }

    private func nextEvents() async throws -> [LiveEvent] {
        do {
            return try await parts.feeds.recent.events(since: sequence)
        } catch StoreError.trimmed {
            throw End(
                "The changes after this number are no longer stored: subscribe anew, and read the current state.",
                "Gone")
        } catch {
            throw End()
        }
    }

    /// The answer to one change, shared with the caller's other subscriptions that ask the same; nil when the client's
    /// filter leaves the change out.
    private func answer(
        _ object: ServedObject, to change: LogSequence, _ newest: LogSequence, _ access: Access
    ) async throws -> JSONValue? {
        guard let document else { return try await answer(object, access) }
        let key = SharedAnswers.Key(
            document: document, principal: access.principal, change: change, newest: newest)
        if let found = shared.answer(key, at: time()) { return found }
        let made = try await answer(object, access)
        if Self.holdsForAll(made), parts.coordinator.lastSequence == newest { shared.store(made, for: key, at: time()) }
        return made
    }

    /// Whether an answer is the same for all who ask. A read that the server refused, or that was broken off with its
    /// connection, is an error of one of them.
    private static func holdsForAll(_ answer: JSONValue?) -> Bool {
        (answer?["errors"]?.elements ?? []).allSatisfy { error in
            error["extensions"]?["errorType"]?.string == "Unauthorized"
        }
    }

    /// Executes the operation for one change; nil when the client's filter leaves the change out.
    private func answer(_ object: ServedObject, _ access: Access) async throws -> JSONValue? {
        let resolver = ServedResolver(
            operation: OperationContext(parts, context, access, room: OperationContext.changeLimit))
        if case .personChange(let change) = object, let safety = change.safety {
            resolver.operation.assume(safety, of: change.person)
        }
        if case .userChange(let change) = object {
            if let version = change.version { resolver.operation.assume(version, of: change.user) }
            if let safety = change.safety { resolver.operation.assume(safety, of: change.user) }
            if let filter = source.filter {
                guard try await !filter.matches(among: [change.user], resolver.operation).isEmpty else { return nil }
            }
        }
        return await GraphQLExecutor(resolver).execute(operation, root: object).withCodes.json
    }
}
