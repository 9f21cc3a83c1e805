import HTTPTypes
import MusterServer

extension CouchEndpoint {
    /// What CouchDB has and Muster has not, so that a client is told and does not guess.
    func addUnsupported(to routes: inout RouteTable) {
        add(
            .post, "/{db}/_design/{document}/{attachment...}", "Views and their like need JavaScript.", statuses: [],
            to: &routes
        ) { _ in throw CouchError.notImplemented("Views, shows, lists, updates and rewrites") }
        add(.post, "/{db}/_temp_view", "Temporary views need JavaScript.", statuses: [], to: &routes) { _ in
            throw CouchError.notImplemented("Temporary views")
        }
        for (path, methods, what) in Self.absent {
            for method in methods {
                add(method, path, "\(what) are not supported.", statuses: [], to: &routes) { _ in
                    throw CouchError.unsupported(what)
                }
            }
        }
    }

    /// The paths of CouchDB that are not there, and what they would be for, in the plural.
    private static let absent: [(path: String, methods: [HTTPRequest.Method], what: String)] = [
        ("/_utils", [.get], "CouchDB's own pages"),
        ("/_utils/{rest...}", [.get], "CouchDB's own pages"),
        ("/_node/{node}/{rest...}", [.get, .put, .post, .delete], "A node's settings and figures"),
        ("/_search_analyze", [.post], "Full-text searches"),
        ("/_nouveau_analyze", [.post], "Full-text searches"),
        ("/{db}/_search_cleanup", [.post], "Full-text searches"),
        ("/{db}/_nouveau_cleanup", [.post], "Full-text searches"),
        ("/_reshard", [.get], "Several shards"),
        ("/_reshard/{rest...}", [.get, .put, .post, .delete], "Several shards"),
        ("/{db}/_partition/{partition}/_design/{rest...}", [.get, .post], "Views"),
        ("/{db}/_auto_purge", [.get, .put], "Purges by the clock"),
        ("/{db}/_purged_infos", [.get], "Lists of purges"),
    ]
}
