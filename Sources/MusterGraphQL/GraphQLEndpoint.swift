import HTTPTypes
import Hummingbird
import MusterCore
package import MusterServer
import MusterWire

/// GraphQL at `/graphql` (docs/graphql.md): a typed API of Muster's own, and Amplify's model of a user. It translates
/// operations into reads and commands, and makes no decisions of its own.
package struct GraphQLEndpoint: Endpoint {
    private let parts: ServerParts
    private let documents = DocumentCache()

    package init(_ parts: ServerParts) { self.parts = parts }

    private static let tag = "GraphQL"
    private static let path = "/graphql"

    package func register(in routes: inout RouteTable) {
        let wireProtocol = GraphQLProtocol(parts)
        let admission: Route.Admission = .roles(Route.Admission.everyRole, devices: false)
        routes.add(
            Route(
                .post, Self.path, admits: admission, over: wireProtocol,
                .init(
                    Self.tag, "Execute a query or a mutation (GraphQL over HTTP).",
                    body: [GraphQLMediaType.json.rawValue: "GraphQLRequest"], answers: Self.answers)
            ) { request, context in
                try await respond(to: request, context) { try await GraphQLCall(body: request) }
            })
        routes.add(
            Route(
                .get, Self.path, admits: admission, over: wireProtocol,
                .init(
                    Self.tag, "Execute a query (GraphQL over HTTP).",
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
        return [.init(200, "The data, and the errors of fields.", body: body)]
            + [400, 401, 403, 405, 406, 413, 415, 429, 503].map { .init($0, "The errors of the request.", body: body) }
    }

    private func respond(
        to request: Request, _ context: AppRequestContext, _ read: () async throws -> GraphQLCall
    ) async throws -> Response {
        try requireOwnPage(request)
        guard let type = GraphQLMediaType(acceptedBy: request) else {
            throw GraphQLRefusal(.notAcceptable, "Accept application/json or application/graphql-response+json.")
        }
        let call = try await read()
        do {
            let document = try documents.document(call.source)
            let operation = try GraphQLOperation(document, named: call.operationName, variables: call.variables)
            if request.method != .post, operation.kind == .mutation {
                var response = type.response(.methodNotAllowed, "Send a mutation by POST.", code: "BadRequestException")
                response.headers[.allow] = "POST"
                return response
            }
            let resolver = ServedResolver(operation: try OperationContext(parts, context))
            return type.response(await GraphQLExecutor(resolver).execute(operation, root: .operation))
        } catch let errors as GraphQLErrors {
            return type.response(GraphQLResponse(data: nil, errors: errors.errors.map(\.withCode)))
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
