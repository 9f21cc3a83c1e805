package import MusterCore
import MusterStore
package import MusterWire

/// How clients store regions, whichever endpoint they ask.
extension Draft {
    /// Adds the edits that store regions in a collection, and replace those with the same ids.
    ///
    /// - Parameter collection: a collection that the author may change.
    /// - Returns: the regions after the edits.
    /// - Throws: `Problem.conflict` when there would be more regions than `Directory.regionLimit`; `Problem.invalid`
    ///   for a scanner that does not exist; `StoreError`.
    package mutating func putRegions(
        _ regions: [RegionDraft], into collection: RegionCollection, of directory: Directory
    ) throws -> [Region] {
        let replaced = Set(regions.compactMap(\.id)).count { directory.region($0, in: collection.number) != nil }
        guard directory.regions.count + regions.count - replaced <= Directory.regionLimit else {
            throw Problem.conflict("There would be more than \(Directory.regionLimit) regions.")
        }
        let taken = Set(regions.compactMap(\.id))
        var stored: [Region] = []
        for described in regions {
            let beacon = try described.beacon.map {
                try Self.area(of: $0, feature: described.feature, in: directory)
            }
            let existing = described.id.flatMap { directory.region($0, in: collection.number) }
            let number = try existing?.number ?? transaction.nextRegionNumber()
            let id = described.id ?? Self.unusedID(number, in: collection, of: directory, besides: taken)
            stored.append(
                Region(
                    number: number, collection: collection.number, id: id, name: described.name ?? id,
                    shape: described.shape, beacon: beacon, isMuster: described.isMuster, mode: described.mode,
                    dwellSeconds: described.dwellSeconds, exitDelaySeconds: described.exitDelaySeconds,
                    properties: described.properties))
        }
        edits += stored.map { Edit.putRegion($0) }
        return stored
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
