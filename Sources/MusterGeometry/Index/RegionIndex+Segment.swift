/// Finds the regions that a segment between two places touches.
extension RegionIndex {
    /// Appends the numbers of the regions that the segment between two places touches, in ascending order: those that
    /// hold one of its points. The segment is straight in longitude and latitude, across the antimeridian if that is
    /// shorter.
    ///
    /// Exact for polygons; for circles as exact as `PreparedShape.signedDistanceToBoundary`.
    ///
    /// - Complexity: that of the cells along the segment and the edges in them.
    public func regions(crossedBy from: Coordinate, _ to: Coordinate, into result: inout [Int32]) {
        let start = result.count
        let path = PathSegment(from: from, to: to)
        // A region that holds neither end and is touched has its boundary touched.
        for place in [from, to] {
            if abs(place.latitude) != 90 {
                open.append(containing: place, to: &result)
            } else {
                appendAtPole(place, to: &result)
            }
        }
        if mesh != nil { open.query.pointee.append(touchedBy: path, to: &result) }
        result.sortAndRemoveRepeats(from: start)
        if needsTranslation { translateNames(&result, from: start) }
        guard delta.count > 0 else { return }
        delta.append(touchedBy: path, from, to, to: &result)
        result.sortAndRemoveRepeats(from: start)
    }
}

extension DeltaRegions {
    /// Appends the numbers of the regions that the segment between two places touches.
    func append(touchedBy path: PathSegment, _ from: Coordinate, _ to: Coordinate, to result: inout [Int32]) {
        forEachRegion(touching: path) { region, shape in
            if shape.isTouched(by: path, from: from, to: to) { result.append(region) }
        }
    }
}
