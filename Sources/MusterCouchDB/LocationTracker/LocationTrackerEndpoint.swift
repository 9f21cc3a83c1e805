import HTTPTypes
import Hummingbird
import MusterCore
import MusterHTTP
import MusterServer
import MusterStore
import MusterWire

/// The API of the location-tracker apps from IBM's Cloudant tutorials: register, log in, find places. Everything else
/// that the apps do is CouchDB replication.
struct LocationTrackerEndpoint: Sendable {
    let coordinator: StoreCoordinator
    let identity: Identity
    let geoIndexes: GeoIndexCache
    let configuration: Configuration
    /// Limits registrations: twenty at once, then one every five seconds from one address.
    let registrations = AttemptLimiter(
        name: .init(tries: 20, perSecond: 0.2), address: .init(tries: 20, perSecond: 0.2))

    /// Adds the endpoint's routes.
    func register(in routes: inout RouteTable) {
        routes.add(
            Route(
                .put, "/api/users/{account}", admits: .anyoneIdentified,
                .init(
                    "Location tracker",
                    "Create an account: your own, if registration is open, or another person's, as an admin.",
                    body: ["application/json": "TrackerAccount"],
                    answers: [.init(201, "Made.", json: "TrackerAccountMade")] + Self.refusals([400, 403, 409, 429])),
                handler: makeAccount))
        routes.add(
            Route(
                .post, "/api/login", admits: .anyone,
                .init(
                    "Location tracker",
                    "Exchange a name and a password for a key to the user's location database.",
                    body: ["application/json": "TrackerLogin"],
                    answers: [.init(200, "The key, and the address of the database.", json: "TrackerKey")]
                        + Self.refusals([400, 403, 429])),
                handler: logIn))
        routes.add(
            Route(
                .get, "/api/places",
                admits: configuration.placesArePublic
                    ? .anyone : .roles(Route.Admission.everyRole.subtracting([.gateway]), devices: true),
                over: PlacesProtocol(),
                .init(
                    "Location tracker", "Find places near a point, or by a geometry, as Cloudant Geo does.",
                    query: Self.placesQuery,
                    answers: [.init(200, "The places.", json: "Object")]
                        + Self.refusals([400, 401, 403, 404, 501])),
                handler: findPlaces))
    }

