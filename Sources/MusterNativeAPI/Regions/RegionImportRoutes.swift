import Hummingbird
import MusterCore
import MusterServer
import MusterWire
import NIOCore

/// Routes for importing many regions at once.
struct RegionImportRoutes: NativeRoutes {
    let server: ServerParts

    /// How many faults an answer lists, and how many a dry run does.
    private static let faultLimit = 100
    private static let faultLimitOfDryRun = 1_000

    func register(in routes: inout RouteTable) {
        let boolean = #"{"type":"boolean"}"#
        routes.add(
            Route(
                .post, "\(Self.root)/collections/{collection}/regions",
                admits: .roles([.admin, .leader], devices: false),
                .init(
                    "Regions",
                    "Store the regions of a GeoJSON or KML file, all or none. A region with a known id is replaced.",
                    query: [
                        .init(
                            "dryRun",
                            "Only say what was read, and every fault; the collection need not exist.",
                            schema: boolean),
                        .init(
                            "muster", "Whether regions that do not say so are muster regions.", schema: boolean),
                    ],
                    body: [
                        RegionRoutes.geoJSON: "FeatureOrCollection", "application/json": "FeatureOrCollection",
                        "application/vnd.google-earth.kml+xml": "Text",
                    ],
                    answers: [
                        .init(200, "The number of regions that were, or would be, stored.", json: "RegionReceipt")
                    ]),
                handler: importRegions))
    }

    private func importRegions(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        var query = Query(request)
        let isDryRun = query.boolean("dryRun") ?? false
        let isMuster = query.boolean("muster") ?? false
        try query.finish()
        let form = try RegionFile.Form(of: request)
        if !isDryRun { _ = try changeableCollection(context, context.access(in: coordinator.directory)) }
        var file = try await read(request, as: form, isDryRun: isDryRun, context)
        if isMuster {
            for index in file.drafts.indices where !file.drafts[index].saysMuster { file.drafts[index].isMuster = true }
        }
        let whole = file
        guard !isDryRun else {
            let replaced = try replacedCount(whole.drafts, context)
            return .json { $0.value(whole, replaced: replaced) }
        }
        try whole.requireSound()
        try await coordinator.edit(by: context.author) { directory, draft in
            let collection = try changeableCollection(context, context.access(in: directory))
            _ = try draft.putRegions(whole.drafts, into: collection, of: directory)
        }
        return .json { writer in
            writer.beginObject()
            writer.member("stored", whole.drafts.count)
            writer.member("faults", listing: [Int]()) { $0.value($1) }
            if !whole.skipped.isEmpty { writer.skippedMember(whole.skipped) }
            writer.endObject()
        }
    }

    /// Reads the file in the body. A large file takes a while, so a reader's thread parses it.
    private func read(
        _ request: Request, as form: RegionFile.Form, isDryRun: Bool, _ context: AppRequestContext
    ) async throws -> RegionFile {
        let isLong = try form == .kml && mayStore(context)
        let body = try await request.collectBody(isLong ? .kml : .large)
        let faultLimit = isDryRun ? Self.faultLimitOfDryRun : Self.faultLimit
        return try await coordinator.read { _ in
            body.withUnsafeReadableBytes { RegionFile(reading: $0, as: form, faultLimit: faultLimit) }
        }
    }

    /// Whether the caller may change the collection that the path names, or make it.
    private func mayStore(_ context: AppRequestContext) throws -> Bool {
        let access = try context.access(in: coordinator.directory)
        guard let collection = access.directory.collections[try context.parameter("collection")] else { return true }
        return access.mayChange(collection)
    }

    /// How many of the regions the collection has already; nil if there is no such collection.
    private func replacedCount(_ drafts: [RegionDraft], _ context: AppRequestContext) throws -> Int? {
        let directory = coordinator.directory
        return directory.collections[try context.parameter("collection")].map { collection in
            drafts.count { draft in draft.id.map { directory.region($0, in: collection.number) != nil } ?? false }
        }
    }
}

extension RegionDraft {
    /// Whether the properties have the member `muster`, which states if the region is a muster region.
    fileprivate var saysMuster: Bool {
        guard var properties else { return false }
        let value = properties.withUTF8 { try? JSONValue(parsing: UnsafeRawBufferPointer($0)) }
        return value?["muster"] != nil
    }
}
