package import HTTPTypes
package import Hummingbird
package import MusterCore

/// A route: its method and path, the roles it admits, its documentation and its handler.
package struct Route: Sendable {
    /// The callers that a route admits. The server refuses all others.
    package enum Admission: Hashable, Sendable {
        /// Any caller, without a credential.
        case anyone
        /// Principals with one of these roles. Device tokens are accepted only where `devices` is true.
        case roles(Set<Role>, devices: Bool)
        /// Principals with one of these roles, without device tokens. A request for a WebSocket may also have no
        /// credential, which its client then proves by a message: the handler checks the principal of a WebSocket.
        case rolesOrWebSocket(Set<Role>)
        /// Any caller. A valid credential identifies the principal, and an invalid one is refused.
        case anyoneIdentified
        /// The bearer of a link, and no user. The context has the link; the handler checks its kind.
        case link
        /// The bearer of a link whose giver allowed its token in a path, which is where the token is: `{token}`.
        case linkInPath
        /// Admins, and requests that come from this machine through no proxy.
        case adminOrLoopback

        /// Whether a principal has one of these roles, and either shows no device's token or may show one.
        package static func admits(_ principal: Principal, with roles: Set<Role>, devices: Bool) -> Bool {
            roles.contains(principal.role) && (devices || principal.device == nil)
        }

        /// Whether the route needs no credential.
        var isOpen: Bool { self == .anyone || self == .anyoneIdentified }

        /// The roles of users. A guest is admitted only where a route names that role.
        package static let everyRole = Set(Role.allCases)
    }

    /// Answers a request.
    package typealias Handler = @Sendable (Request, AppRequestContext) async throws -> Response

    package let method: HTTPRequest.Method
    /// The path. `{name}` matches one segment; `{name...}` at the end matches one or more remaining segments.
    package let path: String
    /// The callers that the route admits.
    package let admission: Admission
    /// The protocol by which requests prove who sends them and errors are answered.
    package let wireProtocol: any RouteProtocol
    /// Whether the server answers `HEAD` on this path, like this route but without the body (RFC 9110, section 9.3.2).
    package var answersHead: Bool { method == .get }
    /// The route's documentation for OpenAPI.
    package let documentation: Documentation
    package let handler: Handler

    /// Makes a route. The handler of a GET must acquire no resources until its body is written, because for HEAD it
    /// never is.
    package init(
        _ method: HTTPRequest.Method, _ path: String, admits admission: Admission,
        over wireProtocol: any RouteProtocol = StandardProtocol(), _ documentation: Documentation,
        handler: @escaping Handler
    ) {
        self.method = method
        self.path = path
        self.admission = admission
        self.wireProtocol = wireProtocol
        self.documentation = documentation
        self.handler = handler
    }

    /// The parameter names in the path, in order.
    package var parameters: [String] {
        path.split(separator: "/").compactMap { segment in
            guard segment.first == "{", segment.last == "}" else { return nil }
            return String(segment.dropFirst().dropLast().prefix { $0 != "." })
        }
    }

    /// The path in the form that the router takes.
    var routerPath: RouterPath {
        let segments = path.split(separator: "/").map { $0.hasSuffix("...}") ? "**" : String($0) }
        return RouterPath("/" + segments.joined(separator: "/"))
    }

    /// Whether the route is for a CouchDB database at the root, where a name may also be another path of the server.
    var isOfDatabaseAtRoot: Bool { path.hasPrefix("/{db}") }

    /// Whether a request's path matches this route.
    package func matches(_ path: [Substring]) -> Bool {
        let segments = self.path.split(separator: "/")
        let hasRest = segments.last?.hasSuffix("...}") ?? false
        guard segments.count == path.count || (hasRest && segments.count < path.count) else { return false }
        return zip(segments, path).allSatisfy { $0.first == "{" || $0 == $1 }
    }

    /// The number of literal segments in the path.
    var namedSegments: Int { path.split(separator: "/").count { $0.first != "{" } }

    /// A route's documentation for OpenAPI.
    package struct Documentation: Sendable {
        /// The group of routes it belongs to.
        package var tag: String
        /// A one-line summary.
        package var summary: String
        package var query: [Parameter]
        /// The media types of the body, each with the name of its schema; empty where the request has no body.
        package var body: [String: String]
        /// The successful answers.
        package var answers: [Answer]

        package init(
            _ tag: String, _ summary: String, query: [Parameter] = [], body: [String: String] = [:],
            answers: [Answer]
        ) {
            self.tag = tag
            self.summary = summary
            self.query = query
            self.body = body
            self.answers = answers
        }
    }

    /// A query parameter.
    package struct Parameter: Sendable {
        package var name: String
        package var summary: String
        /// The JSON Schema of the value.
        package var schema: String

        package init(_ name: String, _ summary: String, schema: String) {
            self.name = name
            self.summary = summary
            self.schema = schema
        }
    }

    /// An answer that the OpenAPI document says a route may give.
    package struct Answer: Sendable {
        package var status: Int
        package var summary: String
        /// The media types of the body, each with the name of its schema; empty where the answer has no body.
        package var body: [String: String]

        package init(_ status: Int, _ summary: String, json schema: String) {
            self.init(status, summary, body: ["application/json": schema])
        }

        package init(_ status: Int, _ summary: String, body: [String: String] = [:]) {
            self.status = status
            self.summary = summary
            self.body = body
        }
    }
}
