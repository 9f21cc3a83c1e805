package import HTTPTypes
package import Hummingbird
package import MusterCore

/// One route: what it is called, whom it admits, what it says and does.
package struct Route: Sendable {
    /// Whom a route admits. What nobody named is refused.
    package enum Admission: Hashable, Sendable {
        /// Whoever asks, and nobody needs to say who he is.
        case anyone
        /// Whoever has one of these roles. A device's own token is taken only where `devices` is true.
        case roles(Set<Role>, devices: Bool)
        /// Whoever has one of these roles; the handler itself proves who asks, because its clients need other answers
        /// than 401 and 403.
        case provenByHandler(Set<Role>)
        /// An admin, or a request that comes from this machine itself through no proxy.
        case adminOrLoopback

        /// Everyone who can sign in.
        package static let everyRole = Set(Role.allCases)
    }

    /// What carries the request out.
    package typealias Handler = @Sendable (Request, AppRequestContext) async throws -> Response

    /// The method.
    package let method: HTTPRequest.Method
    /// The path; `{name}` stands for one segment, `{name...}` at its end for all that follow, one or more.
    package let path: String
    /// Whom it admits.
    package let admission: Admission
    /// Whether a `HEAD` of its path is answered as it would be, without the body (RFC 9110, section 9.3.2).
    package var answersHead: Bool { method == .get }
    /// What it says of itself in OpenAPI.
    package let documentation: Documentation
    /// What carries the request out.
    package let handler: Handler

    /// A route. The handler of a GET must hold nothing until its body is written: for a HEAD the body never is.
    package init(
        _ method: HTTPRequest.Method, _ path: String, admits admission: Admission,
        _ documentation: Documentation, handler: @escaping Handler
    ) {
        self.method = method
        self.path = path
        self.admission = admission
        self.documentation = documentation
        self.handler = handler
    }

    /// The names in braces, in order.
    package var parameters: [String] {
        path.split(separator: "/").compactMap { segment in
            guard segment.first == "{", segment.last == "}" else { return nil }
            return String(segment.dropFirst().dropLast().prefix { $0 != "." })
        }
    }

    /// The path as the router takes it.
    var routerPath: RouterPath {
        let segments = path.split(separator: "/").map { $0.hasSuffix("...}") ? "**" : String($0) }
        return RouterPath("/" + segments.joined(separator: "/"))
    }

    /// Whether it is for a CouchDB client's database at the root, where a name may also be another path of the server.
    var isOfDatabaseAtRoot: Bool { path.hasPrefix("/{db}") }

    /// Whether a path, as it came, is one of this route's.
    func matches(_ path: [Substring]) -> Bool {
        let segments = self.path.split(separator: "/")
        let hasRest = segments.last?.hasSuffix("...}") ?? false
        guard segments.count == path.count || (hasRest && segments.count < path.count) else { return false }
        return zip(segments, path).allSatisfy { $0.first == "{" || $0 == $1 }
    }

    /// How many segments of its path are said by name.
    var namedSegments: Int { path.split(separator: "/").count { $0.first != "{" } }

    /// What a route says of itself in OpenAPI.
    package struct Documentation: Sendable {
        /// The group it belongs to.
        package var tag: String
        /// One line.
        package var summary: String
        /// The query's parts.
        package var query: [Parameter]
        /// Media types of the body, each with the name of its schema; empty where there is no body.
        package var body: [String: String]
        /// What it answers when all goes well.
        package var answers: [Answer]

        /// What a route says.
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

    /// A part of the query.
    package struct Parameter: Sendable {
        package var name: String
        package var summary: String
        /// Its JSON Schema.
        package var schema: String

        package init(_ name: String, _ summary: String, schema: String) {
            self.name = name
            self.summary = summary
            self.schema = schema
        }
    }

    /// One answer.
    package struct Answer: Sendable {
        package var status: Int
        package var summary: String
        /// Media types, each with the name of its schema; empty where there is no body.
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
