/// Finds the regions that hold a place: point in polygon for all regions at once.
extension RegionIndex {
    /// Appends the numbers of the regions that hold a place, in ascending order; a place on a boundary is inside.
    ///
    /// The query allocates nothing when the array has room for all regions that come near: a few more than hold the
    /// place.
    ///
    /// - Complexity: that of a walk down a few cells and of the edges in the last of them, usually below 64; at worst
    ///   the edges that come within a cell of 0.2 m, each at some nanoseconds, or what `MeshSizing.referenceLimit`
    ///   leaves in a cell.
    public func regions(containing place: Coordinate, into result: inout [Int32]) {
        let start = result.count
        if abs(place.latitude) != 90 {
            open.append(containing: place, to: &result)
        } else {
            appendAtPole(place, to: &result)
        }
        if needsTranslation { translateNames(&result, from: start) }
        if delta.count > 0 { addDelta(place, from: start, to: &result) }
    }

    /// Adds the regions of the delta that hold a place.
    @inline(never)
    func addDelta(_ place: Coordinate, from start: Int, to result: inout [Int32]) {
        let middle = result.count
        delta.append(containing: place, to: &result)
        if result.count > middle { result.sortAndRemoveRepeats(from: start) }
    }

    /// Appends the names of the regions that hold a pole.
    func appendAtPole(_ place: Coordinate, to names: inout [Int32]) {
        guard let mesh else { return }
        names += place.latitude > 0 ? mesh.atNorthPole : mesh.atSouthPole
    }

    /// Converts names to numbers and leaves out regions that are struck off.
    @inline(never)
    func translateNames(_ result: inout [Int32], from start: Int) {
        guard let mesh else { return }
        var kept = start
        for index in start..<result.count where !struckOff.contains(result[index]) {
            result[kept] = mesh.id(ofName: result[index])
            kept += 1
        }
        result.removeLast(result.count - kept)
    }
}

extension OpenMesh {
    /// Appends the names of the regions that hold a place, in ascending order.
    @inline(__always)
    func append(containing place: Coordinate, to names: inout [Int32]) {
        // The closure captures only the pointer: a copy of the value that it points to would cost as much as a short
        // answer.
        let query = query
        var local = query.pointee.locate(place)
        query.pointee.descend(&local)
        if local.word.isEmpty { return }
        let room = query.pointee.header(local).entryCount &+ MeshQuery.slack
        guard names.capacity &- names.count >= room else { return appendCopying(local, place, to: &names) }
        names.append(addingCapacity: room) { span in
            span.withUnsafeMutableBufferPointer { names, count in
                guard let base = names.baseAddress else { return }
                count &+= writeNames(local, place, into: base + count)
            }
        }
    }

    /// Appends the names as `append` does, for an array that has no room for all entries of the leaf, but may have room
    /// for the regions that hold the place.
    @inline(never)
    private func appendCopying(_ local: MeshPlace, _ place: Coordinate, to names: inout [Int32]) {
        let room = query.pointee.header(local).entryCount + MeshQuery.slack
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: room) { scratch in
            guard let base = scratch.baseAddress else { return }
            let count = writeNames(local, place, into: base)
            names.append(contentsOf: UnsafeBufferPointer(start: base, count: count))
        }
    }
}
