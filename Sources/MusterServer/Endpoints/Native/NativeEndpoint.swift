import Hummingbird
import MusterCore

/// Muster's own API, `/api/v1`. It translates requests into queries and edits, and results into JSON. It decides
/// nothing.
package struct NativeEndpoint: Sendable {
    let coordinator: StoreCoordinator
    let identity: Identity
    let metrics: Metrics
    let certificates: CertificateFiles?
    let configuration: Configuration

    /// The path below which all routes are.
    static let root = "/api/v1"

    /// Makes the API over a coordinator.
    init(
        coordinator: StoreCoordinator, identity: Identity, metrics: Metrics, certificates: CertificateFiles?,
        configuration: Configuration
    ) {
        self.coordinator = coordinator
        self.identity = identity
        self.metrics = metrics
        self.certificates = certificates
        self.configuration = configuration
    }

    /// Adds all routes. `OpenAPI` adds the route of the API's description, which covers all routes of the server.
    package func register(in routes: inout RouteTable) {
        addSession(to: &routes)
        addUsers(to: &routes)
        addPasswords(to: &routes)
        addTeams(to: &routes)
        addTeamSafety(to: &routes)
        addDeclarations(to: &routes)
        addIncidents(to: &routes)
        addIncidentReports(to: &routes)
        addRolls(to: &routes)
        addAudit(to: &routes)
        addDevices(to: &routes)
        addDeviceCredentials(to: &routes)
        addJoins(to: &routes)
        addEncryptionKeys(to: &routes)
        addReports(to: &routes)
        addLatestPositions(to: &routes)
        addPresences(to: &routes)
        addHistory(to: &routes)
        addSightings(to: &routes)
        addNotes(to: &routes)
        addCollections(to: &routes)
        addRegions(to: &routes)
        addTrackers(to: &routes)
        addRules(to: &routes)
        addChanges(to: &routes)
        addKeys(to: &routes)
        addService(to: &routes)
    }

    // MARK: What the path names

    /// The user that the path names, if the caller may read its positions.
    ///
    /// - Throws: `Problem.notFound` when the user does not exist or the caller may not see it.
    func user(_ context: AppRequestContext, _ access: Access) throws(Problem) -> User {
        guard let user = access.directory.users[try context.parameter("user")], access.mayRead(user) else {
            throw .notFound
        }
        return user
    }

    /// The user that the path names, if the caller may read its account.
    func account(_ context: AppRequestContext, _ access: Access) throws(Problem) -> User {
        guard let user = access.directory.users[try context.parameter("user")], access.mayReadAccount(of: user) else {
            throw .notFound
        }
        return user
    }

    /// The device that the path names, if the caller may read its reports.
    func device(_ context: AppRequestContext, _ access: Access) throws(Problem) -> Device {
        let user = try user(context, access)
        guard let device = access.directory.device(named: try context.parameter("device"), of: user.number) else {
            throw .notFound
        }
        return device
    }

    /// The team that the path names, if the caller may read it.
    func team(_ context: AppRequestContext, _ access: Access) throws(Problem) -> Team {
        guard let team = access.directory.teams[try context.parameter("team")], access.mayRead(team) else {
            throw .notFound
        }
        return team
    }

    /// The collection that the path names.
    func collection(_ context: AppRequestContext, _ access: Access) throws(Problem) -> RegionCollection {
        guard access.mayReadRegions,
            let collection = access.directory.collections[try context.parameter("collection")]
        else { throw .notFound }
        return collection
    }

    /// The tracker that the path names, if the caller may read it.
    func tracker(_ context: AppRequestContext, _ access: Access) throws(Problem) -> Tracker {
        guard let tracker = access.directory.trackers[try context.parameter("tracker")], access.mayRead(tracker) else {
            throw .notFound
        }
        return tracker
    }

    // MARK: Parts of the documentation that many routes share

    /// The query parameters that every list takes.
    static let paging = [
        Route.Parameter("limit", "How many items at most.", schema: Schema.limit),
        Route.Parameter("cursor", "The `nextCursor` of the page before.", schema: Schema.cursor),
    ]

    /// Limits a list to one user's devices. The list is empty for an unknown user, and for a user the caller may not
    /// see.
    static let ofUser = Route.Parameter("user", "Only this user's.", schema: Schema.name)

    /// A body of plain JSON.
    static func json(_ schema: String) -> [String: String] { ["application/json": schema] }
}
