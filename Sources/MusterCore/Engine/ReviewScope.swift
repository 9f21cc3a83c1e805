import MusterGeometry

/// The regions, links, policies and memberships that edits changed, and so which devices the engine must review.
struct ReviewScope: Sendable {
    /// The regions that were put, removed, or became or ceased to be muster regions.
    var regions: Set<RegionNumber> = []
    /// The bounding boxes of those that still exist; nil when one has no known box or there are too many to compare one
    /// by one.
    private(set) var boxes: [BoundingBox]? = []
    /// The collections whose policy changed.
    var collections: Set<CollectionNumber> = []
    /// By tracker: the collections that it was linked to or unlinked from.
    var links: [TrackerNumber: Set<CollectionNumber>] = [:]
    /// The users whose devices report to another tracker than before.
    var users: Set<UserNumber> = []
    /// The devices whose presences in the muster regions of raw collections were never decided, because an older
    /// version of Muster stored them.
    var musterPresencesToRebuild: Set<DeviceNumber> = []
    /// Whether the engine must derive everyone's safety again.
    var isEveryone = false

    /// The largest number of boxes to compare one by one.
    private static let boxLimit = 64

    var isEmpty: Bool {
        !isOfPlaces && users.isEmpty && musterPresencesToRebuild.isEmpty && !isEveryone
    }

    /// Whether the scope concerns devices by where they are, and not only by their owner.
    var isOfPlaces: Bool { !regions.isEmpty || !collections.isEmpty || !links.isEmpty }

    /// Adds the changes of later edits.
    mutating func formUnion(_ other: ReviewScope) {
        regions.formUnion(other.regions)
        boxes = boxes.flatMap { boxes in other.boxes.map { boxes + $0 } }
        if boxes?.count ?? 0 > Self.boxLimit { boxes = nil }
        collections.formUnion(other.collections)
        for (tracker, collections) in other.links { links[tracker, default: []].formUnion(collections) }
        users.formUnion(other.users)
        musterPresencesToRebuild.formUnion(other.musterPresencesToRebuild)
        isEveryone = isEveryone || other.isEveryone
    }

    /// Adds a region that exists.
    ///
    /// - Parameter box: the region's bounding box; nil when the region may be anywhere.
    mutating func add(_ region: RegionNumber, within box: BoundingBox?) {
        regions.insert(region)
        guard let box else { return boxes = nil }
        boxes?.append(box)
        if boxes?.count ?? 0 > Self.boxLimit { boxes = nil }
    }

    /// Whether a device may be inside one of the regions: whether four deviations and 100 m around its estimate reach a
    /// box.
    func isNear(_ place: Coordinate, deviationMetres: Double) -> Bool {
        guard let boxes else { return true }
        let pad = (4 * deviationMetres + 100) / 110_000
        // Near a pole a difference in longitude hardly shows a distance, and a large deviation covers everything.
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
