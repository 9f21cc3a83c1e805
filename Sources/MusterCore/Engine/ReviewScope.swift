import MusterGeometry

/// What edits have changed of what there is to cross, and so whose standings are to be decided anew.
struct ReviewScope: Sendable {
    /// Regions that were put, removed, or became muster regions or no longer.
    var regions: Set<RegionNumber> = []
    /// Where those are that are still there; nil once they are too many to look at one by one.
    private(set) var boxes: [BoundingBox]? = []
    /// Collections whose policy changed.
    var collections: Set<CollectionNumber> = []
    /// The collections that a tracker was linked to, or no longer is.
    var links: [TrackerNumber: Set<CollectionNumber>] = [:]
    /// Who reports to another tracker than before.
    var users: Set<UserNumber> = []
    /// Devices from the store of an older version, which did not decide how a device stands to the muster regions of
    /// raw collections.
    var refugesToRebuild: Set<DeviceNumber> = []
    /// Whether the safety of all is to be derived anew.
    var isEveryone = false

    /// As many boxes are looked at one by one.
    private static let boxLimit = 64

    var isEmpty: Bool {
        !isOfPlaces && users.isEmpty && refugesToRebuild.isEmpty && !isEveryone
    }

    /// Whether it concerns devices by the place where they are, and not only by their owner.
    var isOfPlaces: Bool { !regions.isEmpty || !collections.isEmpty || !links.isEmpty }

    /// Adds the changes of later edits.
    mutating func formUnion(_ other: ReviewScope) {
        regions.formUnion(other.regions)
        boxes = boxes.flatMap { boxes in other.boxes.map { boxes + $0 } }
        if boxes?.count ?? 0 > Self.boxLimit { boxes = nil }
        collections.formUnion(other.collections)
        links.merge(other.links) { $0.union($1) }
        users.formUnion(other.users)
        refugesToRebuild.formUnion(other.refugesToRebuild)
        isEveryone = isEveryone || other.isEveryone
    }

    /// Adds a region that is there.
    ///
    /// - Parameter box: where it is; nil: anywhere.
    mutating func add(_ region: RegionNumber, within box: BoundingBox?) {
        regions.insert(region)
        guard let box else { return boxes = nil }
        boxes?.append(box)
        if boxes?.count ?? 0 > Self.boxLimit { boxes = nil }
    }

    /// Whether a device may be inside of a region that was put.
    func isNear(_ place: Coordinate, deviationMetres: Double) -> Bool {
        guard let boxes else { return true }
        let pad = (4 * deviationMetres + 100) / 110_000
        // Towards the poles longitudes say little, and of a device that may be anywhere the place does.
        guard pad < 1, abs(place.latitude) < 85 else { return true }
        let eastPad = pad * 12
        return boxes.contains { box in
            guard place.latitude >= box.south - pad, place.latitude <= box.north + pad else { return false }
            let width = (box.east - box.west + 360).truncatingRemainder(dividingBy: 360)
            let offset = (place.longitude - box.west + eastPad + 720).truncatingRemainder(dividingBy: 360)
            return box.east - box.west >= 360 || offset <= width + 2 * eastPad
        }
    }
}
