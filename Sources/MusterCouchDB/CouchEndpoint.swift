import HTTPTypes
import Hummingbird
import Logging
import MusterCoding
import MusterCore
import MusterHTTP
package import MusterServer
import MusterWire
import NIOCore
package import ServiceLifecycle

/// CouchDB's protocol: documents, changes feeds and replication (docs/couchdb.md).
///
/// The endpoint translates only. The users are the directory's, databases contain the documents of every protocol, and
/// a document that a client stores goes through the same commit pipeline as every observation.
package struct CouchEndpoint: Endpoint {
    let coordinator: StoreCoordinator
    let identity: Identity
    let feeds: LogFeeds
    let follower: FeedFollower
    let connections: OpenConnections
    let replicator: Replicator
    let geoIndexes: GeoIndexCache
    let configuration: Configuration
    private let tracker: LocationTrackerEndpoint

    package init(_ parts: ServerParts) {
        coordinator = parts.coordinator
        identity = parts.identity
        feeds = parts.feeds
        follower = FeedFollower(parts)
        connections = parts.connections
        configuration = parts.configuration
        geoIndexes = GeoIndexCache()
        replicator = Replicator(
            coordinator: coordinator, feeds: feeds, vault: identity.vault, client: parts.client)
        tracker = LocationTrackerEndpoint(
            coordinator: coordinator, identity: identity, geoIndexes: geoIndexes, configuration: configuration)
    }

    package var services: [any Service] { [replicator] }

    /// The path below which every route is available too.
    static let prefix = "/couchdb"

    /// Answers one request.
    typealias Handler = @Sendable (CouchCall) async throws -> Response

    /// Adds every route twice: at the root, and below `/couchdb`.
    package func register(in routes: inout RouteTable) {
        addServer(to: &routes)
        addSession(to: &routes)
        addDatabases(to: &routes)
        addSettings(to: &routes)
        addDocuments(to: &routes)
        addEditing(to: &routes)
        addBulk(to: &routes)
        addRevisions(to: &routes)
        addListing(to: &routes)
        addChanges(to: &routes)
        addLocals(to: &routes)
        addAttachments(to: &routes)
        addPurging(to: &routes)
        addFind(to: &routes)
        addPartitions(to: &routes)
        addGeo(to: &routes)
        addReplication(to: &routes)
        addScheduler(to: &routes)
        addNode(to: &routes)
        addUnsupported(to: &routes)
        tracker.register(in: &routes)
        routes.answerUnrouted(ReservedPaths.isCouchDB) { methods in
            (methods.isEmpty ? CouchError.missing : .methodNotAllowed(methods)).response
        }
    }

    /// Adds one route.
    ///
    /// - Parameters:
    ///  - path: the path below the root; `/{db}` stands for a database.
    ///  - isOpen: whether the route serves requests without a proof of identity.
    ///  - body: the media types of the body that the route accepts.
    ///  - statuses: the statuses of successful responses.
    func add(
        _ method: HTTPRequest.Method, _ path: String, isOpen: Bool = false, _ summary: String,
        body: [String] = [], statuses: [Int] = [200], to routes: inout RouteTable, _ handler: @escaping Handler
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
                    over: CouchProtocol(origins: configuration.origins), documentation
                ) { request, context in try await respond(to: request, context, handler) })
        }
    }

    private static let refusals = [400, 401, 403, 404, 405, 409, 412, 413, 415, 429, 500, 501, 503].map { status in
        Route.Answer(status, "The error has CouchDB's form.", json: "CouchError")
    }

    private func respond(
        to request: Request, _ context: AppRequestContext, _ handler: Handler
    ) async throws -> Response {
        let call = CouchCall(request: request, context: context, endpoint: self)
        try await makeReplicator(for: call)
        var response: Response
        do {
            response = try await handler(call)
        } catch is PageWanted {
            // The route of the web page serves the page at the root.
            throw HTTPError(.notFound)
        }
        if call.principal != nil, let old = context.proof as? CookieProof, response.headers[.setCookie] == nil,
            let fresh = identity.renewal(of: old.cookie)
        {
            response.headers[.setCookie] = cookie(fresh, lastingSeconds: SessionCookie.lifetimeSeconds)
        }
        return response.withCouchRequestID
    }

    /// Creates `_replicator` when an admin first uses it, because every CouchDB that was set up has this database.
    private func makeReplicator(for call: CouchCall) async throws {
        guard call.context.parameters["db"] == DatabaseName.replicator[...],
            coordinator.directory.database(named: DatabaseName.replicator) == nil, call.principal != nil,
            try call.access(in: coordinator.directory).mayMakeDatabases
        else { return }
        let isOfItself = call.request.uri.path.hasSuffix(DatabaseName.replicator)
        if isOfItself, [.put, .delete].contains(call.request.method) { return }
        _ = try await coordinator.makeDatabase(named: DatabaseName.replicator, by: call.author)
    }
}

/// Thrown when a browser requests the root, which shows the web page.
struct PageWanted: Error {}

extension Request {
    /// Returns the value of a cookie; nil if the request has no such cookie.
    func cookie(_ name: String) -> String? {
        for field in headers[values: .cookie] {
            for pair in field.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1)
                if parts.count == 2, parts[0].drop(while: { $0 == " " }) == name, !parts[1].isEmpty {
                    return String(parts[1])
                }
            }
        }
        return nil
    }

    /// Whether the request comes from a page of this server or of one of these origins, or from no page.
    func isOfOwnPage(or origins: Set<String>) -> Bool {
        guard let origin = headers[.origin] else { return true }
        if origins.contains(origin) { return true }
        let host = head.authority ?? headers[.host] ?? ""
        return origin == "http://\(host)" || origin == "https://\(host)"
    }
}
