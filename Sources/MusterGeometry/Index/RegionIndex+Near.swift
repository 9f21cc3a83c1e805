/// Finds the regions near a place, and how near they are.
extension RegionIndex {
    /// Appends the regions that hold a place or whose boundary comes within a distance of it, with the distance to the
    /// boundary, in ascending order of their numbers.
    ///
    /// A region that holds the place and whose boundary is farther away has the distance `.infinity`. Within 2 km
    /// distances are exact to a centimetre; beyond, `PreparedShape.signedDistanceToBoundary` states their error, and
    /// which edges are not part of a boundary. A negative distance finds nothing.
    ///
    /// - Complexity: that of the cells that the circle touches and the edges in them.
    public func nearby(_ place: Coordinate, within radius: Metres, into answers: inout Answers<NearbyRegion>) {
        guard radius.value >= 0 else { return }
        let first = answers.count
        appendNearby(place, radius.value, to: &answers)
        guard delta.count > 0 else { return }
        answers.withArray { delta.append(nearby: place, within: radius, to: &$0) }
        answers.change(from: first) { found in
            found.order()
            return found.count
        }
    }

    /// Returns the distance from a place to a region's boundary, positive inside; nil when no region has that number.
    ///
    /// - Complexity: O(n) in the number of the region's vertices.
    public func signedDistance(from place: Coordinate, to id: Int32) -> Metres? {
        if let shape = delta.shape(of: id) { return shape.signedDistanceToBoundary(from: place) }
        guard let mesh, let rank = mesh.rank(of: id), !struckOff.contains(mesh.name(ofRank: rank)) else { return nil }
        return mesh.regions[rank].shape.signedDistanceToBoundary(from: place)
    }

    /// Appends the regions of the mesh, in ascending order.
    private func appendNearby(_ place: Coordinate, _ radius: Double, to answers: inout Answers<NearbyRegion>) {
        let first = answers.count
        var walk = NearWalk(open.query, from: place, radiusMetres: radius)
        walk.append(to: &answers)
        let isAlone = answers.count == first
        appendHolding(place, to: &answers)
        // Most places are near no boundary.
        if isAlone && !needsTranslation { return }
        answers.change(from: first) { found in
            let count = found.join()
            return needsTranslation ? translateNames(UnsafeMutableBufferPointer(rebasing: found[..<count])) : count
        }
    }

    /// Appends the names of the regions of the mesh that hold a place, ascending, at an infinite distance.
    @inline(__always)
    private func appendHolding(_ place: Coordinate, to answers: inout Answers<NearbyRegion>) {
        guard abs(place.latitude) != 90 else {
            guard let mesh else { return }
            for name in place.latitude > 0 ? mesh.atNorthPole : mesh.atSouthPole {
                answers.append(NearbyRegion(id: name, signedDistanceMetres: .infinity))
            }
            return
        }
        let open = open
        var local = open.query.pointee.locate(place)
        open.query.pointee.descend(&local)
        if local.word.isEmpty { return }
        let room = open.query.pointee.header(local).entryCount + MeshQuery.slack
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: room) { names in
            guard let base = names.baseAddress else { return }
            let count = open.writeNames(local, place, into: base)
            answers.extend(room: count) { regions in
                for index in 0..<count {
                    regions[index] = NearbyRegion(id: base[index], signedDistanceMetres: .infinity)
                }
                return count
            }
        }
    }

    /// Turns names into numbers and leaves out regions that are struck off.
    ///
    /// - Returns: how many are left.
    private func translateNames(_ found: UnsafeMutableBufferPointer<NearbyRegion>) -> Int {
        guard let mesh else { return 0 }
        var kept = 0
        for region in found where !struckOff.contains(region.id) {
            found[kept] = NearbyRegion(
                id: mesh.id(ofName: region.id), signedDistanceMetres: region.signedDistanceMetres)
            kept += 1
        }
        return kept
    }
}

extension UnsafeMutableBufferPointer<NearbyRegion> {
    /// Merges the elements with the same number: a boundary may occur several times with its distance, and a region
    /// that holds the place once more at an infinite distance.
    ///
    /// - Returns: how many are left, ascending.
    fileprivate func join() -> Int {
        order()
        var kept = 0
        var next = 0
        while next < count {
            // The nearest of its number.
            var region = self[next]
            var isInside = false
            while next < count && self[next].id == region.id {
                isInside = isInside || self[next].signedDistanceMetres == .infinity
                next += 1
            }
            if !isInside { region.signedDistanceMetres *= -1 }
            self[kept] = region
            kept += 1
        }
        return kept
    }

    /// Puts the elements in ascending order; in place, and without allocation where they are few.
    fileprivate func order() {
        guard count > 1 else { return }
        if count > 32 {
            var all = self
            return all.sort { $0.precedes($1) }
        }
        for index in 1..<count {
            let element = self[index]
            var at = index
            while at > 0 && element.precedes(self[at - 1]) {
                self[at] = self[at - 1]
                at -= 1
            }
            self[at] = element
        }
    }
}

extension NearbyRegion {
    fileprivate func precedes(_ other: NearbyRegion) -> Bool {
        id != other.id ? id < other.id : signedDistanceMetres < other.signedDistanceMetres
    }
}
