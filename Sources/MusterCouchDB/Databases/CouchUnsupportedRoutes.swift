import HTTPTypes

/// Routes of CouchDB that the server refuses.
struct CouchUnsupportedRoutes: CouchRoutes {
    /// Adds the routes of CouchDB that Muster does not support, so that clients get a clear error.
    func register(in routes: inout CouchRouteTable) {
        routes.add(
            .post, "/{db}/_design/{document}/{attachment...}", "Views and shows need JavaScript.", statuses: []
        ) { _ in throw CouchError.notImplemented("Views, shows, lists, updates and rewrites") }
        routes.add(.post, "/{db}/_temp_view", "Temporary views need JavaScript.", statuses: []) { _ in
            throw CouchError.notImplemented("Temporary views")
        }
        for (path, methods, what) in Self.absent {
            for method in methods {
                routes.add(method, path, "\(what) are not supported.", statuses: []) { _ in
                    throw CouchError.unsupported(what)
                }
            }
        }
    }

    /// The paths that Muster does not support, and the name of each feature in the plural.
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
        ("/{db}/_auto_purge", [.get, .put], "Automatic purges"),
        ("/{db}/_purged_infos", [.get], "Lists of purges"),
    ]
}
