import HTTPTypes
import Hummingbird
import MusterServer

/// A group of the routes of CouchDB's protocol.
protocol CouchRoutes: Sendable {
    /// Adds the group's routes.
    func register(in routes: inout CouchRouteTable)
}

/// Adds routes of CouchDB's protocol to the server's table. Each is added twice: at the root, and below `/couchdb`.
struct CouchRouteTable {
    /// The server's table with the routes that were added so far.
    private(set) var routes: RouteTable
    private let responder: CouchResponder

    /// Answers one request.
    typealias Handler = @Sendable (CouchCall) async throws -> Response

    /// The path below which every route is available too.
    static let prefix = "/couchdb"

    /// - Parameters:
    ///  - routes: the table to which the routes are added.
    ///  - responder: answers the requests by the routes' handlers.
    init(adding routes: RouteTable, answeredBy responder: CouchResponder) {
        self.routes = routes
        self.responder = responder
    }

    /// Adds one route.
    ///
    /// - Parameters:
    ///  - path: the path below the root; `/{db}` stands for a database.
    ///  - isOpen: whether the route serves requests without a proof of identity.
    ///  - body: the media types of the body that the route accepts.
    ///  - statuses: the statuses of successful responses.
    mutating func add(
        _ method: HTTPRequest.Method, _ path: String, isOpen: Bool = false, _ summary: String,
        body: [String] = [], statuses: [Int] = [200], _ handler: @escaping Handler
    ) {
        let documentation = Route.Documentation(
            "CouchDB", summary, body: Dictionary(uniqueKeysWithValues: body.map { ($0, "Object") }),
            answers: statuses.map { .init($0, "The response has CouchDB's form.", json: "Object") } + Self.refusals)
        let paths = path == "/" ? ["/", Self.prefix] : [path, Self.prefix + path]
        for path in paths {
            routes.add(
                Route(
                    method, path,
                    admits: isOpen ? .anyoneIdentified : .roles(Route.Admission.everyRole, devices: true),
                    over: CouchProtocol(origins: responder.configuration.origins), documentation
                ) { [responder] request, context in try await responder.respond(to: request, context, by: handler) })
        }
    }

    private static let refusals = [400, 401, 403, 404, 405, 409, 412, 413, 415, 429, 500, 501, 503].map { status in
        Route.Answer(status, "The error has CouchDB's form.", json: "CouchError")
    }
}
