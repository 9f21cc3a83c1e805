extension RegionIndex {
    /// Appends the regions that hold a place or whose boundary comes within a distance of it, with the distance of the
    /// boundary; in ascending order of their numbers.
    ///
    /// A region that holds the place and whose boundary is farther away has the distance `.infinity`. Within 2 km
    /// distances are right to a centimetre; beyond, `PreparedShape.signedDistanceToBoundary` says how exactly they are
    /// measured, and what is no boundary. Nothing is appended for a distance below 0.
    ///
    /// - Complexity: that of the cells that the circle touches and the edges in them.
    public func nearby(_ place: Coordinate, within radius: Metres, into result: inout [NearbyRegion]) {
        guard radius.value >= 0 else { return }
        let first = result.count
        if let mesh { appendNearby(mesh, place, radius.value, to: &result) }
        delta.append(nearby: place, within: radius, to: &result)
        // Each number comes once: a region is in the mesh or in the delta.
        result[first...].sort { $0.id < $1.id }
    }

    /// Appends the numbers of the regions that hold a place or whose boundary comes within a distance of it, in
    /// ascending order.
    ///
    /// Nothing is appended for a distance below 0. How exactly distances are measured says `nearby`.
    public func regions(within radius: Metres, of place: Coordinate, into result: inout [Int32]) {
        guard radius.value >= 0 else { return }
        let start = result.count
        if let mesh {
            var found: [NearbyRegion] = []
            appendNearby(mesh, place, radius.value, to: &found)
            for region in found { result.append(region.id) }
        }
        delta.append(within: radius, of: place, to: &result)
        result.sortAndRemoveRepeats(from: start)
    }

    /// Metres from a place to a region's boundary, positive inside; nil when no region has that number.
    ///
    /// - Complexity: O(n) in the number of the region's vertices.
    public func signedDistance(from place: Coordinate, to id: Int32) -> Metres? {
        if let shape = delta.shape(of: id) { return shape.signedDistanceToBoundary(from: place) }
        guard let mesh, let rank = mesh.rank(of: id), !struckOff.contains(mesh.name(ofRank: rank)) else { return nil }
        return mesh.regions[rank].shape.signedDistanceToBoundary(from: place)
    }

    /// Appends what the mesh knows, in ascending order of names.
    private func appendNearby(
        _ mesh: RegionMesh, _ place: Coordinate, _ radius: Double, to result: inout [NearbyRegion]
    ) {
        var holding: [Int32] = []
        if abs(place.latitude) != 90 {
            open.append(containing: place, to: &holding)
        } else {
            appendAtPole(place, to: &holding)
        }
        var near: [NearName] = []
        open.query.pointee.append(near: place, radiusMetres: radius, to: &near)
        near.sort { ($0.name, $0.metres) < ($1.name, $1.metres) }
        var (at, next) = (0, 0)
        while at < holding.count || next < near.count {
            let isHolding = at < holding.count && (next == near.count || holding[at] <= near[next].name)
            let name = isHolding ? holding[at] : near[next].name
            var metres = Double.infinity
            if next < near.count && near[next].name == name { metres = near[next].metres }
            if isHolding { at += 1 }
            while next < near.count && near[next].name == name { next += 1 }
            if struckOff.contains(name) { continue }
            result.append(
                NearbyRegion(id: mesh.id(ofName: name), signedDistanceMetres: isHolding ? metres : -metres))
        }
    }
}
