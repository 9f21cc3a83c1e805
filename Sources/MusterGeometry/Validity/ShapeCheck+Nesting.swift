/// Checks which rings of a shape lie in which other ones, and whether they may.
extension ShapeCheck {
    /// Checks which ring lies in which, for rings that do not meet in a forbidden way.
    ///
    /// - Complexity: n log n for the holes of a polygon. Of r polygons O(r²) box comparisons, and O(n) for each pair
    ///   whose boxes are in each other; nothing where polygons may overlap.
    mutating func checkNesting() {
        guard !isTruncated else { return }
        var polygonRings: [Range<Int>] = []
        var start = 0
        for index in rings.indices where index + 1 == rings.count || rings[index + 1].polygon != rings[index].polygon {
            polygonRings.append(start..<index + 1)
            start = index + 1
        }
        for ringsOfPolygon in polygonRings { checkHoles(ringsOfPolygon) }
        if rules.crossingsOfEdge != nil { return }
        for index in polygonRings.indices {
            for other in polygonRings.indices where other != index {
                guard !isTruncated else { return }
                checkOverlap(polygonRings[index], with: polygonRings[other])
            }
        }
    }

    private mutating func checkHoles(_ range: Range<Int>) {
        guard rings[range.lowerBound].ring == 0 else { return }
        let exterior = rings[range.lowerBound]
        if var finder = RingFinder(rings, range) { return checkHoles(range, by: &finder) }
        for index in range.dropFirst() where rings[index].isSound {
            guard let corner = freeCorner(ofRing: index) else { continue }
            if exterior.isSound,
                rings[index].locate(corner, in: exterior) == .outside
            {
                add(
                    .holeOutside, at: rings[index].faultPlace(corner), other: exterior.faultPlace(0),
                    position: rings[index].corners[corner].raw)
            }
            for other in range.dropFirst() where other != index && rings[other].isSound {
                guard rings[index].locate(corner, in: rings[other]) == .inside else { continue }
                guard
                    add(
                        .holesOverlap, at: rings[index].faultPlace(corner), other: rings[other].faultPlace(0),
                        position: rings[index].corners[corner].raw)
                else { return }
            }
        }
    }

    /// Checks many holes by means of an index of the rings.
    private mutating func checkHoles(_ range: Range<Int>, by finder: inout RingFinder) {
        let exterior = range.lowerBound
        for index in range.dropFirst() where rings[index].isSound {
            guard let corner = freeCorner(ofRing: index) else { continue }
            let holders = finder.rings(holding: rings[index].corners[corner])
            let place = rings[index].faultPlace(corner)
            let position = rings[index].corners[corner].raw
            if rings[exterior].isSound, !holders.contains(exterior) {
                add(.holeOutside, at: place, other: rings[exterior].faultPlace(0), position: position)
            }
            for other in holders where other != index && other != exterior {
                guard add(.holesOverlap, at: place, other: rings[other].faultPlace(0), position: position) else {
                    return
                }
            }
        }
    }

    /// Reports a polygon that lies inside another one, as one of its corners shows that no edge touches.
    private mutating func checkOverlap(_ range: Range<Int>, with other: Range<Int>) {
        let exterior = rings[range.lowerBound]
        guard exterior.ring == 0, exterior.isSound, rings[other.lowerBound].ring == 0,
            rings[other.lowerBound].isSound, let corner = freeCorner(ofRing: range.lowerBound),
            exterior.locate(corner, in: rings[other.lowerBound]) == .inside
        else { return }
        for hole in other.dropFirst() where exterior.locate(corner, in: rings[hole]) != .outside { return }
        add(
            .polygonsOverlap, at: exterior.faultPlace(corner), other: rings[other.lowerBound].faultPlace(0),
            position: exterior.corners[corner].raw)
    }
}

extension CheckedRing {
    /// Returns where a corner lies in respect of the area that another ring bounds.
    func locate(_ corner: Int, in other: CheckedRing) -> Location {
        other.region.locate(longitude: corners[corner].longitude.degrees, latitude: corners[corner].latitude)
    }
}
