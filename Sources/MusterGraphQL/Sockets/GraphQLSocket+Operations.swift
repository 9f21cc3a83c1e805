import MusterCore
import MusterHTTP
import MusterServer
import MusterWire

/// Begins the connection, and begins and ends its operations.
extension GraphQLSocket {
    private var identity: Identity { service.parts.identity }

    // MARK: Beginning

    /// Verifies who the client is, and admits it.
    func begin(_ payload: JSONValue) async {
        guard phase == .awaitingBegin else { return close(.beginsTwice) }
        do {
            let proven = try await proveConnection(payload)
            guard phase == .awaitingBegin, let principal = proven.principal else { return }
            try seat?.prove(as: FeedOwner(principal))
            context = proven
            phase = .open
            send(
                .acknowledge(
                    timeoutMilliseconds: limits.silenceMilliseconds,
                    sequence: service.parts.coordinator.lastSequence.rawValue))
            startBeats()
        } catch let refusal as SocketSeats.Refusal {
            send(.refuse(GraphQLError(.request, refusal.words, code: "LimitExceededError")))
            close(.tryLater(refusal.words))
        } catch {
            let error = service.wireProtocol.errors(for: error, context)[0]
            send(.refuse(error))
            close(error.code == "UnauthorizedException" ? .forbidden : .tryLater(error.message))
        }
    }

    /// Verifies the proof of the connection: what the message carries, or else what the request for the WebSocket did.
    ///
    /// A signature proves one request. AppSync's clients sign the connection and then each subscription; where later
    /// messages carry no proof of their own, a signature does not stand for them.
    private func proveConnection(_ payload: JSONValue) async throws -> AppRequestContext {
        if let credentials = SocketCredentials(payload) ?? credentials {
            guard wireProtocol == .realtime || !credentials.isSignature else { throw IdentityError.refused }
            return try await service.wireProtocol.prove(
                credentials, path: "/graphql/connect", body: "{}", context, by: identity)
        }
        return try await Self.verify(context, by: identity)
    }

    /// Verifies the proof of a context again.
    ///
    /// - Returns: the context with the principal as they are now.
    private static func verify(
        _ context: AppRequestContext, by identity: Identity
    ) async throws -> AppRequestContext {
        guard let proof = context.proof else { throw IdentityError.missing }
        var context = context
        context.principal = try GraphQLProtocol.admit(await proof.verify(by: identity, atOpening: false))
        return context
    }

    /// Closes a connection without operations whose client lost its right.
    func verifyIdle() async {
        do {
            _ = try await RequestWork.$current.withValue(work) { try await Self.verify(context, by: identity) }
        } catch {
            let error = service.wireProtocol.errors(for: error, context)[0]
            if error.code == "UnauthorizedException" { close(.forbidden) }
        }
    }

    // MARK: Operations

    /// An operation that may begin.
    private enum Prepared: Sendable {
        case subscription(Subscription, FeedOwner)
        /// A query, which is verified and parsed again when its turn comes: until then it holds only its text.
        case query(GraphQLCall, AppRequestContext)
        case mutation(GraphQLOperation, AppRequestContext)
    }

    /// Begins an operation.
    func start(_ start: GraphQLSocketStart, _ id: String) async {
        guard phase == .open else { return close(.unauthorized) }
        guard operations[id] == nil else {
            guard wireProtocol == .realtime else { return close(.duplicate(id)) }
            let words = "A subscription has this id already."
            return send(.error(id: id, [GraphQLError(.request, words, code: "BadRequestException")]))
        }
        guard taskCount < limits.operations else {
            let words = "A WebSocket has at most \(limits.operations) operations."
            let code = wireProtocol == .realtime ? "MaxSubscriptionsReachedError" : "LimitExceeded"
            return send(.error(id: id, [GraphQLError(.request, words, code: code)]))
        }
        let work = RequestWork(from: context.remoteAddress)
        await RequestWork.$current.withValue(work) {
            do {
                let prepared = try await prepare(start, context)
                guard phase == .open else { return }
                try begin(prepared, id, work)
            } catch {
                guard phase == .open else { return }
                refuse(service.wireProtocol.errors(for: error, context), id)
            }
        }
    }

