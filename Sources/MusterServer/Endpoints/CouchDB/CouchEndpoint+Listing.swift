import Hummingbird
import MusterCore
import MusterDocuments
import MusterWire

extension CouchEndpoint {
    func addListing(to routes: inout RouteTable) {
        for (name, isOfDesigns) in [("_all_docs", false), ("_design_docs", true)] {
            add(.get, "/{db}/\(name)", "Documents by id.", to: &routes) { call in
                try await Self.list(call, body: .object([]), isOfDesigns: isOfDesigns)
            }
            add(.post, "/{db}/\(name)", "Documents by id.", body: ["application/json"], to: &routes) { call in
                _ = try call.readable()
                let body = try await call.tree(limit: CouchLimits.bulkBytes)
                return try await Self.list(call, body: body, isOfDesigns: isOfDesigns)
            }
        }
    }

    private static func list(_ call: CouchCall, body: JSONValue, isOfDesigns: Bool) async throws -> Response {
        let place = try call.readable()
        var listing = try CouchListing(call.query, body: body)
        if isOfDesigns { listing.keepDesigns() }
        guard let scope = place.scope else { return listUsers(call, place, listing) }
        return try await call.send(CouchList(listing, in: scope))
    }
}
