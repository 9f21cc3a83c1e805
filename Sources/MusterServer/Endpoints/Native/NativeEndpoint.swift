import Hummingbird
import MusterCore

/// Muster's own API, `/api/v1`. Translates requests into questions and edits, and answers into JSON; decides nothing.
package struct NativeEndpoint: Sendable {
    let coordinator: StoreCoordinator
    let identity: Identity
    let metrics: Metrics
    let certificates: CertificateFiles?
    let configuration: Configuration

    /// Where all of it is.
    static let root = "/api/v1"

    /// The API over a coordinator.
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

    /// Adds all routes. OpenAPI, which speaks of all routes there are, is added by `OpenAPI`.
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

    /// The user that the path names, if its positions may be seen.
    ///
    /// - Throws: `Problem.notFound` when there is none, or not for these eyes.
    func user(_ context: AppRequestContext, _ access: Access) throws(Problem) -> User {
        guard let user = access.directory.users[try context.parameter("user")], access.mayRead(user) else {
            throw .notFound
        }
        return user
    }

    /// The user that the path names, if its account may be seen.
    func account(_ context: AppRequestContext, _ access: Access) throws(Problem) -> User {
        guard let user = access.directory.users[try context.parameter("user")], access.mayReadAccount(of: user) else {
            throw .notFound
        }
        return user
    }

    /// The device that the path names, if what it reports may be seen.
    func device(_ context: AppRequestContext, _ access: Access) throws(Problem) -> Device {
        let user = try user(context, access)
        guard let device = access.directory.device(named: try context.parameter("device"), of: user.number) else {
            throw .notFound
        }
        return device
    }

    /// The team that the path names, if it may be seen.
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

    /// The tracker that the path names, if it may be seen.
    func tracker(_ context: AppRequestContext, _ access: Access) throws(Problem) -> Tracker {
        guard let tracker = access.directory.trackers[try context.parameter("tracker")], access.mayRead(tracker) else {
            throw .notFound
        }
        return tracker
    }

    // MARK: Parts of the documentation that many routes share

    /// The parts of the query that every list takes.
    static let paging = [
        Route.Parameter("limit", "How many items at most.", schema: Schema.limit),
        Route.Parameter("cursor", "The `nextCursor` of the page before.", schema: Schema.cursor),
    ]

    /// Asks for one person's devices. Of nobody, and of whom one may not see, there are none.
    static let ofUser = Route.Parameter("user", "Only this user's.", schema: Schema.name)

    /// A body of plain JSON.
    static func json(_ schema: String) -> [String: String] { ["application/json": schema] }
}
