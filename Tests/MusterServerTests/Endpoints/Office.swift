import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import MusterCore
import MusterEndpoints
import MusterGeometry
import MusterHTTP
import MusterStore
import MusterTestSupport
import MusterWire
import NIOCore
import Synchronization
import Testing

@testable import MusterServer

/// A whole server over a store in memory, with two teams and one of every role; its clock stands still until it is
/// moved. Everyone has a device `phone` and an API key.
///
/// North: lena leads, mia and max are members. South: lars leads, sue is a member. Of no team: admin, ann the analyst,
/// gus the gateway.
struct Office {
    let coordinator: StoreCoordinator
    let store: any Store
    let identity: Identity
    let metrics = Metrics()
    let dispatcher: DeliveryDispatcher
    let parts: ServerParts
    let endpoints: Endpoints
    let relay: Relay
    let clock = Town.Clock()
    let keys: [String: String]

    static let people: [(name: String, role: Role, team: String?)] = [
        ("admin", .admin, nil), ("lena", .leader, "north"), ("mia", .member, "north"), ("max", .member, "north"),
        ("lars", .leader, "south"), ("sue", .member, "south"), ("ann", .analyst, nil), ("gus", .gateway, nil),
    ]

    /// Everyone's password.
    static func password(of name: String) -> String { "\(name)'s secret" }

    init(
        store: any Store = MemoryStore(), webRoot: String? = nil, tiles: [Configuration.Tiles] = [],
        mapStyle: MapStyle? = nil, retentionDays: Double = 30,
        attempts: AttemptLimiter = AttemptLimiter(), relayLimits: RelayLimits = RelayLimits(),
        waitClock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) async throws {
        self.store = store
        let clock = clock
        coordinator = try StoreCoordinator(store: store, now: { clock.now }, waitClock: waitClock)
        identity = Identity(
            coordinator: coordinator, issuer: "test", hasher: PasswordHasher.quick(waitClock: waitClock),
            attempts: attempts, now: { clock.now })
        try await identity.load()
        var settings = Configuration(dataDirectory: "", now: { clock.now })
        settings.webRoot = webRoot
        settings.tiles = tiles
        settings.mapStyle = mapStyle
        settings.retentionDays = retentionDays
        settings.relay = relayLimits
        settings.sms.gateway = "gus"
        let client = try CheckedHTTPClient(policy: AddressPolicy())
        let caller = TargetCaller(
            coordinator: coordinator, vault: identity.vault, client: client, logger: Logger(label: "test"),
            now: { clock.now })
        dispatcher = DeliveryDispatcher(
            coordinator: coordinator, caller: caller, policy: settings.delivery, metrics: metrics, now: { clock.now })
        parts = ServerParts(
            coordinator: coordinator, feeds: LogFeeds(coordinator: coordinator), identity: identity,
            dispatcher: dispatcher,
            pushes: PushDispatcher(
                coordinator: coordinator, vault: identity.vault, senders: PushSenders([:]),
                logger: Logger(label: "test"), now: { clock.now }), client: client,
            metrics: metrics, tiles: try TileCatalog(settings, logger: Logger(label: "test")),
            configuration: settings)
        relay = parts.relay
        endpoints = Endpoints(AllEndpoints.types, over: parts)
        try await Self.found(coordinator, identity)
        var keys: [String: String] = [:]
        for user in coordinator.directory.users.all {
            keys[user.name] = try await identity.makeKey(label: "test", for: user.number).secret
        }
        self.keys = keys
    }

    private static func found(_ coordinator: StoreCoordinator, _ identity: Identity) async throws {
        let now = identity.now()
        var hashes: [String: String] = [:]
        for person in people { hashes[person.name] = try await identity.passwordHash(of: password(of: person.name)) }
        let hashed = hashes
        try await coordinator.edit { _, draft in
            var teams: [String: TeamNumber] = [:]
            for name in ["north", "south"] {
                let collection = try draft.transaction.nextCollectionNumber()
                let tracker = try draft.transaction.nextTrackerNumber()
                let team = try draft.transaction.nextTeamNumber()
                draft.edits += [
                    .putCollection(RegionCollection(number: collection, name: name, policy: .raw)),
                    .putTracker(Tracker(number: tracker, name: name, filter: .none, collections: [collection])),
                    .putTeam(Team(number: team, name: name, tracker: tracker)),
                ]
                teams[name] = team
            }
            for person in people {
                let user = try draft.transaction.nextUserNumber()
                let device = try draft.transaction.nextDeviceNumber()
                draft.edits += [
                    .putUser(
                        User(
                            number: user, name: person.name, role: person.role, team: person.team.flatMap { teams[$0] })
                    ),
                    .putDevice(Device(number: device, name: "phone", user: user)),
                ]
                draft.credentials.append(.password(hashed[person.name] ?? "", of: user, at: now))
            }
        }
    }

