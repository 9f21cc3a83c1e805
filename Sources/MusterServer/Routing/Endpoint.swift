package import Logging
package import MusterHTTP
package import ServiceLifecycle

/// The translation of one protocol: it turns requests into calls of the server's parts and results into the protocol's
/// answers. An endpoint makes no decisions of its own and stores nothing.
package protocol Endpoint: Sendable {
    /// Makes the endpoint over the parts of a server.
    init(_ parts: ServerParts)

    /// Adds the endpoint's routes.
    func register(in routes: inout RouteTable)

    /// The services that the endpoint runs besides answering requests, from the start of the server to its stop.
    var services: [any Service] { get }
}

extension Endpoint {
    package var services: [any Service] { [] }
}

/// The parts of a server that all endpoints share.
package struct ServerParts: Sendable {
    package let coordinator: StoreCoordinator
    package let identity: Identity
    package let dispatcher: DeliveryDispatcher
    /// Notifies devices through push services.
    package let pushes: PushDispatcher
    package let feeds: LogFeeds
    /// Shows updates of datasets to the targets that identity pools name.
    package let syncTrigger: SyncTrigger
    /// Carries streams between devices of a team.
    package let relay: Relay
    /// Calls other servers, at checked addresses only.
    package let client: CheckedHTTPClient
    package let connections: OpenConnections
    /// The ports that must accept connections before the server says that it is ready.
    package let ports = OpeningPorts()
    package let metrics: Metrics
    /// How it stands with the feeds of official warnings.
    package let warnings = WarningStatuses()
    /// Keeps what devices send and the server cannot read.
    package let refused: RefusedReports
    /// Warns of what devices do wrong.
    package let occasionalLog: OccasionalLog
    /// The files of map tiles.
    package let tiles: TileCatalog
    /// The TLS certificates; nil where the server uses no TLS.
    package let certificates: CertificateFiles?
    package let configuration: Configuration
    package let logger: Logger

    package init(
        coordinator: StoreCoordinator, feeds: LogFeeds, identity: Identity, dispatcher: DeliveryDispatcher,
        pushes: PushDispatcher, client: CheckedHTTPClient, connections: OpenConnections = OpenConnections(),
        metrics: Metrics, tiles: TileCatalog,
        certificates: CertificateFiles? = nil, configuration: Configuration,
        logger: Logger = Logger(label: "muster")
    ) {
        self.coordinator = coordinator
        self.feeds = feeds
        self.identity = identity
        self.dispatcher = dispatcher
        self.pushes = pushes
        syncTrigger = SyncTrigger(coordinator: coordinator, caller: dispatcher.caller)
        relay = Relay(configuration.relay)
        self.client = client
        self.connections = connections
        self.metrics = metrics
        self.tiles = tiles
        self.certificates = certificates
        self.configuration = configuration
        self.logger = logger
        occasionalLog = OccasionalLog(logger, now: configuration.now)
        refused = RefusedReports(coordinator: coordinator, log: occasionalLog)
    }
}
