import HTTPTypes

extension CouchEndpoint {
    /// What CouchDB has and Muster has not, so that a client is told and does not guess.
    func addUnsupported(to routes: inout RouteTable) {
        add(
            .post, "/{db}/_design/{document}/{attachment...}", "Views and their like need JavaScript.", statuses: [],
            to: &routes
        ) { _ in throw CouchFault.notImplemented("Views, shows, lists, updates and rewrites") }
        add(.post, "/{db}/_temp_view", "Temporary views need JavaScript.", statuses: [], to: &routes) { _ in
            throw CouchFault.notImplemented("Temporary views")
        }
    }
}
