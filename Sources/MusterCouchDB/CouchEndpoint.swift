package import MusterServer
package import ServiceLifecycle

/// CouchDB's protocol: documents, changes feeds and replication (docs/couchdb.md).
///
/// The endpoint translates only. The users are the directory's, databases contain the documents of every protocol, and
/// a document that a client stores goes through the same commit pipeline as every observation.
package struct CouchEndpoint: Endpoint {
    /// Every group of routes, in the order in which the routes are added.
    private let groups: [any CouchRoutes]
    private let tracker: LocationTrackerEndpoint
    private let replicator: Replicator
    private let responder: CouchResponder

    package init(_ parts: ServerParts) {
        let geoIndexes = GeoIndexCache()
        let replicator = Replicator(
            coordinator: parts.coordinator, feeds: parts.feeds, vault: parts.identity.vault, client: parts.client)
        let edits = CouchEditWriter(seal: replicator.seal)
        let users = CouchUserDocuments(identity: parts.identity)
        let locals = CouchLocalRoutes(edits: edits)
        groups = [
            CouchServerRoutes(),
            CouchSessionRoutes(identity: parts.identity),
            CouchDatabaseRoutes(),
            CouchSettingRoutes(),
            CouchDocumentRoutes(),
            CouchEditingRoutes(edits: edits, users: users, locals: locals),
            CouchBulkRoutes(edits: edits),
            CouchRevisionRoutes(),
            CouchListRoutes(),
            CouchChangeRoutes(identity: parts.identity, follower: FeedFollower(parts)),
            locals,
            CouchAttachmentRoutes(edits: edits),
            CouchPurgeRoutes(),
            CouchFindRoutes(),
            CouchExplainRoutes(),
            CouchIndexRoutes(),
            CouchPartitionRoutes(),
            CouchGeoRoutes(geoIndexes: geoIndexes),
            CouchReplicationRoutes(replicator: replicator),
            CouchSnapshotRoutes(feeds: parts.feeds),
            CouchSchedulerRoutes(replicator: replicator),
            CouchNodeRoutes(),
            CouchUnsupportedRoutes(),
        ]
        tracker = LocationTrackerEndpoint(
            coordinator: parts.coordinator, identity: parts.identity, geoIndexes: geoIndexes,
            configuration: parts.configuration)
        responder = CouchResponder(
            coordinator: parts.coordinator, identity: parts.identity, configuration: parts.configuration)
        self.replicator = replicator
    }

    package var services: [any Service] { [replicator] }

    package func register(in routes: inout RouteTable) {
        var table = CouchRouteTable(adding: routes, answeredBy: responder)
        for group in groups { group.register(in: &table) }
        routes = table.routes
        tracker.register(in: &routes)
        routes.answerUnrouted(ReservedPaths.isCouchDB) { methods in
            (methods.isEmpty ? CouchError.missing : .methodNotAllowed(methods)).response
        }
    }
}
