import HTTPTypes
import Hummingbird
import MusterCoding
import MusterCore
import MusterHTTP
import MusterServer
import MusterWire
import NIOCore

/// One request of a CouchDB client. It has a principal, unless its route is open.
struct CouchCall: Sendable {
    let request: Request
    let context: AppRequestContext
    let endpoint: CouchEndpoint
    /// The parameters of the query string.
    let query: CouchQuery

    init(request: Request, context: AppRequestContext, endpoint: CouchEndpoint) {
        self.request = request
        self.context = context
        self.endpoint = endpoint
        query = CouchQuery(request.uri.query ?? "")
    }

    var coordinator: StoreCoordinator { endpoint.coordinator }

    /// The authenticated sender of the request; nil on open routes only.
    var principal: Principal? { context.principal }

    /// The sender for the audit log; nil on open routes only.
    var author: Author? { principal.map { Author($0) } }

    /// Returns the rights of the sender.
    ///
    /// - Throws: `IdentityError.missing` if there is no principal.
    func access(in directory: Directory) throws -> Access {
        guard let principal else { throw IdentityError.missing }
        return Access(principal, in: directory)
    }

    // MARK: The path's parameters

    /// Returns a parameter of the path, percent-decoded.
    func parameter(_ name: String) throws(CouchError) -> String {
        let raw = context.parameters[name[...]] ?? ""
        guard let text = PercentEncoding.decode(raw) else { throw .badRequest("The path is not UTF-8.") }
        return text
    }

    /// Returns the rest of the path, which may contain slashes, percent-decoded.
    func rest() throws(CouchError) -> String {
        let parts = context.parameters.getCatchAll()
        guard !parts.isEmpty, let text = PercentEncoding.decode(parts.joined(separator: "/")) else {
            throw .badRequest("The path is not UTF-8.")
        }
        return text
    }

    /// Returns the database in the path, if the principal may read it.
    func readable() throws -> ResolvedDatabase { try database(in: coordinator.directory) { $0.mayRead($1) } }

    /// Returns the database in the path, if the principal may write to it.
    func writable() throws -> ResolvedDatabase {
        let place = try readable()
        guard try access(in: coordinator.directory).mayWrite(place) else {
            throw CouchError.forbidden("This database may only be read.")
        }
        return place
    }

    /// Returns the database in the path, if the principal may administer it.
    func administered() throws -> ResolvedDatabase {
        let place = try readable()
        guard try access(in: coordinator.directory).mayAdminister(place) else {
            throw CouchError.forbidden("You are not a db or server admin.")
        }
        return place
    }

    /// Returns the database in the path.
    ///
    /// - Throws: `CouchError.forbidden` both for a database that does not exist and for one that `isAllowed` rejects;
    ///   only an admin learns that a database does not exist.
    func database(in directory: Directory, _ isAllowed: (Access, ResolvedDatabase) -> Bool) throws -> ResolvedDatabase {
        let access = try access(in: directory)
        guard let place = directory.database(named: try parameter("db")) else {
            throw access.mayMakeDatabases ? CouchError.noDatabase : .forbidden
        }
        guard isAllowed(access, place) else { throw CouchError.forbidden }
        return place
    }

    /// Returns where the principal's local documents of a database are stored; nil if the database has none.
    func locals(of place: ResolvedDatabase) throws -> LocalDocumentKey? {
        try access(in: coordinator.directory).locals(of: place)
    }

    // MARK: The body

    /// Reads the whole body, which must be JSON.
    ///
    /// - Throws: `CouchError.contentType` for a `POST` of another media type; `Problem.tooLarge`.
    func json(limit: Int) async throws -> ByteBuffer {
        if request.method == .post {
            do { try request.requireJSON() } catch {
                throw CouchError.contentType("Content-Type must be application/json")
            }
        }
        return try await request.collectBody(BodyLimits(bytes: limit, inflatedBytes: limit))
    }

    /// Reads the whole body as a tree; an empty body counts as an empty object.
    func tree(limit: Int) async throws -> JSONValue {
        let body = try await json(limit: limit)
        if body.readableBytes == 0 { return .object([]) }
        return try body.withUnsafeReadableBytes { try JSONValue(parsing: $0, valueLimit: 4 * CouchLimits.names) }
    }

    // MARK: Responses

    /// Returns the URL of a path on this server as the client reaches it, for `Location`. It is absolute, as CouchDB's
    /// is.
    func absoluteAddress(of path: String) -> String {
        let configuration = endpoint.configuration
        let isEncrypted = configuration.tls != nil || request.headers[.xForwardedProto] == "https"
        let host =
            request.head.authority ?? request.headers[.host] ?? "\(configuration.host):\(configuration.port)"
        return "\(isEncrypted ? "https" : "http")://\(host)\(path)"
    }

    /// Whether the client names this media type in `Accept`.
    func accepts(_ type: String) -> Bool { (request.headers[.accept] ?? "").lowercased().contains(type) }

    /// Makes the response `{"ok":true}`, with the members that a closure adds.
    func ok(
        _ status: HTTPResponse.Status = .ok, _ write: (inout JSONWriter) -> Void = { _ in }
    ) -> Response {
        .json(status) { writer in
            writer.beginObject()
            writer.member("ok", true)
            write(&writer)
            writer.endObject()
        }
    }
}
