import Hummingbird
import MusterCore
import MusterServer
import MusterWire
import NIOCore

/// Routes for importing many regions at once.
struct RegionImportRoutes: NativeRoutes {
    let server: ServerParts

    func register(in routes: inout RouteTable) {
        routes.add(
            Route(
                .post, "\(Self.root)/collections/{collection}/regions",
                admits: .roles([.admin, .leader], devices: false),
                .init(
                    "Regions",
                    "Store the regions of a GeoJSON file, all or none. A region with a known id is replaced.",
                    query: [
                        .init(
                            "dryRun", "Only validate; the collection need not exist.", schema: #"{"type":"boolean"}"#),
                        .init(
                            "muster", "Whether regions that do not say so are muster regions.",
                            schema: #"{"type":"boolean"}"#),
                    ],
                    body: [
                        RegionRoutes.geoJSON: "FeatureOrCollection", "application/json": "FeatureOrCollection",
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
        if !isDryRun { _ = try changeableCollection(context, context.access(in: coordinator.directory)) }
        var drafts = try await regionDrafts(of: request)
        if isMuster {
            for index in drafts.indices where !drafts[index].saysMuster { drafts[index].isMuster = true }
        }
        if !isDryRun {
            let regions = drafts
            try await coordinator.edit(by: context.author) { directory, draft in
                let collection = try changeableCollection(context, context.access(in: directory))
                _ = try Self.draftRegions(regions, into: collection, of: directory, &draft)
            }
        }
        return .json { writer in
            writer.beginObject()
            writer.member("stored", drafts.count)
            writer.key("faults")
            writer.beginArray()
            writer.endArray()
            writer.endObject()
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
