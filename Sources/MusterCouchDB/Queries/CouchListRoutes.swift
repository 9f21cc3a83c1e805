import Hummingbird
import MusterDocuments
import MusterServer
import MusterWire

/// Routes that list documents by id: `_all_docs` and `_design_docs`.
struct CouchListRoutes: CouchRoutes {
    func register(in routes: inout CouchRouteTable) {
        for (name, isOfDesigns) in [("_all_docs", false), ("_design_docs", true)] {
            routes.add(.get, "/{db}/\(name)", "List documents by id.") { call in
                try await Self.list(call, body: .object([]), isOfDesigns: isOfDesigns)
            }
            routes.add(.post, "/{db}/\(name)", "List documents by id.", body: ["application/json"]) { call in
                _ = try call.readable()
                let body = try await call.tree(limit: CouchLimits.bulkBytes)
                return try await Self.list(call, body: body, isOfDesigns: isOfDesigns)
            }
            routes.add(
                .post, "/{db}/\(name)/queries", "Several lists of documents by id.", body: ["application/json"]
            ) { try await Self.lists($0, isOfDesigns: isOfDesigns) }
        }
    }

    /// Lists the documents of the database in the path, or its users.
    ///
    /// - Parameter partition: the partition to list; nil for the one in the query, or else the whole database.
    static func list(
        _ call: CouchCall, body: JSONValue, isOfDesigns: Bool = false, partition: String? = nil
    ) async throws -> Response {
        let database = try call.readable()
        let listing = try CouchListing(call.query, body: body)
        guard let scope = database.scope else {
            var users = listing
            if isOfDesigns { users.keepDesigns() }
            return CouchUserDocuments.list(call, users)
        }
        let rows = DocumentRows(
            scope: scope, isOfDesigns: isOfDesigns, partition: try partition ?? call.partitionOfQuery(in: database))
        return try await call.send(CouchList(listing, of: rows))
    }

    private static func lists(_ call: CouchCall, isOfDesigns: Bool) async throws -> Response {
        let database = try call.readable()
        guard let scope = database.scope else { throw CouchError.unsupported("Several lists of users at once") }
        let rows = DocumentRows(scope: scope, isOfDesigns: isOfDesigns)
        return try await call.send(CouchLists(try await call.listings().map { CouchList($0, of: rows) }))
    }
}

extension CouchCall {
    /// Parses the listings in the body of a request with several queries.
    func listings() async throws -> [CouchListing] {
        let body = try await tree(limit: CouchLimits.bulkBytes)
        guard let queries = body["queries"]?.elements, queries.count <= CouchLimits.queries else {
            throw CouchError.badRequest("`queries` must be an array of at most \(CouchLimits.queries)")
        }
        return try queries.map { try CouchListing(CouchQuery(""), body: $0) }
    }
}

/// The response to several queries, in their order.
struct CouchLists<List: PagedAnswer>: PagedAnswer {
    private var lists: ArraySlice<List>
    private var isBegun = false
    private(set) var isComplete = false

    init(_ lists: [List]) { self.lists = lists[...] }

    mutating func next(_ reader: any DocumentReader) throws -> [UInt8] {
        var bytes = isBegun ? [] : Array(#"{"results":["#.utf8)
        isBegun = true
        if var list = lists.popFirst() {
            bytes += try list.next(reader)
            if !list.isComplete {
                lists = [list] + lists
            } else if !lists.isEmpty {
                bytes.append(UInt8(ascii: ","))
            }
        }
        isComplete = lists.isEmpty
        if isComplete { bytes += "]}".utf8 }
        return bytes
    }
}
