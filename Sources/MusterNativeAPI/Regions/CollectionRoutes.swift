import Hummingbird
import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// Routes for collections of regions.
struct CollectionRoutes: NativeRoutes {
    let server: ServerParts

    func register(in routes: inout RouteTable) {
        let collections = "\(Self.root)/collections"
        let readers: Route.Admission = .roles([.admin, .analyst, .leader, .member], devices: true)
        let writers: Route.Admission = .roles([.admin, .leader], devices: false)
        routes.add(
            Route(
                .get, collections, admits: readers,
                .init(
                    "Regions", "List collections.", query: Self.paging,
                    answers: [.init(200, "Collections.", json: "CollectionPage")]), handler: listCollections))
        routes.add(
            Route(
                .post, collections, admits: writers,
                .init(
                    "Regions",
                    "Create a collection. An admin's is linked to all trackers, a leader's to the team's tracker.",
                    body: Self.json("NewCollection"), answers: [.init(201, "Made.", json: "Collection")]),
                handler: makeCollection))
        routes.add(
            Route(
                .get, "\(collections)/{collection}", admits: readers,
                .init(
                    "Regions", "Read a collection.", answers: [.init(200, "The collection.", json: "Collection")]),
                handler: seeCollection))
        routes.add(
            Route(
                .patch, "\(collections)/{collection}", admits: writers,
                .init(
                    "Regions", "Change how the server decides crossings of a collection's regions.",
                    body: Self.json("CollectionPatch"),
                    answers: [.init(200, "The collection.", json: "Collection")]), handler: changeCollection))
        routes.add(
            Route(
                .delete, "\(collections)/{collection}", admits: writers,
                .init(
                    "Regions", "Remove a collection with its regions.", answers: [.init(204, "Gone.")]),
                handler: removeCollection))
    }

    private func listCollections(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        var query = Query(request)
        let limit = query.limit()
        try query.finish()
        let directory = coordinator.directory
        let access = try context.access(in: directory)
        let page = try Page(of: directory.collections.all, limit: limit, after: query.text("cursor"))
        return .json { writer in page.write(to: &writer) { $0.collection($1, to: access) } }
    }

    private func makeCollection(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        var fields = try await Fields(request)
        let name = fields.name("name", isRequired: true)
        let policy: CrossingPolicy? = fields.word("policy")
        try fields.finish()
        guard let name else { throw Problem.internalError }
        let collection = try await coordinator.edit(by: context.author) { directory, draft in
            let access = try context.access(in: directory)
            guard directory.collections[name] == nil else {
                throw Problem.conflict("The collection \(name) already exists.")
            }
            let collection = RegionCollection(
                number: try draft.transaction.nextCollectionNumber(), name: name, policy: policy ?? .confident)
            draft.edits = [.putCollection(collection)] + Self.links(to: collection, by: access)
            return collection
        }
        let access = try context.access(in: coordinator.directory)
        return .json(.created) { $0.collection(collection, to: access) }
    }

    /// The edits that link a new collection: an admin's to all trackers, a leader's to the tracker of the leader's
    /// team.
    private static func links(to collection: RegionCollection, by access: Access) -> [Edit] {
        access.trackersLinkedToNewCollection.map { tracker in
            var tracker = tracker
            tracker.collections.append(collection.number)
            return .putTracker(tracker)
        }
    }

    private func seeCollection(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let access = try context.access(in: coordinator.directory)
        let collection = try collection(context, access)
        return .json { $0.collection(collection, to: access) }
    }

    private func changeCollection(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        var fields = try await Fields(request)
        let policy: CrossingPolicy? = fields.word("policy")
        try fields.finish()
        let collection = try await coordinator.edit(by: context.author) { directory, draft in
            var collection = try changeableCollection(context, context.access(in: directory))
            if let policy { collection.policy = policy }
            draft.edits = [.putCollection(collection)]
            return collection
        }
        let access = try context.access(in: coordinator.directory)
        return .json { $0.collection(collection, to: access) }
    }

    private func removeCollection(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        try await coordinator.edit(by: context.author) { directory, draft in
            let access = try context.access(in: directory)
            let collection = try changeableCollection(context, access)
            draft.edits = directory.removal(of: collection.number)
        }
        return .noContent
    }
}

extension JSONWriter {
    /// Writes a collection: its name, its crossing policy, the number of its regions, and whether the caller may change
    /// it and them.
    mutating func collection(_ collection: RegionCollection, to access: Access) {
        beginObject()
        member("name", collection.name)
        member("policy", collection.policy.rawValue)
        member("regions", access.directory.regionCount(in: collection.number))
        member("mayChange", access.mayChange(collection))
        endObject()
    }
}
