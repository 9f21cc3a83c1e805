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

/// What CouchDB's clients speak: documents, changes, replication (docs/couchdb.md).
///
/// Translates: a database is where documents are, whoever put them there; users are the directory's, and a document
/// that arrives goes the road that everything goes.
package struct CouchEndpoint: Endpoint {
    let coordinator: StoreCoordinator
    let identity: Identity
    let feeds: DocumentFeeds
    let connections: OpenConnections
    let replicator: Replicator
    let books: PlaceBooks
    let configuration: Configuration
    private let tracker: LocationTrackerEndpoint

    package init(_ parts: ServerParts) {
        coordinator = parts.coordinator
        identity = parts.identity
        feeds = parts.documentFeeds
        connections = parts.connections
        configuration = parts.configuration
        books = PlaceBooks()
        replicator = Replicator(
            coordinator: coordinator, feeds: feeds, vault: identity.vault, client: parts.client)
        tracker = LocationTrackerEndpoint(
            coordinator: coordinator, identity: identity, books: books, configuration: configuration)
    }

    package var services: [any Service] { [replicator] }

    /// Where all of it is beside the root.
    static let prefix = "/couchdb"

    /// What carries a request out.
    typealias Handler = @Sendable (CouchCall) async throws -> Response

    /// Adds all routes, at the root and below `/couchdb`.
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
    ///   - path: below the root, `/{db}` for a database.
    ///   - isOpen: whether nobody needs to say who he is.
    ///   - body: media types that it takes.
    ///   - statuses: what it answers when all goes well.
    func add(
        _ method: HTTPRequest.Method, _ path: String, isOpen: Bool = false, _ summary: String,
        body: [String] = [], statuses: [Int] = [200], to routes: inout RouteTable, _ handler: @escaping Handler
    ) {
        let documentation = Route.Documentation(
            "CouchDB", summary, body: Dictionary(uniqueKeysWithValues: body.map { ($0, "Object") }),
            answers: statuses.map { .init($0, "As CouchDB answers it.", json: "Object") } + Self.refusals)
        let paths = path == "/" ? ["/", Self.prefix] : [path, Self.prefix + path]
        for path in paths {
            routes.add(
                Route(
                    method, path, admits: isOpen ? .anyone : .provenByHandler(Route.Admission.everyRole),
                    documentation
                ) { request, context in
                    try await respond(to: request, context, isOpen: isOpen, handler)
                })
        }
    }

    private static let refusals = [400, 401, 403, 404, 405, 409, 412, 413, 415, 429, 500, 501, 503].map { status in
        Route.Answer(status, "Told as CouchDB tells it.", json: "CouchError")
    }

    /// Runs a handler once it is known who asks.
    private func respond(
        to request: Request, _ context: AppRequestContext, isOpen: Bool, _ handler: Handler
    ) async throws -> Response {
        var response = try await answer(request, context, isOpen: isOpen, handler)
        response.headers[.couchRequestID] = SecretToken.randomBytes(5).hexadecimal
        return response
    }

    private func answer(
        _ request: Request, _ context: AppRequestContext, isOpen: Bool, _ handler: Handler
    ) async throws -> Response {
        do {
            let proof = CouchProof(request, context, origins: configuration.origins)
            let principal = try await isOpen ? proveIfGood(proof) : prove(proof)
            guard principal != nil || isOpen else { throw IdentityError.missing }
            let call = CouchCall(
                request: request, context: context, endpoint: self, proof: proof, principal: principal)
            try await makeReplicator(for: call)
            var response = try await handler(call)
            if principal != nil, case .cookie(let old) = proof.shown, response.headers[.setCookie] == nil,
                let fresh = identity.renewal(of: old)
            {
                response.headers[.setCookie] = cookie(fresh, lastingSeconds: SessionCookie.lifetimeSeconds)
            }
            return response
        } catch is PageWanted {
            // The page at the root is served by whoever serves files.
            throw HTTPError(.notFound)
        } catch {
            return fault(error, context).response
        }
    }

    /// Makes the database of replications when an admin first turns to it: every CouchDB that was set up has one.
    private func makeReplicator(for call: CouchCall) async throws {
        guard call.context.parameters["db"] == DatabaseName.replicator[...],
            coordinator.directory.database(named: DatabaseName.replicator) == nil, call.principal != nil,
            try call.access(in: coordinator.directory).mayMakeDatabases
        else { return }
        let isOfItself = call.request.uri.path.hasSuffix(DatabaseName.replicator)
        if isOfItself, [.put, .delete].contains(call.request.method) { return }
        _ = try await coordinator.makeDatabase(named: DatabaseName.replicator, by: call.author)
    }

    /// Whose request it is; nil when nothing was shown.
    ///
    /// - Throws: `IdentityError` when what was shown proves nothing.
    func prove(_ proof: CouchProof, atOpening: Bool = true) async throws -> Principal? {
        switch proof.shown {
        case .nothing: return nil
        case .authorization(let header):
            return try await identity.authenticate(
                header, from: proof.address, admitsLocationKeys: true)
        case .cookie(let cookie): return try await identity.authenticate(cookie: cookie, isExpiryMet: atOpening)
        }
    }

    /// Whose request it is; nil also for a cookie that is good no longer. A browser sends it along whatever is asked,
    /// and whoever has a new password could neither sign in with it nor sign out.
    private func proveIfGood(_ proof: CouchProof) async throws -> Principal? {
        do {
            return try await prove(proof)
        } catch IdentityError.refused where proof.isCookie {
            return nil
        }
    }

    /// How an error is told; one that nobody foresaw is logged.
    func fault(_ error: any Error, _ context: AppRequestContext) -> CouchError {
        if let fault = CouchError(telling: error) { return fault }
        context.log(error)
        return .internalError
    }
}

/// What a request shows to prove whose it is.
struct CouchProof: Hashable, Sendable {
    enum Shown: Hashable, Sendable {
        case nothing
        case authorization(String)
        case cookie(String)
    }

    let shown: Shown
    /// Where the request comes from.
    let address: String

    var isCookie: Bool { if case .cookie = shown { true } else { false } }

    /// A cookie is sent by a browser whoever made the page that asks: it counts only where that page is ours, or of an
    /// origin that was allowed.
    init(_ request: Request, _ context: AppRequestContext, origins: Set<String>) {
        address = context.remoteAddress
        // As in CouchDB, a header that is of no known scheme or cannot be read shows nothing.
        if let header = request.headers[.authorization], ShownCredential(header: header) != nil {
            shown = .authorization(header)
        } else if let cookie = request.cookie(SessionCookie.name), request.isOfOwnPage(or: origins) {
            shown = .cookie(cookie)
        } else {
            shown = .nothing
        }
    }
}

extension HTTPField.Name {
    /// CouchDB's name for a request, ten hexadecimal digits, with which people look for it in logs.
    static let couchRequestID = HTTPField.Name("X-Couch-Request-ID")!
}

/// A browser asks for the page at the root.
struct PageWanted: Error {}

extension Request {
    /// The value of a cookie; nil where there is none.
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

    /// Whether the page that asks, if a page asks, is of this server or of one of these origins.
    func isOfOwnPage(or origins: Set<String>) -> Bool {
        guard let origin = headers[.origin] else { return true }
        if origins.contains(origin) { return true }
        let host = head.authority ?? headers[.host] ?? ""
        return origin == "http://\(host)" || origin == "https://\(host)"
    }
}
