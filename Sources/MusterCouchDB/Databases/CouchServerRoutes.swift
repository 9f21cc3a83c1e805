import HTTPTypes
import Hummingbird
import MusterCoding
import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// Routes about the server itself: its welcome, `_uuids`, `_all_dbs`, `_up`.
struct CouchServerRoutes: CouchRoutes {
    /// The version of CouchDB whose protocol the server speaks.
    static let version = "3.4.3"
    /// The optional features of CouchDB that the server has, by the names that clients look for.
    private static let features = ["scheduler"]

    func register(in routes: inout CouchRouteTable) {
        routes.add(.get, "/", isOpen: true, "Describe the server, with its UUID; a browser gets the page.") {
            try await welcome($0)
        }
        routes.add(.head, "/", isOpen: true, "Like GET, without the body.") { try await welcome($0) }
        routes.add(.get, "/_up", isOpen: true, "Check that the server runs.") { _ in
            .json { writer in
                writer.beginObject()
                writer.member("status", "ok")
                writer.endObject()
            }
        }
        routes.add(.get, "/_uuids", isOpen: true, "Make random ids for documents.") { try Self.uuids($0) }
        routes.add(.get, "/_all_dbs", "List the databases that you may read.") { try Self.allDatabases($0) }
    }

    private func welcome(_ call: CouchCall) async throws -> Response {
        if call.accepts("text/html"), call.request.uri.path == "/" { throw PageWanted() }
        let uuid = try await call.coordinator.read { try $0.uuid() }
        return .json { writer in
            writer.beginObject()
            writer.member("couchdb", "Welcome")
            writer.member("version", Self.version)
            writer.member("uuid", uuid.filter { $0 != "-" })
            writer.member("features", listing: Self.features) { writer, feature in writer.value(feature) }
            writer.key("vendor")
            writer.beginObject()
            writer.member("name", "Muster")
            writer.member("version", Server.version)
            writer.endObject()
            writer.member("muster", "Welcome")
            writer.member("api", APIPaths.description)
            writer.endObject()
        }
    }

    private static func uuids(_ call: CouchCall) throws -> Response {
        let count = try call.query.count("count") ?? 1
        guard count <= CouchLimits.uuids else {
            throw CouchError.badRequest("count parameter too large: at most \(CouchLimits.uuids)")
        }
        return .json { writer in
            writer.beginObject()
            writer.member("uuids", listing: 0..<count) { writer, _ in writer.value(DocumentID.random()) }
            writer.endObject()
        }
    }

    private static func allDatabases(_ call: CouchCall) throws -> Response {
        let access = try call.access()
        let names = try access.directory.databaseNames(readableBy: access, call.query)
        return .json { writer in
            writer.beginArray()
            for name in names { writer.value(name) }
            writer.endArray()
        }
    }
}

extension DocumentID {
    /// Makes a unique id: 32 random hexadecimal digits.
    static func random() -> String { SecretToken.randomBytes(16).hexadecimal }
}

extension Directory {
    /// Returns the sorted names of the databases that the principal may read, within the query's keys, skip and limit.
    func databaseNames(readableBy access: Access, _ query: CouchQuery) throws -> ArraySlice<String> {
        let isDescending = try query.flag("descending")
        let start = try (query.json("startkey", "start_key"))?.string
        let end = try (query.json("endkey", "end_key"))?.string
        let (lower, upper) = isDescending ? (end, start) : (start, end)
        var names = databaseNames(readableBy: access).filter { name in
            !(lower.map { name.utf8.lexicographicallyPrecedes($0.utf8) } ?? false)
                && !(upper.map { $0.utf8.lexicographicallyPrecedes(name.utf8) } ?? false)
        }
        if isDescending { names.reverse() }
        return try names.dropFirst(query.count("skip") ?? 0).prefix(query.count("limit") ?? Int.max)
    }

    private func databaseNames(readableBy access: Access) -> [String] {
        let own =
            access.seesEverything
            ? users.all.map { DatabaseName.locations(of: $0.name) }
            : [DatabaseName.locations(of: access.principal.name)]
        let fixed = [DatabaseName.allLocations, DatabaseName.users, DatabaseName.couchUsers]
        return (databases.all.map(\.name) + own + fixed)
            .filter { name in database(named: name).map { access.mayRead($0) } ?? false }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