    private static let placesQuery: [Route.Parameter] = [
        .init("lat", "Degrees north.", schema: #"{"type":"number","minimum":-90,"maximum":90}"#),
        .init("lon", "Degrees east.", schema: #"{"type":"number","minimum":-180,"maximum":180}"#),
        .init("radius", "Metres.", schema: #"{"type":"number","exclusiveMinimum":0}"#),
        .init("relation", "The relation of the query's geometry to the place.", schema: Schema.text),
        .init("nearest", "The nearest first.", schema: Schema.boolean),
        .init("include_docs", "With the whole documents.", schema: Schema.boolean),
        .init("limit", "The most results.", schema: #"{"type":"integer","minimum":0,"maximum":200}"#),
        .init("skip", "The number of results to skip.", schema: #"{"type":"integer","minimum":0}"#),
        .init("bookmark", "The end of the previous page.", schema: Schema.text),
        .init("bbox", "West, south, east, north.", schema: Schema.text),
        .init("g", "Well-known text.", schema: Schema.text),
        .init("rangex", "Metres east and west.", schema: #"{"type":"number","exclusiveMinimum":0}"#),
        .init("rangey", "Metres north and south.", schema: #"{"type":"number","exclusiveMinimum":0}"#),
        .init("format", "view, legacy or geojson.", schema: Schema.text),
    ]

    /// The refusals of these routes, in the form of the original server. Errors at the HTTP level are problems.
    private static func refusals(_ statuses: [Int]) -> [Route.Answer] {
        statuses.map { status in
            .init(
                status, "Refused.", body: ["application/json": "TrackerFault", "application/problem+json": "Problem"])
        }
    }

    // MARK: Accounts

    private func makeAccount(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let id = try context.parameter("account")
        guard let account = try await members(request), let name = account["username"]?.string,
            let password = account["password"]?.string
        else { return Self.refusal(.badRequest, "username and password are required") }
        guard name == id else { return Self.refusal(.badRequest, "The username must be the one in the path") }
        guard EntityName.isValid(name) else {
            return Self.refusal(.badRequest, "A username is \(Fields.nameRule)")
        }
        guard EntityName.isFreeForUsers(name) else {
            return Self.refusal(.badRequest, "A username \(EntityName.userNameRule)")
        }
        let admin = admin(context)
        guard admin != nil || configuration.registration == .open else {
            return Self.refusal(.forbidden, "Registration is closed. An admin can create an account for you")
        }
        do {
            if admin == nil {
                try registrations.spendAttempt(
                    name: context.remoteAddress, address: context.remoteAddress, at: configuration.now())
            }
            guard coordinator.directory.releasing(name) != nil else { return Self.alreadyThere }
            return try await makeAccount(name, password, by: admin)
        } catch let error as IdentityError {
            return try Self.refusal(error)
        }
    }

    /// - Parameter admin: the admin who creates the account; nil for a person who registers, who is then the author.
    private func makeAccount(_ name: String, _ password: String, by admin: Author?) async throws -> Response {
        let stored = try await identity.prepare(password, ofUserNamed: name)
        let now = configuration.now()
        let isMade = try await coordinator.edit(by: admin) { directory, draft in
            guard let released = directory.releasing(name) else { return false }
            draft.edits += released
            let number = try draft.transaction.nextUserNumber()
            if admin == nil { draft.author = Author(user: number) }
            draft.edits.append(.putUser(User(number: number, name: name, role: .member, team: nil)))
            draft.credentials += identity.credentials(for: stored, of: number, at: now)
            return true
        }
        guard isMade else { return Self.alreadyThere }
        return .json(.created) { writer in
            writer.beginObject()
            writer.key("ok")
            writer.value(true)
            writer.member("id", name)
            writer.member("rev", Revision(generation: 1, digest: TokenDigest(of: name).bytes.prefix(16)).text)
            writer.endObject()
        }
    }

    /// The admin who sent the request; nil for any other sender, and for a request without a credential.
    private func admin(_ context: AppRequestContext) -> Author? {
        guard let principal = context.principal else { return nil }
        return Access(principal, in: coordinator.directory).mayChangeAccounts ? Author(principal) : nil
    }

    // MARK: Keys

    private func logIn(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        guard let login = try await members(request), let name = login["username"]?.string,
            let password = login["password"]?.string
        else { return Self.refusal(.badRequest, "username and password are required") }
        do {
            let user = try await identity.verifyPassword(password, ofUserNamed: name, from: context.remoteAddress)
            // A gateway reports for others and has no locations of its own.
            guard user.role != .gateway else { throw IdentityError.refused }
            let key = try await identity.makeLocationKey(for: user.number)
            let uuid = try await coordinator.read { try $0.uuid() }
            return response(key, of: user, at: uuid, request)
        } catch let error as IdentityError {
            return try Self.refusal(error)
        }
    }

    private func response(_ key: LocationKey, of user: User, at uuid: String, _ request: Request) -> Response {
        let forwarded = request.headers[.xForwardedProto]
        let isEncrypted = configuration.tls != nil || forwarded == "https"
        return .json { writer in
            writer.beginObject()
            writer.key("ok")
            writer.value(true)
            writer.member("api_key", key.name)
            writer.member("api_password", key.password)
            // A Muster extension: the client recognizes by it that a user was removed and another of the same name
            // created.
            writer.member("account", "\(uuid.filter { $0 != "-" })/\(user.number.rawValue)")
            writer.member("location_db_name", DatabaseName.locations(of: user.name))
            writer.member(
                "location_db_host", request.head.authority ?? "\(configuration.host):\(configuration.port)")
            writer.member("location_db_host_protocol", isEncrypted ? "https" : "http")
            writer.endObject()
        }
    }

    // MARK: Places

    private func findPlaces(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        guard let database = coordinator.directory.database(named: DatabaseName.places) else {
            return Self.refusal(.notFound, "There are no places.")
        }
        let index = GeoIndexName(design: "points", name: SpatialIndexes.standardName)
        return try await GeoQueryHandler(coordinator: coordinator, geoIndexes: geoIndexes)
            .respond(CouchQuery(request.uri.query ?? "").parameters, index, in: database)
    }

    // MARK: Shared by the routes

    /// Parses the body; nil when it is not an object. Unknown members are ignored, because the apps send some.
    private func members(_ request: Request) async throws -> JSONValue? {
        let body = try await request.collectBody(.small)
        let value = try? body.withUnsafeReadableBytes { try JSONValue(parsing: $0, depthLimit: 8, valueLimit: 1_000) }
        return value?.kind == .object ? value : nil
    }

    static let alreadyThere = refusal(.conflict, "User already exists")

    /// An error in the form of the original server, `{"error": …}`.
    static func refusal(_ status: HTTPResponse.Status, _ words: String) -> Response {
        .json(status) { writer in
            writer.beginObject()
            writer.member("error", words)
            writer.endObject()
        }
    }

    private static func refusal(_ error: IdentityError) throws -> Response {
        switch error {
        case .refused, .missing, .unknown: return refusal(.forbidden, "Invalid username and/or password.")
        case .unusablePassword:
            return refusal(
                .badRequest,
                "A password has \(Identity.shortestPassword) characters to \(Identity.longestPasswordBytes) bytes")
        case .tooManyTries(let seconds):
            var response = refusal(.tooManyRequests, "Too many attempts")
            response.headers[.retryAfter] = String(seconds)
            return response
        case .busy, .tooMany: throw error
        }
    }
}

/// The protocol of `/api/places`: it accepts keys of location databases, and refusals have the form of the original
/// server.
private struct PlacesProtocol: RouteProtocol {
    func proof(in request: inout Request, _ context: AppRequestContext) -> (any RequestProof)? {
        StandardProtocol(admitsLocationKeys: true).proof(in: &request, context)
    }

    func response(to error: any Error, _ context: AppRequestContext) -> Response? {
        switch error {
        case is RoleRefusal: LocationTrackerEndpoint.refusal(.forbidden, "Gateways may not search places.")
        case let error as MangoError:
            LocationTrackerEndpoint.refusal(HTTPResponse.Status(code: error.status), error.reason)
        case let error as CouchError: LocationTrackerEndpoint.refusal(error.status, error.reason)
        default: nil
        }
    }
}
