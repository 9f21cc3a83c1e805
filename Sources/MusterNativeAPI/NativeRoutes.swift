import Hummingbird
import MusterCore
import MusterServer

/// A group of the native API's routes.
protocol NativeRoutes: Sendable {
    /// The parts of the server that the routes use.
    var server: ServerParts { get }

    init(server: ServerParts)

    /// Adds the group's routes.
    func register(in routes: inout RouteTable)
}

extension NativeRoutes {
    /// The path below which all routes are.
    static var root: String { APIPaths.root }

    var coordinator: StoreCoordinator { server.coordinator }
    var identity: Identity { server.identity }
    var configuration: Configuration { server.configuration }

    // MARK: Path parameters

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
    static var paging: [Route.Parameter] {
        [
            Route.Parameter("limit", "The largest number of items.", schema: Schema.limit),
            Route.Parameter("cursor", "The `nextCursor` of the previous page.", schema: Schema.cursor),
        ]
    }

    /// The query parameter that limits a list to one user's devices. The list is empty for an unknown user, and for a
    /// user the caller may not see.
    static var ofUser: Route.Parameter {
        Route.Parameter("user", "Only devices of this user.", schema: Schema.name)
    }

    /// A body of plain JSON.
    static func json(_ schema: String) -> [String: String] { ["application/json": schema] }
}
