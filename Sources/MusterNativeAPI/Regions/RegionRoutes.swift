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
        let feature = Route.Answer(
            200, "The region, with its `ETag`; with `dryRun`, what the edit would change.",
            body: [Self.geoJSON: "Feature", "application/json": "EditOutlook"])
        let dryRun = Route.Parameter(
            "dryRun", "Only say what the edit would change for the people who stand there now.",
            schema: #"{"type":"boolean"}"#)
        routes.add(
            Route(
                .get, regions, admits: readers,
                .init(
                    "Regions", "List a collection's regions. GeoJSON comes in pages, KML in one piece.",
                    query: [
                        .init(
                            "format", "The format. Without it, `Accept` decides.",
                            schema: #"{"type":"string","enum":["geojson","kml"]}"#)
                    ] + Self.paging,
                    answers: [
                        .init(200, "Regions.", body: [Self.geoJSON: "FeatureCollection", KMLWriter.mediaType: "Text"])
                    ]),
                handler: listRegions))
        routes.add(
            Route(
                .get, "\(regions)/{region}", admits: readers,
                .init(
                    "Regions",
                    "Read a region. Its `ETag` is what `If-Match` takes. `musterRules` names the rules that make it a "
                        + "muster region.",
                    answers: [.init(200, "The region.", body: [Self.geoJSON: "Feature"])]),
                handler: seeRegion))
        routes.add(
            Route(
                .put, "\(regions)/{region}", admits: writers,
                .init(
                    "Regions", "Store a region: with `If-Match`, if nobody has changed it meanwhile.",
                    query: [dryRun], body: [Self.geoJSON: "Feature", "application/json": "Feature"],
                    answers: [feature, .init(201, "Made.", body: [Self.geoJSON: "Feature"])]),
                handler: putRegion))
        routes.add(
            Route(
                .delete, "\(regions)/{region}", admits: writers,
                .init(
                    "Regions", "Remove a region: with `If-Match`, if nobody has changed it meanwhile.",
                    query: [dryRun],
                    answers: [
                        .init(200, "With `dryRun`, what the removal would change.", json: "EditOutlook"),
                        .init(204, "Gone."),
                    ]), handler: removeRegion))
    }

    private func listRegions(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        var query = Query(request)
        let isKML = RegionExport.isWanted(by: request, &query)
        let limit = query.limit()
        try query.finish()
        let directory = coordinator.directory
        let collection = try collection(context, context.access(in: directory))
        if isKML { return RegionExport(of: collection, in: directory).response }
        let regions = directory.regions(in: collection.number).lazy.compactMap { directory.regions[$0] }
        let page = try Page(of: regions, limit: limit, after: query.text("cursor"))
        return .json(answering: request, as: Self.geoJSON) { writer in
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
        return response(region, .ok, in: directory, to: context)
    }

    private func putRegion(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let id = try context.parameter("region")
        guard (1...RegionDraft.Limits().idCharacters).contains(id.count) else { throw Problem.notFound }
        let isDryRun = try Self.isDryRun(request)
        _ = try changeableCollection(context, context.access(in: coordinator.directory))
        let drafts = try await regionDrafts(of: request)
        guard var draft = drafts.first, drafts.count == 1 else {
            throw Problem.invalid("", "must be one Feature")
        }
        guard draft.id == nil || draft.id == id else { throw Problem.invalid("/id", "differs from the id in the path") }
        draft.id = id
        let region = draft
        let conditions = EditConditions(request)
        let put = { @Sendable (directory: Directory, draft: inout Draft) throws -> (Region, Bool) in
            let collection = try changeableCollection(context, context.access(in: directory))
            let former = directory.region(id, in: collection.number)
            try conditions.check(former, in: directory)
            let stored = try draft.putRegions([region], into: collection, of: directory)
            guard let stored = stored.first else { throw Problem.internalError }
            return (stored, former == nil)
        }
        if isDryRun { return try await rehearse(id, context) { try put($0, &$1).0.number } }
        let (stored, isNew) = try await tellingWhoChanged(Region.self, id) {
            try await coordinator.edit(by: context.author, put)
        }
        return response(stored, isNew ? .created : .ok, in: coordinator.directory, to: context)
    }

    private func removeRegion(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let id = try context.parameter("region")
        let isDryRun = try Self.isDryRun(request)
        let conditions = EditConditions(request)
        let remove = { @Sendable (directory: Directory, draft: inout Draft) throws -> RegionNumber in
            let collection = try changeableCollection(context, context.access(in: directory))
            let region = directory.region(id, in: collection.number)
            try conditions.check(region, in: directory)
            guard let region else { throw Problem.notFound }
            draft.edits = [.removeRegion(region.number, from: collection.number)]
            return region.number
        }
        if isDryRun { return try await rehearse(id, context, remove) }
        _ = try await tellingWhoChanged(Region.self, id) { try await coordinator.edit(by: context.author, remove) }
        return .noContent
    }

    private static func isDryRun(_ request: Request) throws(Problem) -> Bool {
        var query = Query(request)
        let isDryRun = query.boolean("dryRun") ?? false
        try query.finish()
        return isDryRun
    }

    private func response(
        _ region: Region, _ status: HTTPResponse.Status, in directory: Directory, to context: AppRequestContext
    ) -> Response {
        // A caller who may not read the rules gets no names of theirs.
        let mayReadRules = (try? context.access(in: directory).mayReadRules) ?? false
        let rules =
            mayReadRules ? SafetyRuleSearch(in: directory, from: coordinator.origin).rules(selecting: region) : []
        var response = Response.json(status, as: Self.geoJSON) {
            Self.write(region, in: directory, musterRules: rules, to: &$0)
        }
        response.headers[.eTag] = region.entityTag(in: directory).text
        return response
    }

    // MARK: What an edit would change

    /// Answers what an edit would change for the people whom the caller may see.
    private func rehearse(
        _ id: String, _ context: AppRequestContext,
        _ edit: @escaping @Sendable (Directory, inout Draft) throws -> RegionNumber
    ) async throws -> Response {
        let outlook = try await tellingWhoChanged(Region.self, id) {
            try await coordinator.rehearse(by: context.author, edit)
        }
        let access = try context.access(in: coordinator.directory)
        return .json { $0.value(outlook, to: access) }
    }
}

extension JSONWriter {
    /// How many names a list of people has at most.
    private static let outlookNames = 100

    /// Writes what an edit would change for the people whom a caller may see.
    fileprivate mutating func value(_ outlook: EditOutlook, to access: Access) {
        func names(_ people: Set<UserNumber>) -> [String] {
            people.compactMap { number in
                access.directory.users[number].flatMap { access.mayRead($0) ? $0.name : nil }
            }.sorted()
        }
        let leaving = names(outlook.inside.subtracting(outlook.wouldBeInside))
        let entering = names(outlook.wouldBeInside.subtracting(outlook.inside))
        let leftOut = names(outlook.leftOut).count
        beginObject()
        key("people")
        beginObject()
        member("inside", names(outlook.inside).count)
        member("wouldBeInside", names(outlook.wouldBeInside).count)
        member("leaving", leaving.count)
        member("entering", entering.count)
        member("wouldLeave", listing: leaving.prefix(Self.outlookNames)) { $0.value($1) }
        member("wouldEnter", listing: entering.prefix(Self.outlookNames)) { $0.value($1) }
        endObject()
        key("safety")
        beginObject()
        member("wouldEndSafe", names(outlook.wouldEndSafe).count)
        member("wouldBecomeSafe", names(outlook.wouldBecomeSafe).count)
        endObject()
        member("isComplete", leftOut == 0)
        if leftOut > 0 {
            member("leftOut", leftOut)
            member(
                "detail",
                "The edit concerns more than \(Engine.reviewSlice) devices: only the first were looked at, and "
                    + "\(leftOut) people were left out.")
        }
        endObject()
    }
}
