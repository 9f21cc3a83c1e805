/// A region near a place, and how near.
public struct NearbyRegion: Hashable, Sendable {
    /// The region's number.
    public var id: Int32
    /// Metres to its boundary, positive inside; infinite when it holds the place and its boundary is farther than what
    /// was asked.
    public var signedDistanceMetres: Double

    /// A region at a distance.
    public init(id: Int32, signedDistanceMetres: Double) {
        self.id = id
        self.signedDistanceMetres = signedDistanceMetres
    }
}

extension RegionIndex {
    /// Appends the regions that hold a place or whose boundary comes within a distance of it, in ascending order.
    public func nearby(_ place: Coordinate, within radius: Metres, into result: inout [NearbyRegion]) {
        var ids: [Int32] = []
        regions(within: radius, of: place, into: &ids)
        for id in ids {
            guard let distance = signedDistance(from: place, to: id) else { continue }
            result.append(
                NearbyRegion(
                    id: id, signedDistanceMetres: distance.value > radius.value ? .infinity : distance.value))
        }
    }

    /// Metres from a place to a region's boundary, positive inside; nil when no region has that number.
    public func signedDistance(from place: Coordinate, to id: Int32) -> Metres? {
        if let shape = delta.shape(of: id) { return shape.signedDistanceToBoundary(from: place) }
        guard let mesh, let rank = mesh.rank(of: id), !struckOff.contains(mesh.name(ofRank: rank)) else { return nil }
        return mesh.regions[rank].shape.signedDistanceToBoundary(from: place)
    }
}
