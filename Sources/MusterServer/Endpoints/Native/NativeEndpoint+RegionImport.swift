import Hummingbird
import MusterCore
import MusterStore
import MusterWire
import NIOCore

extension NativeEndpoint {
    /// The largest number of regions in all collections together.
    static let regionLimit = 200_000

    func addImport(to routes: inout RouteTable) {
        routes.add(
            Route(
                .post, "\(Self.root)/collections/{collection}/regions",
                admits: .roles([.admin, .leader], devices: false),
                .init(
                    "Regions",
                    "Store the regions of a GeoJSON file: all or, when one is at fault, none. Known ids are replaced.",
                    query: [
                        .init("dryRun", "Only look; the collection need not exist.", schema: #"{"type":"boolean"}"#),
                        .init(
                            "muster", "Whether a region that does not say so is a muster region.",
                            schema: #"{"type":"boolean"}"#),
                    ],
                    body: [
                        Self.geoJSON: "FeatureOrCollection", "application/json": "FeatureOrCollection",
                    ], answers: [.init(200, "How many were, or would be, stored.", json: "RegionReceipt")]),
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
                _ = try Self.put(regions, into: collection, of: directory, &draft)
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

    /// Parses the regions in a body. A large file takes a while, so a reader's thread parses it.
    ///
    /// - Throws: `RegionFaults` with every fault.
    func regionDrafts(of request: Request) async throws -> [RegionDraft] {
        try request.requireJSON()
        let body = try await request.collectBody(.large)
        return try await coordinator.read { _ in
            try body.withUnsafeReadableBytes { bytes in try RegionDraft.decode(bytes) }
        }
    }

    /// Drafts the edits that store regions in a collection, and replace those with the same ids.
    ///
    /// - Returns: the regions after the edits.
    /// - Throws: `Problem.conflict` when there would be more regions than `regionLimit`.
    static func put(
        _ regions: [RegionDraft], into collection: RegionCollection, of directory: Directory, _ draft: inout Draft
    ) throws -> [Region] {
        let replaced = Set(regions.compactMap(\.id)).count { directory.region($0, in: collection.number) != nil }
        guard directory.regions.count + regions.count - replaced <= regionLimit else {
            throw Problem.conflict("There would be more than \(regionLimit) regions.")
        }
        let taken = Set(regions.compactMap(\.id))
        return try regions.map { described in
            let existing = described.id.flatMap { directory.region($0, in: collection.number) }
            let number = try existing?.number ?? draft.transaction.nextRegionNumber()
            let id = described.id ?? unusedID(number, in: collection, of: directory, besides: taken)
            let region = Region(
                number: number, collection: collection.number, id: id, name: described.name ?? id,
                shape: described.shape, isMuster: described.isMuster, mode: described.mode,
                dwellSeconds: described.dwellSeconds, exitDelaySeconds: described.exitDelaySeconds,
                properties: described.properties)
            draft.edits.append(.putRegion(region))
            return region
        }
    }

    /// An id for a region that has none: made from its number, and not in use.
    private static func unusedID(
        _ number: RegionNumber, in collection: RegionCollection, of directory: Directory,
        besides taken: Set<String>
    ) -> String {
        var id = "region-\(number.rawValue)"
        while taken.contains(id) || directory.region(id, in: collection.number) != nil { id += "-" }
        return id
    }
}

extension RegionDraft {
    /// Whether the properties state if it is a muster region.
    fileprivate var saysMuster: Bool {
        guard var properties else { return false }
        let value = properties.withUTF8 { try? JSONValue(parsing: UnsafeRawBufferPointer($0)) }
        return value?["muster"] != nil
    }
}
