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
        appendNearby(place, radius.value, to: &result)
        guard delta.count > 0 else { return }
        delta.append(nearby: place, within: radius, to: &result)
        result.sortAndMerge(from: first)
    }

    /// Appends the numbers of the regions that hold a place or whose boundary comes within a distance of it, in
    /// ascending order.
    ///
    /// Nothing is appended for a distance below 0. How exactly distances are measured says `nearby`.
    public func regions(within radius: Metres, of place: Coordinate, into result: inout [Int32]) {
        guard radius.value >= 0 else { return }
        let start = result.count
        var found: [NearbyRegion] = []
        appendNearby(place, radius.value, to: &found)
        for region in found { result.append(region.id) }
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

    /// Appends what the mesh knows, in ascending order.
    private func appendNearby(_ place: Coordinate, _ radius: Double, to result: inout [NearbyRegion]) {
        let first = result.count
        var walk = NearWalk(open.query, from: place, radiusMetres: radius)
        walk.append(to: &result)
        result.sortAndMerge(from: first)
        // So far the distances are those of boundaries, and positive; what does not hold the place is outside.
        for index in first..<result.count { result[index].signedDistanceMetres *= -1 }
        let middle = result.count
        var next = first
        forEachName(holding: place) { name in
            while next < middle && result[next].id < name { next += 1 }
            if next < middle && result[next].id == name {
                result[next].signedDistanceMetres *= -1
            } else {
                result.append(NearbyRegion(id: name, signedDistanceMetres: .infinity))
            }
        }
        if result.count > middle && middle > first { result.sortAndMerge(from: first) }
        if needsSettling { settle(&result, from: first) }
    }

    /// Calls the closure with the name of each region of the mesh that holds a place, ascending.
    @inline(__always)
    private func forEachName(holding place: Coordinate, _ body: (Int32) -> Void) {
        guard abs(place.latitude) != 90 else {
            guard let mesh else { return }
            for name in place.latitude > 0 ? mesh.atNorthPole : mesh.atSouthPole { body(name) }
            return
        }
        let query = open.query
        var local = query.pointee.locate(place)
        query.pointee.descend(&local)
        if local.word.isEmpty { return }
        let room = query.pointee.header(local).entryCount + MeshQuery.slack
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: room) { names in
            guard let base = names.baseAddress else { return }
            for index in 0..<query.pointee.answer(local, place, into: base) { body(base[index]) }
        }
    }

    /// Turns names into numbers and leaves out regions that are struck off.
    private func settle(_ result: inout [NearbyRegion], from start: Int) {
        guard let mesh else { return }
        var kept = start
        for index in start..<result.count where !struckOff.contains(result[index].id) {
            result[kept] = result[index]
            result[kept].id = mesh.id(ofName: result[index].id)
            kept += 1
        }
        result.removeLast(result.count - kept)
    }
}

extension [NearbyRegion] {
    /// Puts the elements from an index on in ascending order, of each region the nearest; in place, and without
    /// allocation where they are few.
    fileprivate mutating func sortAndMerge(from start: Int) {
        guard count > start + 1 else { return }
        if count - start > 32 {
            self[start...].sort { $0.precedes($1) }
        } else {
            for index in (start + 1)..<count {
                let element = self[index]
                var at = index
                while at > start && element.precedes(self[at - 1]) {
                    self[at] = self[at - 1]
                    at -= 1
                }
                self[at] = element
            }
        }
        var kept = start
        for index in (start + 1)..<count where self[index].id != self[kept].id {
            kept += 1
            self[kept] = self[index]
        }
        removeLast(count - kept - 1)
    }
}

extension NearbyRegion {
    fileprivate func precedes(_ other: NearbyRegion) -> Bool {
        id != other.id ? id < other.id : signedDistanceMetres < other.signedDistanceMetres
    }
}
