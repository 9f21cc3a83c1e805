import HTTPTypes
import Hummingbird
import MusterCoding
import MusterCore
import MusterHTTP
import MusterServer
import MusterWire
import NIOCore

/// One request of a CouchDB client's, by someone who is known, or on a route that is open.
struct CouchCall: Sendable {
    let request: Request
    let context: AppRequestContext
    let endpoint: CouchEndpoint
    /// What stands behind the question mark.
    let query: CouchQuery

    init(request: Request, context: AppRequestContext, endpoint: CouchEndpoint) {
        self.request = request
        self.context = context
        self.endpoint = endpoint
        query = CouchQuery(request.uri.query ?? "")
    }

    var coordinator: StoreCoordinator { endpoint.coordinator }

    /// Who sent the request; nil only on routes that are open.
    var principal: Principal? { context.principal }

    /// Who asks, for the audit log; nil only on routes that are open.
    var author: Author? { principal.map { Author($0) } }

    /// The rights of whoever asks.
    func access(in directory: Directory) throws -> Access {
        guard let principal else { throw IdentityError.missing }
        return Access(principal, in: directory)
    }

    // MARK: What the path names

    /// A part of the path, percent-decoded.
    func parameter(_ name: String) throws(CouchError) -> String {
        let raw = context.parameters[name[...]] ?? ""
        guard let text = PercentEncoding.decode(raw) else { throw .badRequest("The path is not UTF-8.") }
        return text
    }

    /// The rest of the path, which may have slashes, percent-decoded.
    func rest() throws(CouchError) -> String {
        let parts = context.parameters.getCatchAll()
        guard !parts.isEmpty, let text = PercentEncoding.decode(parts.joined(separator: "/")) else {
            throw .badRequest("The path is not UTF-8.")
        }
        return text
    }

    /// The database that the path names, if it may be read.
    func readable() throws -> ResolvedDatabase { try place(in: coordinator.directory) { $0.mayRead($1) } }

    /// The database that the path names, if it may be written to.
    func writable() throws -> ResolvedDatabase {
        let place = try readable()
        guard try access(in: coordinator.directory).mayWrite(place) else {
            throw CouchError.forbidden("This database may only be read.")
        }
        return place
    }

    /// The database that the path names, if it may be administered.
    func administered() throws -> ResolvedDatabase {
        let place = try readable()
        guard try access(in: coordinator.directory).mayAdminister(place) else {
            throw CouchError.forbidden("You are not a db or server admin.")
        }
        return place
    }

    /// The database that the path names.
    ///
    /// - Throws: `CouchError.forbidden`, the same whether it is not there or not for these eyes; an admin is told.
    func place(in directory: Directory, _ isAllowed: (Access, ResolvedDatabase) -> Bool) throws -> ResolvedDatabase {
        let access = try access(in: directory)
        guard let place = directory.database(named: try parameter("db")) else {
            throw access.mayMakeDatabases ? CouchError.noDatabase : .forbidden
        }
        guard isAllowed(access, place) else { throw CouchError.forbidden }
        return place
    }

    /// Where whoever asks keeps what belongs to a database and is never replicated.
    func locals(of place: ResolvedDatabase) throws -> LocalDocumentKey? {
        try access(in: coordinator.directory).locals(of: place)
    }

    // MARK: The body

    /// The whole body, of JSON.
    ///
    /// - Throws: `CouchError.contentType` when it says that it is something else; `Problem.tooLarge`.
    func json(limit: Int) async throws -> ByteBuffer {
        if request.method == .post {
            do { try request.requireJSON() } catch {
                throw CouchError.contentType("Content-Type must be application/json")
            }
        }
        return try await request.collectBody(BodyLimits(bytes: limit, inflatedBytes: limit))
    }

    /// The whole body as a tree; an empty object where there is none.
    func tree(limit: Int) async throws -> JSONValue {
        let body = try await json(limit: limit)
        if body.readableBytes == 0 { return .object([]) }
        return try body.withUnsafeReadableBytes { try JSONValue(parsing: $0, valueLimit: 4 * CouchLimits.names) }
    }

    // MARK: Answers

    /// The address of a path on this server as the client reaches it, for `Location`: absolute, as CouchDB's is.
    func absoluteAddress(of path: String) -> String {
        let configuration = endpoint.configuration
        let isEncrypted = configuration.tls != nil || request.headers[.xForwardedProto] == "https"
        let host =
            request.head.authority ?? request.headers[.host] ?? "\(configuration.host):\(configuration.port)"
        return "\(isEncrypted ? "https" : "http")://\(host)\(path)"
    }

    /// Whether the client asks for a media type by name.
    func accepts(_ type: String) -> Bool { (request.headers[.accept] ?? "").lowercased().contains(type) }

    /// `{"ok":true}` and what a closure adds.
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