    /// The user of that name.
    func user(_ name: String) throws -> User { try #require(coordinator.directory.users[name]) }

    /// That user's phone.
    func phone(of name: String) throws -> Device {
        try #require(coordinator.directory.device(named: "phone", of: try user(name).number))
    }

    /// A position object of now, in the middle of a town.
    func report(_ device: String? = nil, latitude: Double = 45, secondsAgo: Double = 0) -> String {
        let name = device.map { #""device":"\#($0)","# } ?? ""
        let time = clock.now.advanced(bySeconds: -secondsAgo).rfc3339
        return #"{\#(name)"latitude":\#(latitude),"longitude":14,"sampleTime":"\#(time)","accuracy":5}"#
    }

    /// Sends requests to the router, or over a socket.
    func open<Result>(
        _ setup: TestingSetup = .router, _ body: @Sendable (Desk) async throws -> Result
    ) async throws -> Result {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let application = Application(
            router: endpoints.router(logger: logger), configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            logger: logger)
        do {
            let result = try await application.test(setup) { client in
                try await body(Desk(client: client, office: self))
            }
            // A test may have closed it already.
            try? await coordinator.close()
            return result
        } catch {
            try? await coordinator.close()
            throw error
        }
    }
}

/// Where requests are handed in.
struct Desk: Sendable {
    let client: any TestClientProtocol
    let office: Office

    /// What came back.
    struct Reply: Sendable {
        let status: Int
        let headers: HTTPFields
        let body: ByteBuffer

        var text: String { String(buffer: body) }
        var json: JSONValue { (try? JSONValue(parsing: Array(body.readableBytesView))) ?? .null }
        /// The pointers of a problem's faults.
        var pointers: [String] { json["errors"]?.elements?.compactMap { $0["pointer"]?.string } ?? [] }
    }

    /// Sends a request, as the user of that name when one is given.
    ///
    /// - Parameters:
    ///   - path: below `/api/v1` unless it begins with `//`, which is the root.
    ///   - authorization: the header, instead of the user's API key.
    func send(
        _ method: HTTPRequest.Method, _ path: String, as user: String? = nil, _ json: String? = nil,
        type: String = "application/json", authorization: String? = nil, headers: HTTPFields = [:]
    ) async throws -> Reply {
        let key = user.flatMap { office.keys[$0] }.map { "Bearer \($0)" }
        return try await send(
            method, path, authorization: authorization ?? key, body: json.map { ByteBuffer(string: $0) }, type: type,
            headers: headers)
    }

    /// Sends a request with a body of any bytes.
    func send(
        _ method: HTTPRequest.Method, _ path: String, authorization: String?, body: ByteBuffer?,
        type: String = "application/json", headers: HTTPFields = [:]
    ) async throws -> Reply {
        var headers = headers
        headers[.authorization] = authorization
        if body != nil { headers[.contentType] = type }
        let uri = path.hasPrefix("//") ? String(path.dropFirst()) : "/api/v1" + path
        let response = try await client.executeRequest(uri: uri, method: method, headers: headers, body: body)
        return Reply(status: response.status.code, headers: response.headers, body: response.body)
    }
}

extension PasswordHasher {
    /// One that costs next to nothing.
    static func quick(
        threads: Int = 2, waitingLimit: Int = 64,
        waitClock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) -> PasswordHasher {
        PasswordHasher(
            threads: threads, waitingLimit: waitingLimit, cost: .init(logarithm: 4, blockSize: 8, parallelism: 1),
            waitClock: waitClock)
    }
}
