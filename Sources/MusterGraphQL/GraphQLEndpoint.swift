import HTTPTypes
import Hummingbird
import MusterCore
import MusterHTTP
package import MusterServer
import MusterWire

/// GraphQL at `/graphql` (docs/graphql.md): a typed API of Muster's own, and Amplify's model of a user. It translates
/// operations into reads and commands, and makes no decisions of its own.
package struct GraphQLEndpoint: Endpoint {
    private let parts: ServerParts
    private let documents = DocumentCache()
    private let follower: FeedFollower
    private let queries = OperationGate(running: 4, waiting: 64)
    /// Each subscription waits at most once, so the limits of feeds bound how many wait.
    private let changes = OperationGate(running: 2, waiting: .max)

    package init(_ parts: ServerParts) {
        self.parts = parts
        follower = FeedFollower(parts)
    }

    private static let tag = "GraphQL"
    private static let path = "/graphql"

    package func register(in routes: inout RouteTable) {
        let wireProtocol = GraphQLProtocol(parts)
        let admission: Route.Admission = .roles(Route.Admission.everyRole, devices: false)
        routes.add(
            Route(
                .post, Self.path, admits: admission, over: wireProtocol,
                .init(
                    Self.tag, "Execute a query or a mutation, or subscribe (GraphQL over HTTP).",
                    body: [GraphQLMediaType.json.rawValue: "GraphQLRequest"], answers: Self.answers)
            ) { request, context in
                try await respond(to: request, context) { try await GraphQLCall(body: request) }
            })
        routes.add(
            Route(
                .get, Self.path, admits: admission, over: wireProtocol,
                .init(
                    Self.tag, "Execute a query, or subscribe (GraphQL over HTTP).",
                    query: [
                        .init("query", "The document.", schema: Schema.text),
                        .init("operationName", "Which operation of the document to execute.", schema: Schema.text),
                        .init("variables", "The variables, as a JSON object.", schema: Schema.text),
                    ], answers: Self.answers)
            ) { request, context in
                try await respond(to: request, context) { try GraphQLCall(queryOf: request) }
            })
    }

    private static var answers: [Route.Answer] {
        let body = [
            GraphQLMediaType.json.rawValue: "GraphQLResponse", GraphQLMediaType.graphQL.rawValue: "GraphQLResponse",
        ]
        let events = ["text/event-stream": "Text"]
        return [.init(200, "The data, and the errors of fields.", body: body.merging(events) { $1 })]
            + [400, 401, 403, 405, 406, 413, 415, 429, 503].map { .init($0, "The errors of the request.", body: body) }
    }

    private func respond(
        to request: Request, _ context: AppRequestContext, _ read: () async throws -> GraphQLCall
    ) async throws -> Response {
        try requireOwnPage(request)
        let takesEvents = GraphQLMediaType.takesEvents(request)
        guard let type = GraphQLMediaType(acceptedBy: request) ?? (takesEvents ? .json : nil) else {
            throw GraphQLRefusal(.notAcceptable, "Accept application/json or application/graphql-response+json.")
        }
        let call = try await read()
        do {
            let document = try documents.document(call.source)
            let operation = try GraphQLOperation(document, named: call.operationName, variables: call.variables)
            if operation.kind == .subscription {
                guard takesEvents else {
                    throw GraphQLRefusal(.notAcceptable, "Accept text/event-stream for a subscription.")
                }
                return try subscribe(call, operation, request, context)
            }
            if request.method != .post, operation.kind == .mutation {
                var response = type.response(.methodNotAllowed, "Send a mutation by POST.", code: "BadRequestException")
                response.headers[.allow] = "POST"
                return response
            }
            let resolver = ServedResolver(operation: try OperationContext(parts, context))
            // A mutation waits for no query: it may be a call for help.
            if operation.kind == .mutation {
                return type.response(await GraphQLExecutor(resolver).execute(operation, root: .operation).withCodes)
            }
            let caller = resolver.operation.access.principal.user
            return try await queries.run(caller) {
                type.response(await GraphQLExecutor(resolver).execute(operation, root: .operation).withCodes)
            }
        } catch let errors as GraphQLErrors {
            return type.response(GraphQLResponse(data: nil, errors: errors.errors.map(\.withCode)))
        }
    }

    /// Opens a subscription as a stream of events.
    private func subscribe(
        _ call: GraphQLCall, _ operation: GraphQLOperation, _ request: Request, _ context: AppRequestContext
    ) throws -> Response {
        guard let proof = context.proof, let principal = context.principal else { throw Problem.unauthorized }
        // Both are held for as long as the subscription is open; a document of this length is shared (`DocumentCache`).
        let size = call.source.utf8.count + JSONValue.object(call.variables).bytes.count
        guard size <= DocumentCache.textLimit else {
            return GraphQLMediaType.json.response(
                .badRequest,
                "A subscription's document and variables have at most \(DocumentCache.textLimit) bytes together.",
                code: "LimitExceeded")
        }
        let source: SubscriptionSource
        do {
            source = try SubscriptionSource(operation, OperationContext(parts, context))
        } catch let fault as GraphQLFieldFault {
            return GraphQLMediaType.json.response(.badRequest, fault.message, code: fault.code ?? "BadRequestException")
        }
        // An answer to HEAD has no body, so it opens no feed.
        if request.method == .head { return Response(status: .ok, headers: SubscriptionFeed.headers) }
        let last = request.headers[.lastEventID].flatMap { Int64($0) }
        let isNumber = last.map { (0...Query.largestSequence).contains($0) } ?? false
        let cursor = isNumber ? last.map { LogSequence($0) } : source.after
        let feed = SubscriptionFeed(
            parts, context, operation, source, proof: proof, gate: changes,
            since: cursor ?? parts.coordinator.lastSequence)
        do throws(FeedShares.Refusal) {
            return Response(
                status: .ok, headers: SubscriptionFeed.headers,
                body: try follower.open(feed, by: FeedOwner(principal), on: context.channel))
        } catch {
            throw error == .isStopping
                ? Problem.unavailable(error.words, retryAfterSeconds: 30)
                : Problem.tooManyRequests(retryAfterSeconds: 30, error.words)
        }
    }

    /// Refuses requests of pages of other sites, unless they are configured. Their browser might know a name and a
    /// password for this server, and would send them.
    private func requireOwnPage(_ request: Request) throws(GraphQLRefusal) {
        let isOwn: Bool
        if let origin = request.headers[.origin] {
            isOwn =
                parts.configuration.origins.contains(origin)
                || origin == request.serverAddress(in: parts.configuration)
        } else {
            isOwn = !["cross-site", "same-site"].contains(request.headers[.fetchSite])
        }
        guard isOwn else { throw GraphQLRefusal(.forbidden, "A page of another site may not call this.") }
    }
}

extension GraphQLResponse {
    /// The answer, in which an error of a limit has AppSync's word, too.
    var withCodes: GraphQLResponse { GraphQLResponse(data: data, errors: errors.map(\.withCode)) }
}

extension GraphQLError {
    /// The error with AppSync's word for its phase, where it has none of its own.
    fileprivate var withCode: GraphQLError {
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

extension HTTPField.Name {
    /// Fetch Metadata's relation between the requesting site and this one.
    fileprivate static let fetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
