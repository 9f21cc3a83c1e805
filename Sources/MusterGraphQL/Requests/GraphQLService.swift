import MusterCore
import MusterHTTP
import MusterServer
import MusterWire

/// Prepares and executes operations, whichever transport brings them.
struct GraphQLService: Sendable {
    let parts: ServerParts
    let wireProtocol: GraphQLProtocol
    private let documents = DocumentCache()
    private let queries = OperationGate(running: 4, waiting: 64)
    /// Each subscription waits at most once, so the limits of feeds bound how many wait.
    private let changes = OperationGate(running: 2, waiting: .max)
    private let answers = SharedAnswers()

    init(_ parts: ServerParts) {
        self.parts = parts
        wireProtocol = GraphQLProtocol(parts)
    }

    /// Parses and checks the operation of a request.
    ///
    /// - Throws: the errors of the document, or of its variables.
    func operation(_ call: GraphQLCall) throws(GraphQLErrors) -> GraphQLOperation {
        let document = try documents.document(call.source)
        return try GraphQLOperation(document, named: call.operationName, variables: call.variables)
    }

    /// Executes a query or a mutation for the principal of a context.
    ///
    /// - Throws: `Problem` when the context has no principal, or too many operations of the principal wait.
    func execute(_ operation: GraphQLOperation, _ context: AppRequestContext) async throws -> GraphQLResponse {
        let resolver = ServedResolver(operation: try OperationContext(parts, context))
        // A mutation waits for no query: it may be a call for help.
        if operation.kind == .mutation {
            return await GraphQLExecutor(resolver).execute(operation, root: .operation).withCodes
        }
        return try await queries.run(resolver.operation.access.principal.user) {
            await GraphQLExecutor(resolver).execute(operation, root: .operation).withCodes
        }
    }

    /// Prepares a subscription for the principal of a context.
    ///
    /// - Parameter cursor: the change after which the client resumes; nil for where the request says, or for now.
    /// - Throws: `GraphQLErrors`; `GraphQLFieldFault` when the request names what the caller may not see, or is too
    ///   large; `Problem` when the context has no principal.
    func subscription(
        _ call: GraphQLCall, _ operation: GraphQLOperation, _ context: AppRequestContext, since cursor: LogSequence?
    ) throws -> Subscription {
        guard let proof = context.proof else { throw Problem.unauthorized }
        // Both are held for as long as the subscription is open; a document of this length is shared (`DocumentCache`).
        let size = call.source.utf8.count + JSONValue.object(call.variables).bytes.count
        guard size <= DocumentCache.textLimit else {
            throw GraphQLFieldFault.tooMuch(
                "A subscription's document and variables have at most \(DocumentCache.textLimit) bytes together.")
        }
        let source = try SubscriptionSource(operation, OperationContext(parts, context))
        return Subscription(
            parts, context, operation, source, proof: proof, gate: changes,
            since: cursor ?? call.after ?? source.after ?? parts.coordinator.lastSequence,
            as: SharedAnswers.Document(call), sharing: answers)
    }
}

extension GraphQLResponse {
    /// The answer, in which an error of a limit has AppSync's word, too.
    var withCodes: GraphQLResponse { GraphQLResponse(data: data, errors: errors.map(\.withCode)) }
}

extension GraphQLError {
    /// The error with AppSync's word for its phase, where it has none of its own.
    var withCode: GraphQLError {
        var error = self
        switch phase {
        case .syntax, .request: error.code = code ?? "BadRequestException"
        case .validation: error.code = code ?? "ValidationError"
        case .limit: error.code = code ?? "LimitExceeded"
        case .field: break
        }
        return error
    }
}
