/// The query without an array: it writes its answer to memory that the caller provides.
extension RegionIndex {
    /// Appends the numbers of the regions that hold a place, in ascending order, as the query with an array does. This
    /// is the fastest query for one place.
    public func regions(containing place: Coordinate, into answers: inout Answers<Int32>) {
        guard isAnsweredByMesh && abs(place.latitude) != 90 else {
            return answers.withArray { regions(containing: place, into: &$0) }
        }
        open.append(containing: place, to: &answers)
    }
}

extension OpenMesh {
    /// Appends the names of the regions that hold a place, in ascending order.
    @inline(__always)
    fileprivate func append(containing place: Coordinate, to answers: inout Answers<Int32>) {
        let query = query
        var local = query.pointee.locate(place)
        query.pointee.descend(&local)
        if local.word.isEmpty { return }
        answers.extend(room: query.pointee.header(local).entryCount &+ MeshQuery.slack) { names in
            writeNames(local, place, into: names)
        }
    }
}
