import HTTPTypes
package import Hummingbird
package import Logging
import MusterCore

/// Everything that the server answers, on one port: the native API, the live feed, OwnTracks, the AWS services, CouchDB
/// and the web page.
package struct Endpoints: Sendable {
    let coordinator: StoreCoordinator
    let live: Live
    let identity: Identity
    let dispatcher: DeliveryDispatcher
    let documentFeeds: DocumentFeeds
    let replicator: Replicator
    let connections: OpenConnections
    let metrics: Metrics
    let certificates: CertificateFiles?
    let settings: Configuration
    private let placeBooks = PlaceBooks()
    private let amazonGate: AmazonAuthorizer

    /// Makes the endpoints over a coordinator.
    init(
        coordinator: StoreCoordinator, live: Live, identity: Identity, dispatcher: DeliveryDispatcher,
        documentFeeds: DocumentFeeds,
        replicator: Replicator? = nil, connections: OpenConnections = OpenConnections(), metrics: Metrics,
        certificates: CertificateFiles? = nil, settings: Configuration
    ) {
        self.coordinator = coordinator
        self.live = live
        self.identity = identity
        self.dispatcher = dispatcher
        self.documentFeeds = documentFeeds
        self.replicator =
            replicator
            ?? Replicator(
                coordinator: coordinator, feeds: documentFeeds, vault: identity.vault,
                allowsPrivate: settings.allowsPrivateTargets)
        self.connections = connections
        self.metrics = metrics
        self.certificates = certificates
        self.settings = settings
        amazonGate = AmazonAuthorizer(identity: identity, requestsPerSecond: settings.amazon.requestsPerSecond)
    }

    /// All routes of the server.
    package var routes: RouteTable {
        var routes = RouteTable()
        NativeEndpoint(
            coordinator: coordinator, identity: identity, metrics: metrics, certificates: certificates,
            configuration: settings
        ).register(in: &routes)
        OwnTracksEndpoint(coordinator: coordinator, identity: identity, metrics: metrics, configuration: settings)
            .register(in: &routes)
        TargetEndpoint(coordinator: coordinator, vault: identity.vault, dispatcher: dispatcher, configuration: settings)
            .register(in: &routes)
        LocationTrackerEndpoint(
            coordinator: coordinator, identity: identity, books: placeBooks, configuration: settings
        )
        .register(in: &routes)
        AmazonLocationEndpoint(coordinator: coordinator, authorizer: amazonGate, configuration: settings).register(
            in: &routes)
        AmazonServices(authorizer: amazonGate, services: amazonServices).register(in: &routes)
        addLive(to: &routes)
        CouchEndpoint(
            coordinator: coordinator, identity: identity, feeds: documentFeeds, connections: connections,
            replicator: replicator, books: placeBooks, configuration: settings
        ).register(in: &routes)
        OpenAPI.register(in: &routes)
        return routes
    }

    /// Makes the router that serves the routes and the web page. Where the page cannot be read, logs that and serves
    /// the rest.
    package func router(logger: Logger) -> Router<AppRequestContext> {
        let webAssets = WebAssets(webRoot: settings.webRoot)
        if let fault = webAssets.fault { logger.warning("\(fault)") }
        return routes.router(
            identity: identity, metrics: metrics, fallback: webAssets, origins: settings.origins,
            isEncrypted: settings.tls != nil)
    }

    /// The services that answer at `POST /`.
    private var amazonServices: [any AmazonJSONService] { [EventsService(coordinator: coordinator)] }

    private func addLive(to routes: inout RouteTable) {
        let feed = LiveFeed(
            live: live, coordinator: coordinator, identity: identity, connections: connections,
            heartbeatSeconds: settings.heartbeatSeconds)
        routes.add(
            Route(
                .get, "\(NativeEndpoint.root)/live",
                admits: .roles([.admin, .analyst, .leader, .member], devices: true),
                .init(
                    "Changes", "What is appended to the log, as it happens, as far as it may be seen.",
                    query: [
                        .init("since", "The number after which to begin; now, unless said.", schema: Schema.since)
                    ], answers: [.init(200, "A stream of events.", body: ["text/event-stream": "Text"])])
            ) { request, context in
                // An answer to HEAD has no body, so it opens no feed.
                if request.method == .head { return LiveFeed.head }
                let proof = LiveFeed.Proof(
                    authorization: request.headers[.authorization], address: context.remoteAddress)
                guard let principal = context.principal else { throw Problem.unauthorized }
                return try feed.response(
                    to: proof, of: FeedOwner(principal), since: try Self.cursor(of: request), on: context.channel)
            })
    }

    /// The position where a feed begins: after the browser's last event, or else after the query's sequence.
    private static func cursor(of request: Request) throws(Problem) -> MusterCore.LogSequence? {
        if let text = request.headers[.lastEventID], let number = Int64(text),
            (0...Query.largestSequence).contains(number)
        {
            return LogSequence(number)
        }
        var query = Query(request)
        let since = query.sequence("since")
        try query.finish()
        return since
    }
}

extension HTTPField.Name {
    /// The `Last-Event-ID` field of the HTML standard: the id of the last event that a browser has received.
    static let lastEventID = HTTPField.Name("Last-Event-ID")!
}
