import Hummingbird
import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// Routes for trackers and the collections they are linked to.
struct TrackerRoutes: NativeRoutes {
    let server: ServerParts

    /// The largest number of collections that a tracker is linked to.
    static let linkLimit = 1000

    func register(in routes: inout RouteTable) {
        let trackers = "\(Self.root)/trackers"
        let readers: Route.Admission = .roles([.admin, .leader, .member], devices: true)
        let writers: Route.Admission = .roles([.admin], devices: false)
        let tracker = Route.Answer(200, "The tracker.", json: "Tracker")
        routes.add(
            Route(
                .get, trackers, admits: readers,
                .init(
                    "Trackers", "List trackers. An admin sees all trackers, others the team's.", query: Self.paging,
                    answers: [.init(200, "Trackers.", json: "TrackerPage")]), handler: listTrackers))
        routes.add(
            Route(
                .post, trackers, admits: writers,
                .init(
                    "Trackers", "Create a tracker.", body: Self.json("NewTracker"),
                    answers: [.init(201, "Made.", json: "Tracker")]), handler: makeTracker))
        routes.add(
            Route(
                .get, "\(trackers)/{tracker}", admits: readers,
                .init("Trackers", "Read a tracker.", answers: [tracker]), handler: seeTracker))
        routes.add(
            Route(
                .patch, "\(trackers)/{tracker}", admits: writers,
                .init(
                    "Trackers",
                    "Change a tracker's filter or links, or whether its devices may be at 0° north, 0° east.",
                    body: Self.json("TrackerPatch"),
                    answers: [tracker]), handler: changeTracker))
        routes.add(
            Route(
                .delete, "\(trackers)/{tracker}", admits: writers,
                .init(
                    "Trackers", "Remove a tracker that does not belong to a team.", answers: [.init(204, "Gone.")]),
                handler: removeTracker))
    }

    private func listTrackers(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        var query = Query(request)
        let limit = query.limit()
        try query.finish()
        let directory = coordinator.directory
        let access = try context.access(in: directory)
        let visible = directory.trackers.all.lazy.filter { access.mayRead($0) }
        let page = try Page(of: visible, limit: limit, after: query.text("cursor"))
        return .json { writer in page.write(to: &writer) { $0.tracker($1, in: directory) } }
    }

    private func makeTracker(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        var fields = try await Fields(request)
        let name = fields.name("name", isRequired: true)
        let filter: PositionFilter? = fields.word("filter")
        let collections = fields.names("collections", limit: Self.linkLimit)
        let worksAtZero = fields.boolean("worksAtZero") ?? false
        try fields.finish()
        guard let name else { throw Problem.internalError }
        let tracker = try await coordinator.edit(by: context.author) { directory, draft in
            guard directory.trackers[name] == nil else {
                throw Problem.conflict("The tracker \(name) already exists.")
            }
            let tracker = Tracker(
                number: try draft.transaction.nextTrackerNumber(), name: name, filter: filter ?? PositionFilter.none,
                collections: try Self.collections(named: collections ?? [], in: directory),
                worksAtZero: worksAtZero)
            draft.edits = [.putTracker(tracker)]
            return tracker
        }
        return response(tracker, .created)
    }

    private func seeTracker(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        response(try tracker(context, context.access(in: coordinator.directory)), .ok)
    }

    private func changeTracker(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        var fields = try await Fields(request)
        let filter: PositionFilter? = fields.word("filter")
        let collections = fields.names("collections", limit: Self.linkLimit)
        let worksAtZero = fields.boolean("worksAtZero")
        try fields.finish()
        let tracker = try await coordinator.edit(by: context.author) { directory, draft in
            var tracker = try self.tracker(context, context.access(in: directory))
            if let filter { tracker.filter = filter }
            if let worksAtZero { tracker.worksAtZero = worksAtZero }
            if let collections { tracker.collections = try Self.collections(named: collections, in: directory) }
            draft.edits = [.putTracker(tracker)]
            return tracker
        }
        return response(tracker, .ok)
    }

    private func removeTracker(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        try await coordinator.edit(by: context.author) { directory, draft in
            let tracker = try self.tracker(context, context.access(in: directory))
            if let team = directory.teams.all.first(where: { $0.tracker == tracker.number }) {
                throw Problem.conflict("This is the tracker of team \(team.name): remove the team.")
            }
            draft.edits = [.removeTracker(tracker.number)]
        }
        return .noContent
    }

    private func response(_ tracker: Tracker, _ status: HTTPResponse.Status) -> Response {
        .json(status) { $0.tracker(tracker, in: coordinator.directory) }
    }

    /// The collections of these names, each once.
    ///
    /// - Throws: `Problem.invalid` with the names that do not exist or occur twice.
    private static func collections(
        named names: [String], in directory: Directory
    ) throws(Problem) -> [CollectionNumber] {
        var numbers: [CollectionNumber] = []
        var faults: [Problem.Fault] = []
        for (index, name) in names.enumerated() {
            if let collection = directory.collections[name] {
                if numbers.contains(collection.number) {
                    faults.append(.init("/collections/\(index)", "is listed twice"))
                } else {
                    numbers.append(collection.number)
                }
            } else {
                faults.append(.init("/collections/\(index)", "there is no such collection"))
            }
        }
        guard faults.isEmpty else { throw .invalid(faults) }
        return numbers
    }
}

extension JSONWriter {
    /// Writes a tracker: name, filter, and the names of its collections.
    mutating func tracker(_ tracker: Tracker, in directory: Directory) {
        beginObject()
        member("name", tracker.name)
        member("filter", tracker.filter.rawValue)
        member("collections", listing: tracker.collections.compactMap { directory.collections[$0]?.name }) {
            $0.value($1)
        }
        member("worksAtZero", tracker.worksAtZero)
        endObject()
    }
}
