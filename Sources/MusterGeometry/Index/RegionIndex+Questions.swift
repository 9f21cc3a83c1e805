extension RegionIndex {
    /// Appends the numbers of the regions that hold a place, in ascending order; a place on a boundary is inside.
    ///
    /// Nothing is allocated when the array has room.
    ///
    /// - Complexity: that of a walk down a few cells and of the edges in the last of them, usually below 64; at worst
    ///   the edges that come within a cell of 0.2 m, each at some nanoseconds, or what `MeshSizing.referenceLimit`
    ///   leaves in a cell.
    public func regions(containing place: Coordinate, into result: inout [Int32]) {
        let start = result.count
        if let mesh {
            mesh.append(containing: place, to: &result)
            if !mesh.namesAreIDs || struckOff.count > 0 { settle(mesh, &result, from: start) }
        }
        if delta.count > 0 {
            let middle = result.count
            delta.append(containing: place, to: &result)
            if result.count > middle { result.sortAndRemoveRepeats(from: start) }
        }
    }

    /// Appends the numbers of the regions that hold a place or whose boundary comes within a distance of it, in
    /// ascending order.
    ///
    /// Nothing is appended for a distance below 0. How exactly distances are measured says
    /// `PreparedShape.signedDistanceToBoundary`.
    public func regions(within radius: Metres, of place: Coordinate, into result: inout [Int32]) {
        guard radius.value >= 0 else { return }
        let start = result.count
        if let mesh {
            mesh.append(within: radius, of: place, to: &result)
            settle(mesh, &result, from: start)
        }
        delta.append(within: radius, of: place, to: &result)
        result.sortAndRemoveRepeats(from: start)
    }

    /// Turns names into numbers and leaves out regions that are struck off.
    private func settle(_ mesh: RegionMesh, _ result: inout [Int32], from start: Int) {
        var kept = start
        for index in start..<result.count where !struckOff.contains(result[index]) {
            result[kept] = mesh.id(ofName: result[index])
            kept += 1
        }
        result.removeLast(result.count - kept)
    }
}

extension RegionMesh {
    /// Appends the names of the regions that hold a place, in ascending order.
    @inline(__always)
    func append(containing place: Coordinate, to names: inout [Int32]) {
        guard abs(place.latitude) != 90 else {
            names += place.latitude > 0 ? atNorthPole : atSouthPole
            return
        }
        withQuery { query in
            var local = query.locate(place)
            query.descend(&local)
            if local.word.isEmpty { return }
            withUnsafeTemporaryAllocation(of: Int32.self, capacity: MeshQuery.room + MeshQuery.slack) { scratch in
                guard let base = scratch.baseAddress else { return }
                let count = query.answer(local, into: base)
                if count < 0 {
                    query.answerExactly(local, place, into: &names)
                } else {
                    names.append(contentsOf: UnsafeBufferPointer(start: base, count: count))
                }
            }
        }
    }

    /// Appends the names of the regions that hold a place or whose boundary comes within a distance of it.
    func append(within radius: Metres, of place: Coordinate, to names: inout [Int32]) {
        for (rank, region) in regions.enumerated()
        where PreparedShape(region.shape).comes(within: radius, of: place) { names.append(name(ofRank: rank)) }
    }
}