    /// Verifies, parses and checks an operation.
    private nonisolated func prepare(
        _ start: GraphQLSocketStart, _ connection: AppRequestContext
    ) async throws -> Prepared {
        let context =
            wireProtocol == .realtime
            ? try await service.wireProtocol.prove(
                start.authorization.flatMap { SocketCredentials($0) }, path: "/graphql", body: start.text, connection,
                by: service.parts.identity)
            : try await Self.verify(connection, by: service.parts.identity)
        guard let principal = context.principal else { throw IdentityError.missing }
        let call = try GraphQLCall(start.request)
        let operation = try service.operation(call)
        if operation.kind == .subscription {
            return .subscription(
                try service.subscription(call, operation, context, since: nil), FeedOwner(principal))
        }
        guard wireProtocol == .transport else {
            throw GraphQLFieldFault("Only subscriptions are executed here.", code: "UnsupportedOperation")
        }
        return operation.kind == .mutation ? .mutation(operation, context) : .query(call, context)
    }

    private func begin(_ prepared: Prepared, _ id: String, _ work: RequestWork) throws {
        nextNumber += 1
        let number = nextNumber
        switch prepared {
        case .subscription(let subscription, let owner):
            let feed: LogFeed
            do throws(FeedShares.Refusal) {
                feed = try service.parts.feeds.open(
                    .changes, by: owner, beatSeconds: service.parts.configuration.heartbeatSeconds,
                    timeoutSeconds: nil)
            } catch {
                throw error == .isStopping
                    ? Problem.unavailable(error.words, retryAfterSeconds: 30)
                    : Problem.tooManyRequests(retryAfterSeconds: 30, error.words)
            }
            operations[id] = Operation(number: number, work: work, feed: feed)
            send(.started(id: id))
            run(id, number) { output in
                defer { feed.close() }
                var continues = try await Self.send(nil, of: subscription, to: output)
                while continues, let reasons = await feed.next() {
                    continues = try await Self.send(reasons, of: subscription, to: output)
                }
            }
        case .query(let call, let context):
            try admitRequest()
            operations[id] = Operation(number: number, work: work)
            run(id, number) { [service, identity] output in
                try await output.send {
                    let context = try await Self.verify(context, by: identity)
                    return try await service.execute(service.operation(call), context).json
                }
                try await output.complete()
            }
        case .mutation(let operation, let context):
            try admitRequest()
            operations[id] = Operation(number: number, work: work)
            // It waits for no query and for no client that does not read: it may be a call for help.
            run(id, number) { [service] output in
                let answer = try await service.execute(operation, context).json
                try await output.send { answer }
                try await output.complete()
            }
        }
    }

    /// Refuses a query or a mutation where as many run or wait as may.
    private func admitRequest() throws(GraphQLFieldFault) {
        guard operations.values.count(where: { $0.feed == nil }) < limits.requests else {
            throw GraphQLFieldFault(
                "A WebSocket has at most \(limits.requests) queries and mutations at a time.", code: "LimitExceeded")
        }
    }

    /// Sends what a subscription was woken for, or at its begin what it resumes, in a task of its own: a waiting
    /// subscription holds little memory.
    private static func send(
        _ reasons: LogFeed.WakeReasons?, of subscription: Subscription, to output: SocketOutput
    ) async throws -> Bool {
        try await inOwnTask {
            var output = output
            guard let reasons else { return try await subscription.begin(to: &output) }
            return try await subscription.send(reasons, to: &output)
        }
    }

    /// Runs an operation in a task of its own, which ends with the operation or the connection.
    private func run(
        _ id: String, _ number: Int, _ body: @escaping @Sendable (SocketOutput) async throws -> Void
    ) {
        taskCount += 1
        Task { [service, context] in
            do {
                try await body(SocketOutput(socket: self, id: id, number: number))
            } catch is CancellationError {
            } catch {
                if self.operations[id]?.number == number {
                    self.fail(service.wireProtocol.errors(for: error, context), id, number)
                }
            }
            self.taskCount -= 1
        }
    }

    /// Ends an operation with errors.
    func fail(_ errors: [GraphQLError], _ id: String, _ number: Int) {
        guard operations[id]?.number == number else { return }
        removeOperation(id)
        refuse(errors, id)
    }

    /// Ends an operation that is complete.
    func complete(_ id: String, _ number: Int) {
        guard operations[id]?.number == number else { return }
        removeOperation(id)
        send(.complete(id: id))
    }

    /// Tells the client that an operation does not begin, or does not continue. Where the connection's proof has ended,
    /// this ends all operations.
    private func refuse(_ errors: [GraphQLError], _ id: String) {
        send(.error(id: id, errors))
        guard wireProtocol == .transport, errors.contains(where: { $0.code == "UnauthorizedException" }) else { return }
        for other in operations.keys { send(.error(id: other, errors)) }
        close(.forbidden)
    }
}
