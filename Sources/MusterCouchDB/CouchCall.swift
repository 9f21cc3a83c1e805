import HTTPTypes
import Hummingbird
import MusterCoding
import MusterHTTP
import MusterServer
import MusterWire
import NIOCore

/// One request of a CouchDB client. It has a principal, unless its route is open.
struct CouchCall: Sendable {
    let request: Request
    let context: AppRequestContext
    let coordinator: StoreCoordinator
    let configuration: Configuration
    /// The parameters of the query string.
    let query: CouchQuery

    init(
        request: Request, context: AppRequestContext, coordinator: StoreCoordinator, configuration: Configuration
    ) {
        self.request = request
        self.context = context
        self.coordinator = coordinator
        self.configuration = configuration
        query = CouchQuery(request.uri.query ?? "")
    }

    /// The authenticated sender of the request; nil on open routes only.
    var principal: Principal? { context.principal }

    /// The sender for the audit log; nil on open routes only.
    var author: Author? { principal.map { Author($0) } }

    /// Returns the rights of the sender in the present directory.
    ///
    /// - Throws: `IdentityError.missing` if there is no principal.
    func access() throws -> Access {
        guard let principal else { throw IdentityError.missing }
        return Access(principal, in: coordinator.directory)
    }

    /// Checks that the sender is an admin.
    func requireAdmin() throws {
        guard try access().mayAdministerDatabases else { throw CouchError.unauthorized("You are not a server admin.") }
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
    func readable() throws -> ResolvedDatabase { try readable(by: access()) }

    /// Returns the database in the path, if these rights allow reading it.
    func readable(by access: Access) throws -> ResolvedDatabase { try database(in: access) { $0.mayRead($1) } }

    /// Returns the database in the path, if the principal may write to it.
    func writable() throws -> ResolvedDatabase { try writable(by: access()) }

    /// Returns the database in the path, if these rights allow writing to it.
    func writable(by access: Access) throws -> ResolvedDatabase {
        let database = try readable(by: access)
        guard access.mayWrite(database) else {
            throw CouchError.forbidden("This database may only be read.")
        }
        return database
    }

    /// Returns the database in the path, if the principal may administer it.
    func administered() throws -> ResolvedDatabase {
        let access = try access()
        let database = try readable(by: access)
        guard access.mayAdminister(database) else {
            throw CouchError.forbidden("You are not a db or server admin.")
        }
        return database
    }

    /// Returns the database in the path.
    ///
    /// - Throws: `CouchError.forbidden` both for a database that does not exist and for one that `isAllowed` rejects;
    ///   only an admin learns that a database does not exist.
    func database(in access: Access, _ isAllowed: (Access, ResolvedDatabase) -> Bool) throws -> ResolvedDatabase {
        guard let database = access.directory.database(named: try parameter("db")) else {
            throw access.mayAdministerDatabases ? CouchError.noDatabase : .forbidden
        }
        guard isAllowed(access, database) else { throw CouchError.forbidden }
        return database
    }

    /// Returns the key of the principal's local documents in the database that the path names; nil if the database has
    /// no local documents.
    ///
    /// - Throws: `CouchError` if the principal may not read the database.
    func readableLocals() throws -> LocalDocumentKey? {
        let access = try access()
        return access.locals(of: try readable(by: access))
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
