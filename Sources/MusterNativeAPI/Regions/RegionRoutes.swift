import HTTPTypes
import Hummingbird
import MusterCore
import MusterServer
import MusterWire
import NIOCore

/// Routes that list, show, put and remove the regions of a collection.
struct RegionRoutes: NativeRoutes {
    let server: ServerParts

    static let geoJSON = "application/geo+json"

    func register(in routes: inout RouteTable) {
        let regions = "\(Self.root)/collections/{collection}/regions"
        let readers: Route.Admission = .roles([.admin, .analyst, .leader, .member], devices: true)
        let writers: Route.Admission = .roles([.admin, .leader], devices: false)
        let feature = Route.Answer(200, "The region.", body: [Self.geoJSON: "Feature"])
        routes.add(
            Route(
                .get, regions, admits: readers,
                .init(
                    "Regions", "List a collection's regions as GeoJSON.", query: Self.paging,
                    answers: [.init(200, "Regions.", body: [Self.geoJSON: "FeatureCollection"])]),
                handler: listRegions))
        routes.add(
            Route(
                .get, "\(regions)/{region}", admits: readers, .init("Regions", "Read a region.", answers: [feature]),
                handler: seeRegion))
        routes.add(
            Route(
                .put, "\(regions)/{region}", admits: writers,
                .init(
                    "Regions", "Store a region.", body: [Self.geoJSON: "Feature", "application/json": "Feature"],
                    answers: [feature, .init(201, "Made.", body: [Self.geoJSON: "Feature"])]),
                handler: putRegion))
        routes.add(
            Route(
                .delete, "\(regions)/{region}", admits: writers,
                .init("Regions", "Remove a region.", answers: [.init(204, "Gone.")]), handler: removeRegion))
    }

    private func listRegions(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        var query = Query(request)
        let limit = query.limit()
        try query.finish()
        let directory = coordinator.directory
        let collection = try collection(context, context.access(in: directory))
        let regions = directory.regions(in: collection.number).lazy.compactMap { directory.regions[$0] }
        let page = try Page(of: regions, limit: limit, after: query.text("cursor"))
        return .json(as: Self.geoJSON) { writer in
            writer.beginObject()
            writer.member("type", "FeatureCollection")
            writer.member("features", listing: page.items) { writer, region in
                Self.write(region, in: directory, to: &writer)
            }
            writer.member("nextCursor", page.nextCursor)
            writer.endObject()
        }
    }

    private func seeRegion(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let directory = coordinator.directory
        let collection = try collection(context, context.access(in: directory))
        guard let region = directory.region(try context.parameter("region"), in: collection.number) else {
            throw Problem.notFound
        }
        return .json(as: Self.geoJSON) { Self.write(region, in: directory, to: &$0) }
    }

    private func putRegion(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let id = try context.parameter("region")
        guard (1...RegionDraft.Limits().idCharacters).contains(id.count) else { throw Problem.notFound }
        _ = try changeableCollection(context, context.access(in: coordinator.directory))
        let drafts = try await regionDrafts(of: request)
        guard var draft = drafts.first, drafts.count == 1 else {
            throw Problem.invalid("", "must be one Feature")
        }
        guard draft.id == nil || draft.id == id else { throw Problem.invalid("/id", "differs from the id in the path") }
        draft.id = id
        let region = draft
        let (stored, isNew) = try await coordinator.edit(by: context.author) { directory, draft in
            let collection = try changeableCollection(context, context.access(in: directory))
            let isNew = directory.region(id, in: collection.number) == nil
            let stored = try Self.draftRegions([region], into: collection, of: directory, &draft)
            return (stored.first, isNew)
        }
        guard let stored else { throw Problem.internalError }
        return .json(isNew ? .created : .ok, as: Self.geoJSON) {
            Self.write(stored, in: coordinator.directory, to: &$0)
        }
    }

    private func removeRegion(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let id = try context.parameter("region")
        try await coordinator.edit(by: context.author) { directory, draft in
            let collection = try changeableCollection(context, context.access(in: directory))
            guard let region = directory.region(id, in: collection.number) else { throw Problem.notFound }
            draft.edits = [.removeRegion(region.number, from: collection.number)]
        }
        return .noContent
    }
}
