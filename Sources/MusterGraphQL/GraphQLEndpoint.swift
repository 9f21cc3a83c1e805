import HTTPTypes
import Hummingbird
import MusterCore
import MusterHTTP
package import MusterServer
import MusterWire

/// GraphQL at `/graphql` (docs/graphql.md): a typed API of Muster's own, and Amplify's model of a user. It translates
/// operations into reads and commands, and makes no decisions of its own.
package struct GraphQLEndpoint: Endpoint {
    let service: GraphQLService
    let seats: SocketSeats
    private let follower: FeedFollower

    package init(_ parts: ServerParts) {
        service = GraphQLService(parts)
        seats = SocketSeats(SocketLimits())
        follower = FeedFollower(parts)
        parts.metrics.addSource { [seats] in seats.families }
    }

    var parts: ServerParts { service.parts }

    private static let tag = "GraphQL"
    private static let path = "/graphql"

    package func register(in routes: inout RouteTable) {
        routes.add(
            Route(
                .post, Self.path, admits: .roles(Route.Admission.everyRole, devices: false),
                over: service.wireProtocol,
                .init(
                    Self.tag, "Execute a query or a mutation, or subscribe (GraphQL over HTTP).",
                    body: [GraphQLMediaType.json.rawValue: "GraphQLRequest"], answers: Self.answers)
            ) { request, context in
                try await respond(to: request, context) { try await GraphQLCall(body: request) }
            })
        routes.add(
            Route(
                .get, Self.path, admits: .rolesOrWebSocket(Route.Admission.everyRole), over: service.wireProtocol,
                .init(
                    Self.tag, "Execute a query, or subscribe (GraphQL over HTTP), or open a WebSocket.",
                    query: [
                        .init("query", "The document.", schema: Schema.text),
                        .init("operationName", "Which operation of the document to execute.", schema: Schema.text),
                        .init("variables", "The variables, as a JSON object.", schema: Schema.text),
                    ], answers: Self.answers + Self.socketAnswers)
            ) { request, context in
                if WebSocketUpgrade.isRequested(by: request.headers) { return try openSocket(request, context) }
                return try await respond(to: request, context) { try GraphQLCall(queryOf: request) }
            })
        // AppSync's clients add this to the address of a custom domain.
        routes.add(
            Route(
                .get, "\(Self.path)/realtime", admits: .rolesOrWebSocket(Route.Admission.everyRole),
                over: service.wireProtocol,
                .init(
                    Self.tag, "Open a WebSocket, where AppSync's clients look for it.",
                    query: [
                        .init("header", "The fields that prove who asks, as JSON in base 64.", schema: Schema.text),
                        .init("payload", "Ignored.", schema: Schema.text),
                    ], answers: Self.socketAnswers)
            ) { request, context in try openSocket(request, context) })
    }

    private static var socketAnswers: [Route.Answer] {
        let body = [GraphQLMediaType.json.rawValue: "GraphQLResponse"]
        return [
            .init(101, "A WebSocket of the subprotocol graphql-transport-ws or graphql-ws."),
            .init(426, "The request asks for no such WebSocket.", body: body),
        ]
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
            let operation = try service.operation(call)
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
            return type.response(try await service.execute(operation, context))
        } catch let errors as GraphQLErrors {
            return type.response(GraphQLResponse(data: nil, errors: errors.errors.map(\.withCode)))
        }
    }

    /// Opens a subscription as a stream of events.
    private func subscribe(
        _ call: GraphQLCall, _ operation: GraphQLOperation, _ request: Request, _ context: AppRequestContext
    ) throws -> Response {
        guard let principal = context.principal else { throw Problem.unauthorized }
        let last = request.headers[.lastEventID].flatMap { Int64($0) }
        let isNumber = last.map { (0...Query.largestSequence).contains($0) } ?? false
        let subscription: Subscription
        do {
            subscription = try service.subscription(
                call, operation, context, since: isNumber ? last.map { LogSequence($0) } : nil)
        } catch let fault as GraphQLFieldFault {
            return GraphQLMediaType.json.response(.badRequest, fault.message, code: fault.code ?? "BadRequestException")
        }
        // An answer to HEAD has no body, so it opens no feed.
        if request.method == .head { return Response(status: .ok, headers: SubscriptionFeed.headers) }
        let feed = SubscriptionFeed(
            subscription: subscription, beatSeconds: parts.configuration.heartbeatSeconds)
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
    func requireOwnPage(_ request: Request) throws(GraphQLRefusal) {
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

extension HTTPField.Name {
    /// Fetch Metadata's relation between the requesting site and this one.
    fileprivate static let fetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
