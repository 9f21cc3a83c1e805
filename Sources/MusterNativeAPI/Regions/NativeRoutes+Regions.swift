import Hummingbird
import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// Lookups and edits that the routes about regions share.
extension NativeRoutes {
    /// The collection that the path names, if the caller may change its regions.
    func changeableCollection(_ context: AppRequestContext, _ access: Access) throws(Problem) -> RegionCollection {
        let collection = try collection(context, access)
        guard !collection.isOfWarnings else {
            throw .forbidden("These regions are official warnings: the server keeps them as their feed has them.")
        }
        guard access.mayChange(collection) else {
            throw .forbidden("This collection is not your team's, or other teams use it too: an admin can change it.")
        }
        return collection
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
    /// - Throws: `Problem.conflict` when there would be more regions than `Directory.regionLimit`.
    static func draftRegions(
        _ regions: [RegionDraft], into collection: RegionCollection, of directory: Directory, _ draft: inout Draft
    ) throws -> [Region] {
        let replaced = Set(regions.compactMap(\.id)).count { directory.region($0, in: collection.number) != nil }
        guard directory.regions.count + regions.count - replaced <= Directory.regionLimit else {
            throw Problem.conflict("There would be more than \(Directory.regionLimit) regions.")
        }
        let taken = Set(regions.compactMap(\.id))
        return try regions.map { described in
            let beacon = try described.beacon.map { try area(of: $0, feature: described.feature, in: directory) }
            let existing = described.id.flatMap { directory.region($0, in: collection.number) }
            let number = try existing?.number ?? draft.transaction.nextRegionNumber()
            let id = described.id ?? unusedID(number, in: collection, of: directory, besides: taken)
            let region = Region(
                number: number, collection: collection.number, id: id, name: described.name ?? id,
                shape: described.shape, beacon: beacon, isMuster: described.isMuster, mode: described.mode,
                dwellSeconds: described.dwellSeconds, exitDelaySeconds: described.exitDelaySeconds,
                properties: described.properties)
            draft.edits.append(.putRegion(region))
            return region
        }
    }

    /// The radio of a beacon region, with the scanner that it names.
    private static func area(
        of draft: BeaconDraft, feature: Int, in directory: Directory
    ) throws(Problem) -> BeaconArea {
        let area = draft.area { name in
            let parts = name.split(separator: "/", maxSplits: 1).map(String.init)
            guard parts.count == 2, let user = directory.users[parts[0]], user.role == .gateway else { return nil }
            return directory.device(named: parts[1], of: user.number)?.number
        }
        guard let area else {
            throw .invalid(
                "/features/\(feature)/properties/beacon/scanner",
                "must be a device of a user with the role gateway, as user/device")
        }
        return area
    }

    /// Writes a region as a GeoJSON Feature.
    static func write(
        _ region: Region, in directory: Directory, musterRules: [String] = [], to writer: inout JSONWriter
    ) {
        var scanner: String?
        if case .scanner(let device) = region.beacon?.source { scanner = directory.qualifiedName(of: device) }
        writer.feature(region, isMuster: directory.isMuster(region), scanner: scanner, musterRules: musterRules)
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
